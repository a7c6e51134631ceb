import type { CallId, Client } from '@callboard/protocol'
import { ProtocolError, type Result, type ServerContext } from '@modelcontextprotocol/server'
import type { CallOutcome, TurnListener } from '../port.js'
import type { AgentRequest } from './agent-request.js'
import { failed, type ResultContext, toResult } from './agent-result.js'
import { CallListener } from './call-listener.js'
import { declaredCapabilities } from './client-descriptor.js'
import {
  askClient,
  InputFailure,
  type InputRequests,
  missingCapability,
  parseInputRequests,
  unanswerable,
} from './input-requests.js'
import { internalError } from './json-rpc.js'
import { inputRoundsMax } from './limits.js'
import type { SuspendedCalls } from './suspended-calls.js'

export interface CallContext extends ResultContext {
  readonly suspended: SuspendedCalls
}

/** Takes one request of an agent to a worker and its outcome back, with all that happens on the way. */
export async function forwardCall(
  request: AgentRequest,
  client: Client,
  ctx: ServerContext,
  context: CallContext,
): Promise<Result> {
  const subject = { principal: context.connection.identity.principal, ...request }
  const state = ctx.mcpReq.requestState()
  const listener = new CallListener(ctx, request.progressToken)
  const call = { request, client, ctx, listener, abort: new AbortController() }
  const { connection } = context
  if (state === undefined) {
    const { progressToken: _, argumentsHash: __, ...routed } = request
    return settle(call, context, () => connection.call({ ...routed, client, ...turnOf(call) }))
  }
  const { id } = context.suspended.redeem(state, subject)
  const input = answers(ctx.mcpReq.inputResponses)
  return settle(call, context, () => connection.resume(id, input, { client, ...turnOf(call) }))
}

/** One request of an agent; a modern client comes back with input in another one. */
interface RunningCall {
  readonly request: AgentRequest
  readonly client: Client
  readonly ctx: ServerContext
  readonly listener: CallListener
  readonly abort: AbortController
}

function turnOf({ client, listener, abort }: RunningCall): TurnListener {
  return {
    signal: abort.signal,
    ...(client.progress && { onProgress: listener.progress }),
    ...(client.logLevel !== undefined && { onLog: listener.logged }),
  }
}

/** The request's own signal holds only while the request is open: its end must not end a call that waits for input. */
async function settle(call: RunningCall, context: CallContext, begin: () => Promise<CallOutcome>): Promise<Result> {
  const { request, ctx, listener, abort } = call
  const onAbort = () => abort.abort(ctx.mcpReq.signal.reason)
  ctx.mcpReq.signal.addEventListener('abort', onAbort, { once: true })
  if (ctx.mcpReq.signal.aborted) onAbort()
  try {
    const outcome = await begin()
    await listener.heard()
    return outcome.kind === 'input_required'
      ? await giveInput(call, outcome, context)
      : toResult(outcome, request, context)
  } catch (error) {
    if (error instanceof InputFailure) {
      return failed({ code: 'cancelled', message: error.message, retryable: false }, request, context)
    }
    throw error instanceof ProtocolError ? error : ourFault(error, request, context)
  } finally {
    listener.close()
    ctx.mcpReq.signal.removeEventListener('abort', onAbort)
  }
}

type InputRequired = Extract<CallOutcome, { kind: 'input_required' }>

async function giveInput(call: RunningCall, first: InputRequired, context: CallContext): Promise<Result> {
  let outcome: CallOutcome = first
  for (let round = 0; outcome.kind === 'input_required'; round++) {
    const { id } = outcome
    try {
      if (round === inputRoundsMax) throw new InputFailure(`The worker asked more than ${inputRoundsMax} times`)
      const requests = parseInputRequests(outcome.body)
      const declared = declaredCapabilities(call.client.generation, context.server, call.ctx) ?? {}
      const missing = unanswerable(requests, call.client, declared)[0]
      if (call.client.generation === 'modern') {
        if (missing !== undefined) throw missingCapability(missing)
        return suspend(call, id, requests, context)
      }
      if (missing !== undefined) throw new InputFailure(missingCapability(missing).message)
      // The client is asked while its request stays open.
      const responses = await askClient(requests, call.ctx, call.abort.signal)
      outcome = await context.connection.resume(id, answers(responses), turnOf(call))
    } catch (error) {
      context.connection.abandon(id)
      throw error
    }
  }
  return toResult(outcome, call.request, context)
}

/** The client comes back with the input in a request of its own. */
function suspend({ request }: RunningCall, id: CallId, requests: InputRequests, context: CallContext): Result {
  const { method, argumentsHash } = request
  const subject = { principal: context.connection.identity.principal, method, argumentsHash }
  const inputRequests = Object.fromEntries([...requests].map(([key, { kind: _, ...asked }]) => [key, asked]))
  const abandon = () => context.connection.abandon(id)
  return {
    resultType: 'input_required',
    inputRequests,
    requestState: context.suspended.suspend({ id, subject, abandon }),
  }
}

function answers(inputResponses: Record<string, unknown> | undefined): Buffer {
  return Buffer.from(JSON.stringify({ inputResponses: inputResponses ?? {} }))
}

/** Logged whole; the agent learns no more than that it was us. */
function ourFault(error: unknown, request: AgentRequest, context: CallContext): ProtocolError {
  context.log.error({ err: error, method: request.method, name: request.name }, 'a call failed inside the hub')
  return new ProtocolError(internalError, 'Internal error')
}
