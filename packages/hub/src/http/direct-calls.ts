import type { RequestId } from '@modelcontextprotocol/server'
import { failed } from '../mcp/agent-result.js'
import type { DirectEnvelope } from '../mcp/direct-envelope.js'
import { type DirectRequest, readDirectRequest, wishOf } from '../mcp/direct-request.js'
import { asOfEra, mayPass, type ResultFrame, resultFrame } from '../mcp/direct-result.js'
import { isDirectTool } from '../mcp/direct-tool.js'
import type { McpFront } from '../mcp/mcp-server.js'
import type { CallOutcome } from '../port.js'
import { sendBytesWithin, sendRpcError } from './answers.js'
import { BegunCall } from './begun-call.js'
import { type CallEnd, callEndError } from './call-end.js'
import type { Route, RouteFinder, Sent } from './direct-route.js'
import type { Rest } from './direct-way.js'
import { whenClosed } from './exchange.js'
import { mirrorsArguments } from './mirrored-arguments.js'

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
  readonly #frames: { readonly [era in Route['era']]: ResultFrame }

  constructor(options: DirectCallsOptions) {
    this.#options = options
    const { info } = options.front
    this.#frames = { legacy: resultFrame('legacy', info), modern: resultFrame('modern', info) }
  }

  /** Answers, or says what is left to do. @throws TooBusyError */
  async answer(envelope: CallEnvelope, sent: Sent): Promise<Rest> {
    const asked = readDirectRequest(envelope.params)
    if (asked === undefined) return all
    const found = this.#options.routes.find(sent, { method: 'tools/call', asked })
    const route = found instanceof Promise ? await found : found
    if (route === undefined || !isPlainTool(asked.name, route)) return all
    if (sent.response.closed) return nothing
    return this.#call(envelope, asked, route, sent)
  }

  async #call(envelope: CallEnvelope, asked: DirectRequest, route: Route, sent: Sent): Promise<Rest> {
    const { session } = route
    const { response, form } = sent
    const { value: id = JSON.parse(envelope.id) as RequestId } = envelope
    let ended: CallEnd | undefined
    const end = (how: CallEnd) => {
      ended = how
      begun.cancel()
    }
    if (session !== undefined && !session.transport.claimDirect(id, end)) return all
    session?.enter()
    const listening = asked.progressToken === undefined ? route.agent.quiet : route.agent.wantsProgress
    const client = form === 'json' ? route.agent.deaf : listening
    const release = () => session?.transport.releaseDirect(id, end)
    const begun = new BegunCall(route.connection, wishOf(asked, client), release)
    whenClosed(response, () => {
      session?.leave()
      if (response.writableFinished) return
      // Whoever has a session may still be there, and the call goes on.
      if (session === undefined) begun.cancelAlone()
      else begun.leave()
    })
    const outcome = await begun.first(form === 'stream' ? this.#options.patienceMs : undefined)
    if (response.closed) return nothing
    if (ended !== undefined) return sendEnd(ended, id, route, sent)
    if (outcome !== undefined && this.#send(outcome, envelope.id, asked, route, sent)) return nothing
    release()
    return { kind: 'all', begun }
  }

  /** False: that takes more than bytes around bytes. */
  #send(outcome: CallOutcome, id: string, asked: DirectRequest, route: Route, { response }: Sent): boolean {
    const { session, connection, era } = route
    const frame = this.#frames[era]
    const headers = headersFor(session)
    if (outcome.kind === 'failure') {
      const result = JSON.stringify(asOfEra(failed(outcome.failure, asked, { connection }), frame))
      sendBytesWithin(response, `{"jsonrpc":"2.0","id":${id},"result":`, Buffer.from(result), '}', headers)
      return true
    }
    if (outcome.kind !== 'result') return false
    const bytes = Buffer.from(outcome.body.buffer, outcome.body.byteOffset, outcome.body.byteLength)
    if (!mayPass(bytes, outcome.trusted)) return false
    const before = `{"jsonrpc":"2.0","id":${id},"result":${frame.before}`
    sendBytesWithin(response, before, bytes.subarray(frame.skipped), '}', headers)
    return true
  }
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
