import { TransientMap } from '@callboard/protocol'
import type { RequestId, Result } from '@modelcontextprotocol/server'
import type { Connection } from '../port.js'
import type { DirectAgent } from './direct-agent.js'
import { DirectCall, type DirectWire } from './direct-call.js'
import { directEnvelope } from './direct-envelope.js'
import { readDirectRequest } from './direct-request.js'
import { asOfEra, type ResultFrame, resultFrame } from './direct-result.js'
import { isDirectTool } from './direct-tool.js'
import type { McpFront } from './mcp-server.js'
import type { NdjsonTransport } from './ndjson-transport.js'

export interface DirectCallsOptions {
  readonly front: McpFront
  readonly connection: Connection
  readonly transport: NdjsonTransport
  /** Who is at the other end; undefined as long as the SDK has to find that out. */
  readonly agent: () => DirectAgent | undefined
}

/**
 * Plain tool calls of one agent, from its line to the broker and back: the SDK does not see them. Whatever is not plain it does not take,
 * and the SDK answers it.
 */
export class DirectCalls {
  readonly #options: DirectCallsOptions
  /** By the text of the request's id. */
  readonly #open = new TransientMap<string, DirectCall>()

  constructor(options: DirectCallsOptions) {
    this.#options = options
  }

  /** False: it is somebody else's. */
  take(line: Buffer): boolean {
    const { front, connection, transport, agent: find } = this.#options
    const agent = find()
    const envelope = agent && directEnvelope(line)
    if (agent === undefined || envelope === undefined || this.#open.has(envelope.id)) return false
    const request = readDirectRequest(envelope.params)
    if (request === undefined) return false
    const tool = connection.tool(request.name)
    const described = agent.describe(request)
    if (tool === undefined || described === undefined || !isDirectTool(tool.definition)) return false
    const { log, suspended } = front
    const wire = new LineWire(envelope.id, transport, resultFrame(agent.era, front.info), this.#open)
    const call = new DirectCall(request, described, { connection, server: agent.server, log, suspended }, wire)
    this.#open.set(envelope.id, call)
    transport.expect(wire.id)
    call.begin()
    return true
  }

  /** The agent wants no answer any more. False: the call is none of these. */
  cancel(id: unknown): boolean {
    const text = JSON.stringify(id)
    const call = this.#open.get(text)
    this.#open.delete(text)
    call?.cancel()
    return call !== undefined
  }
}

/** Writes the answer to one request. */
class LineWire implements DirectWire {
  readonly id: RequestId
  readonly #text: string
  readonly #transport: NdjsonTransport
  readonly #frame: ResultFrame
  readonly #open: TransientMap<string, DirectCall>

  constructor(text: string, transport: NdjsonTransport, frame: ResultFrame, open: TransientMap<string, DirectCall>) {
    this.id = text.startsWith('"') ? text.slice(1, -1) : Number(text)
    this.#text = text
    this.#transport = transport
    this.#frame = frame
    this.#open = open
  }

  pass(body: Buffer): void {
    this.#open.delete(this.#text)
    const { before, skipped } = this.#frame
    const head = `{"jsonrpc":"2.0","id":${this.#text},"result":${before}`
    this.#transport.answer(this.id, head, skipped === 0 ? body : body.subarray(skipped))
  }

  answer(result: Result): void {
    this.#line(`"result":${JSON.stringify(asOfEra(result, this.#frame))}`)
  }

  refuse(error: object): void {
    this.#line(`"error":${JSON.stringify(error)}`)
  }

  notify(method: string, params: object): void {
    this.#transport.sendLine(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  #line(member: string): void {
    this.#open.delete(this.#text)
    this.#transport.sendLine(`{"jsonrpc":"2.0","id":${this.#text},${member}}`, this.id)
  }
}
