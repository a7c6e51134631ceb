import type { IncomingMessage, ServerResponse } from 'node:http'
import { nearestName } from '@callboard/protocol/nearest-name'
import { ProtocolError } from '@modelcontextprotocol/server'
import { isDeeper } from '../broker/definition.js'
import { type AgentRequest, parseAgentRequest } from '../mcp/agent-request.js'
import { isRecord } from '../mcp/json-rpc.js'
import { depthMax } from '../mcp/limits.js'
import type { McpFront } from '../mcp/mcp-server.js'
import { idempotencyKeyMeta } from '../mcp/reserved-meta.js'
import type { CallOutcome, Connection, Identity } from '../port.js'
import { bodyTooLarge, type HttpError, sendFacadeError, sendJson, sendJsonText } from './answers.js'
import { whenClosed } from './exchange.js'
import { type ContractNames, contractNamesOf } from './facade-names.js'
import { facadeAnswer } from './facade-result.js'
import { facadeBytesMax } from './limits.js'
import { type BodyReader, parseJsonBody, type Read } from './request-body.js'
import type { SharedConnections } from './shared-connections.js'

export interface FacadeParts {
  readonly front: McpFront
  readonly shared: SharedConnections
  readonly bodies: BodyReader
}

/** Nobody can be asked or told anything in the middle of a plain HTTP request. */
const client = { generation: 'legacy', input: [], progress: false } as const

/** The tools as plain HTTP: one request, one JSON object. Its shapes are those of QualCoder's MCP API. */
export class Facade {
  readonly #parts: FacadeParts

  constructor(parts: FacadeParts) {
    this.#parts = parts
  }

  /** `GET /` */
  info(response: ServerResponse, caller: Identity): void {
    const { name, version } = this.#parts.front.info
    const services = this.#connectionFor(caller, response).services()
    sendJson(response, 200, {
      name,
      version,
      mcp_endpoint: 'POST /mcp',
      tools_endpoint: 'GET /tools',
      workers: Object.fromEntries(services.map(({ service, state }) => [service, state])),
      hint: services.length === 0 ? hintFor(caller) : undefined,
    })
  }

  /** `GET /tools` */
  async tools(response: ServerResponse, caller: Identity): Promise<void> {
    const connection = this.#connectionFor(caller, response)
    await connection.catalogueKnown()
    sendJsonText(response, 200, listTextOf(contractNamesOf(connection)))
  }

  /** `POST /tools/{name}` */
  async call(request: IncomingMessage, response: ServerResponse, caller: Identity, name: string): Promise<void> {
    const read = await this.#read(request, response)
    if (read.kind === 'refused') return sendFacadeError(response, read.error)
    const connection = this.#connectionFor(caller, response)
    await connection.catalogueKnown()
    const parsed = parseCall(contractNamesOf(connection).get(name)?.name ?? name, read.value, request)
    if (parsed.kind === 'refused') return sendFacadeError(response, parsed.error)
    const outcome = await this.#run(parsed.value, connection, response)
    if (outcome.kind === 'unknown') return sendFacadeError(response, unknownTool(name, connection))
    const answer = facadeAnswer(outcome)
    sendJson(response, answer.status, answer.body, answer.headers)
  }

  async #run(request: AgentRequest, connection: Connection, response: ServerResponse): Promise<CallOutcome> {
    const { progressToken: _, ...call } = request
    const abort = new AbortController()
    whenClosed(response, () => abort.abort())
    const outcome = await connection.call({ ...call, client, signal: abort.signal })
    if (outcome.kind === 'input_required') connection.abandon(outcome.id)
    return outcome
  }

  async #read(request: IncomingMessage, response: ServerResponse): Promise<Read<Record<string, unknown> | undefined>> {
    const read = await this.#parts.bodies.read(request, response, facadeBytesMax)
    if (read.kind === 'refused') return read
    if (read.value.length === 0) return { kind: 'read', value: undefined }
    const parsed = parseJsonBody(read.value)
    return parsed.kind === 'refused' ? parsed : argumentsIn(parsed.value)
  }

  #connectionFor(caller: Identity, response: ServerResponse): Connection {
    const lease = this.#parts.shared.acquire(listingAll(caller))
    whenClosed(response, () => lease.release())
    return lease.connection
  }
}

/** To whom only some services exist, those of `http.open`, has shown no token, and what is hidden from it looks like nothing. */
function hintFor({ services }: Identity): string | undefined {
  if (services === undefined) return undefined
  return `without a token only the services of http.open exist (${services.join(', ')}: none signed in); send "Authorization: Bearer …" with what "callboard token show" prints, or add a service to http.open`
}

/** Its callers are programs that know their tools, and not models that search for some. */
function listingAll(caller: Identity): Identity {
  return caller.view === undefined ? caller : { ...caller, view: { ...caller.view, mode: 'all' } }
}

/** Written once for as long as nothing changes: whoever asks again and again costs little. */
const listTexts = new WeakMap<ContractNames, string>()

function listTextOf(names: ContractNames): string {
  const known = listTexts.get(names)
  if (known !== undefined) return known
  const tools = [...names].map(([name, tool]) => {
    const { description, inputSchema, outputSchema, annotations } = tool
    return { name, description, inputSchema, outputSchema, annotations }
  })
  const text = JSON.stringify({ tools })
  listTexts.set(names, text)
  return text
}

/** What a body holds beside "arguments" is passed over, but arguments without that key must not get lost in silence. */
function argumentsIn(body: unknown): Read<Record<string, unknown> | undefined> {
  if (!isRecord(body)) return invalid('the body must be an object like {"arguments": {}}')
  if (isDeeper(body, depthMax)) return invalid(`nested deeper than ${depthMax} levels`)
  const keys = Object.keys(body)
  if (keys.length > 0 && !keys.includes('arguments')) {
    return invalid(`the arguments belong under the key "arguments", and there is only ${keys.slice(0, 8).join(', ')}`)
  }
  const given = body['arguments']
  if (given !== undefined && !isRecord(given)) return invalid('"arguments" must be an object')
  return { kind: 'read', value: given }
}

function parseCall(name: string, given: object | undefined, { headers }: IncomingMessage): Read<AgentRequest> {
  const key = headers['idempotency-key']
  const params = {
    name,
    arguments: given ?? {},
    ...(key !== undefined && { _meta: { [idempotencyKeyMeta]: key } }),
  }
  try {
    return { kind: 'read', value: parseAgentRequest({ method: 'tools/call', params }) }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    // The body may keep its bound and the params, which name the tool, not.
    const isTooLarge = Buffer.byteLength(JSON.stringify(params)) > facadeBytesMax
    if (isTooLarge) return { kind: 'refused', error: bodyTooLarge(facadeBytesMax) }
    return { kind: 'refused', error: { status: 400, code: 'INVALID_REQUEST', message: error.message } }
  }
}

/** Hints are from what this caller sees, so that a hidden name stays hidden. */
function unknownTool(name: string, connection: Connection): HttpError {
  const nearest = nearestName(name, [...contractNamesOf(connection).keys()])
  return {
    status: 404,
    code: 'TOOL_NOT_FOUND',
    message: `Unknown tool: ${name}`,
    ...(nearest !== undefined && { suggestions: [`Did you mean ${nearest}?`] }),
  }
}

function invalid(why: string): Read<never> {
  return { kind: 'refused', error: { status: 400, code: 'INVALID_REQUEST', message: `Invalid request: ${why}` } }
}
