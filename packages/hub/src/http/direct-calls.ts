import type { ServerResponse } from 'node:http'
import type { RequestId } from '@modelcontextprotocol/server'
import type { CallWish } from '../broker/events.js'
import { failed } from '../mcp/agent-result.js'
import type { DirectEnvelope } from '../mcp/direct-envelope.js'
import { type DirectRequest, readDirectRequest, wishOf } from '../mcp/direct-request.js'
import { asOfEra, mayPass, type ResultFrame, resultFrame } from '../mcp/direct-result.js'
import { isDirectTool } from '../mcp/direct-tool.js'
import type { McpFront } from '../mcp/mcp-server.js'
import type { CallOutcome, Connection } from '../port.js'
import { sendBytesWithin, sendRpcError } from './answers.js'
import { BegunCall, type CallKeeper } from './begun-call.js'
import { type CallEnd, callEndError } from './call-end.js'
import type { Route, RouteFinder, Sent } from './direct-route.js'
import type { Rest } from './direct-way.js'
import { whenClosed } from './exchange.js'
import { mirrorsArguments } from './mirrored-arguments.js'
import { Patience } from './patience.js'
import type { DirectEnd } from './session-transport.js'

const nothing: Rest = { kind: 'nothing' }
const all: Rest = { kind: 'all' }

export interface DirectCallsOptions {
  readonly front: McpFront
  readonly routes: RouteFinder
  /** How long a client that reads streams waits for one to begin. */
  readonly patienceMs: number
}

/** `id`: with one character for each byte. */
export interface CallEnvelope extends DirectEnvelope {
  /** The id; absent: its text is ASCII, and says it. */
  readonly value?: RequestId
}

/**
 * Plain tool calls, from the bytes of a request to the bytes of its answer: the SDK does not see them. That is for as long as nothing but the
 * answer is to be told, and for no longer than a client should wait in silence; then the SDK has them, as it has all others from the beginning.
 */
export class DirectCalls {
  readonly #options: DirectCallsOptions
  readonly #patience: Patience
  readonly #frames: { readonly [era in Route['era']]: ResultFrame }

  constructor(options: DirectCallsOptions) {
    this.#options = options
    this.#patience = new Patience(options.patienceMs)
    const { info } = options.front
    this.#frames = { legacy: resultFrame('legacy', info), modern: resultFrame('modern', info) }
  }

  /** Answers, or says what is left to do. @throws TooBusyError */
  answer(envelope: CallEnvelope, sent: Sent): Rest | Promise<Rest> {
    const asked = readDirectRequest(envelope.params)
    if (asked === undefined) return all
    const found = this.#options.routes.find(sent, { method: 'tools/call', asked })
    if (!(found instanceof Promise)) return this.#answerOn(found, asked, envelope, sent)
    return found.then((route) => this.#answerOn(route, asked, envelope, sent))
  }

  #answerOn(route: Route | undefined, asked: DirectRequest, envelope: CallEnvelope, sent: Sent): Rest | Promise<Rest> {
    if (route === undefined || !isPlainTool(asked.name, route)) return all
    if (sent.response.closed) return nothing
    return this.#call(envelope, asked, route, sent)
  }

  async #call(envelope: CallEnvelope, asked: DirectRequest, route: Route, sent: Sent): Promise<Rest> {
    const { session } = route
    const { response, form } = sent
    const id = envelope.value ?? idIn(envelope.id)
    const open = new OpenCall(id, session, response)
    if (!open.claim()) return all
    const listening = asked.progressToken === undefined ? route.agent.quiet : route.agent.wantsProgress
    const client = form === 'json' ? route.agent.deaf : listening
    const begun = open.begin(route.connection, wishOf(asked, client))
    const outcome = await begun.first(form === 'stream' ? this.#patience : undefined)
    if (response.closed) return nothing
    if (open.ended !== undefined) return sendEnd(open.ended, id, route, sent)
    if (outcome !== undefined && this.#send(outcome, envelope.id, asked, route, sent)) return nothing
    open.release()
    return { kind: 'all', begun }
  }

  /** False: that takes more than bytes around bytes. */
  #send(outcome: CallOutcome, id: string, asked: DirectRequest, route: Route, { response }: Sent): boolean {
    const { session, connection, era } = route
    const frame = this.#frames[era]
    if (outcome.kind === 'failure') {
      const result = JSON.stringify(asOfEra(failed(outcome.failure, asked, { connection }), frame))
      sendBytesWithin(response, `{"jsonrpc":"2.0","id":${id},"result":`, Buffer.from(result), '}', session?.id)
      return true
    }
    if (outcome.kind !== 'result') return false
    const bytes = bufferOf(outcome.body)
    if (!mayPass(bytes, outcome.trusted)) return false
    const before = `{"jsonrpc":"2.0","id":${id},"result":${frame.before}`
    sendBytesWithin(response, before, frame.skipped === 0 ? bytes : bytes.subarray(frame.skipped), '}', session?.id)
    return true
  }
}

/** From its beginning to its answer, or until the SDK has it. */
class OpenCall implements DirectEnd, CallKeeper {
  /** Why there will be no outcome. */
  ended: CallEnd | undefined
  readonly #id: RequestId
  readonly #session: Route['session']
  readonly #response: ServerResponse
  #begun: BegunCall | undefined

  constructor(id: RequestId, session: Route['session'], response: ServerResponse) {
    this.ended = undefined
    this.#id = id
    this.#session = session
    this.#response = response
    this.#begun = undefined
  }

  /** False: the id is in use. */
  claim(): boolean {
    if (this.#session === undefined) return true
    if (!this.#session.transport.claimDirect(this.#id, this)) return false
    this.#session.enter()
    return true
  }

  begin(connection: Connection, wish: CallWish): BegunCall {
    const begun = new BegunCall(connection, wish, this)
    this.#begun = begun
    whenClosed(this.#response, () => this.#closed(begun))
    return begun
  }

  end(how: CallEnd): void {
    this.ended = how
    this.#begun?.cancel()
  }

  release(): void {
    this.#session?.transport.releaseDirect(this.#id, this)
  }

  #closed(begun: BegunCall): void {
    this.#session?.leave()
    if (this.#response.writableFinished) return
    // Whoever has a session may still be there, and the call goes on.
    if (this.#session === undefined) begun.cancelAlone()
    else begun.leave()
  }
}

/** Of an id that needs no escapes. */
function idIn(id: string): RequestId {
  return id.startsWith('"') ? id.slice(1, -1) : Number(id)
}

function bufferOf(body: Uint8Array): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

function sendEnd(end: CallEnd, id: RequestId, { session }: Route, { response }: Sent): Rest {
  sendRpcError(response, { ...callEndError(end, id), headers: headersFor(session) })
  return nothing
}

function headersFor(session: Route['session']): Record<string, string> {
  return session === undefined ? {} : { 'mcp-session-id': session.id }
}

function isPlainTool(name: string, { connection, era }: Route): boolean {
  const tool = connection.tool(name)
  if (tool === undefined || !isDirectTool(tool.definition)) return false
  return era === 'legacy' || !mirrorsArguments(tool.definition)
}
