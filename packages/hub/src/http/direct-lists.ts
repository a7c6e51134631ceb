import type { ToolDefinition } from '@callboard/protocol'
import { ProtocolError, type RequestId } from '@modelcontextprotocol/server'
import { type Era, scopeOf } from '../mcp/client-descriptor.js'
import { asOfEra, resultFrame } from '../mcp/direct-result.js'
import { isRecord } from '../mcp/json-rpc.js'
import { entryTextOf } from '../mcp/list-text.js'
import type { McpFront } from '../mcp/mcp-server.js'
import { keptPageOf, type Page } from '../mcp/pagination.js'
import { oneCharacterPerByte, sendBytesWithin } from './answers.js'
import type { Route, RouteFinder, Sent } from './direct-route.js'
import { whenClosed } from './exchange.js'

interface ListRequest {
  readonly id: RequestId
  readonly params: { readonly [key: string]: unknown } | undefined
}

interface Asked {
  readonly id: RequestId
  readonly cursor: string | undefined
  readonly meta: { readonly [key: string]: unknown }
}

/** What the SDK says of a list to modern clients: ask again whenever you like, and keep it to yourself. */
const cacheHints = { ttlMs: 0, cacheScope: 'private' }

/** `tools/list`, from bytes that are there as long as the list does not change: to write it takes longer than all the rest of an answer. */
export class DirectLists {
  readonly #front: McpFront
  readonly #routes: RouteFinder

  constructor(front: McpFront, routes: RouteFinder) {
    this.#front = front
    this.#routes = routes
  }

  /** False: that is for the SDK to answer. @throws TooBusyError */
  async answer(request: ListRequest, sent: Sent): Promise<boolean> {
    const asked = askedBy(request)
    const route = asked && (await this.#routes.find(sent, { method: 'tools/list', asked }))
    if (asked === undefined || route === undefined) return false
    await route.connection.catalogueKnown()
    const page = this.#page(route, asked)
    if (page === undefined || route.session?.transport.isUsed(asked.id) === true) return false
    route.session?.enter()
    whenClosed(sent.response, () => route.session?.leave())
    if (!sent.response.closed) this.#send(page, asked, route, sent)
    return true
  }

  /** Undefined: it is to be adapted to the era, or the cursor is none of ours. */
  #page({ connection, era }: Route, { cursor }: Asked): Page<ToolDefinition> | undefined {
    const { pageSize } = this.#front
    const tools = connection.tools(scopeOf(era))
    if (isAdapted(tools, era)) return undefined
    try {
      return keptPageOf('tools', tools, nameOf, cursor, pageSize)
    } catch (error) {
      if (error instanceof ProtocolError) return undefined
      throw error
    }
  }

  #send({ entries, nextCursor }: Page<ToolDefinition>, { id }: Asked, { era, session }: Route, sent: Sent): void {
    const hints = era === 'modern' ? cacheHints : {}
    const result = asOfEra(
      { ...hints, ...(nextCursor !== undefined && { nextCursor }) },
      resultFrame(era, this.#front.info),
    )
    const members = JSON.stringify(result).slice(1, -1)
    const before = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members}${members === '' ? '' : ','}"tools":`
    sendBytesWithin(sent.response, oneCharacterPerByte(before), bytesOf(entries), '}}', session?.id)
  }
}

function askedBy({ id, params = {} }: ListRequest): Asked | undefined {
  const { cursor, _meta: meta = {}, ...others } = params
  if (Object.keys(others).length > 0 || !isRecord(meta)) return undefined
  return cursor === undefined || typeof cursor === 'string' ? { id, cursor, meta } : undefined
}

const nameOf = ({ name }: ToolDefinition): string => name

/** Lists that legacy clients see otherwise: to them, structured content is an object. */
const adapted = new WeakMap<readonly ToolDefinition[], boolean>()

function isAdapted(tools: readonly ToolDefinition[], era: Era): boolean {
  if (era === 'modern') return false
  const known = adapted.get(tools)
  if (known !== undefined) return known
  const is = tools.some(({ outputSchema }) => isRecord(outputSchema) && outputSchema['type'] !== 'object')
  adapted.set(tools, is)
  return is
}

/** The first page of a list is the same array until the list changes. */
const pageBytes = new WeakMap<readonly ToolDefinition[], Buffer>()

function bytesOf(page: readonly ToolDefinition[]): Buffer {
  const known = pageBytes.get(page)
  if (known !== undefined) return known
  const bytes = Buffer.from(`[${page.map((entry) => entryTextOf(entry).text).join(',')}]`)
  pageBytes.set(page, bytes)
  return bytes
}
