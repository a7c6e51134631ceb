import type { CallId, Client } from '@callboard/protocol'
import { ProtocolError, type Result, type ServerContext } from '@modelcontextprotocol/server'
import type { CallListeners, CallOutcome } from '../port.js'
import type { AgentRequest } from './agent-request.js'
import { failed, type ResultContext, toResult } from './agent-result.js'
import { CallListener } from './call-listener.js'
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
  if (state === undefined) return startCall(request, client, ctx, context)
  const { id, listener } = context.suspended.redeem(state, subject)
  const abort = new AbortController()
  const call = { request, client, ctx, listener, abort }
  return settle(call, context, () => resume(call, id, ctx.mcpReq.inputResponses, context))
}

interface RunningCall {
  readonly request: AgentRequest
  readonly client: Client
  readonly ctx: ServerContext
  readonly listener: CallListener
  /** Of this request: a modern client comes back with input in another one. */
  readonly abort: AbortController
}

function startCall(request: AgentRequest, client: Client, ctx: ServerContext, context: CallContext): Promise<Result> {
  const { progressToken: _, argumentsHash: __, ...routed } = request
  const listener = new CallListener()
  const abort = new AbortController()
  const call = { request, client, ctx, listener, abort }
  return settle(call, context, () =>
    context.connection.call({
      ...routed,
      client,
      signal: abort.signal,
      ...listening(call),
    }),
  )
}

/** The request's own signal holds only while the request is open: its end must not end a call that waits for input. */
async function settle(call: RunningCall, context: CallContext, begin: () => Promise<CallOutcome>): Promise<Result> {
  const { request, ctx, listener, abort } = call
  const onAbort = () => abort.abort(ctx.mcpReq.signal.reason)
  ctx.mcpReq.signal.addEventListener('abort', onAbort, { once: true })
  if (ctx.mcpReq.signal.aborted) onAbort()
  listener.attach(ctx, request.progressToken)
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
    listener.detach()
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
      if (call.client.generation === 'modern') return suspend(call, id, requests, context)
      const responses = await askLegacy(call, requests)
      outcome = await resume(call, id, responses, context)
    } catch (error) {
      context.connection.abandon(id)
      throw error
    }
  }
  return toResult(outcome, call.request, context)
}

/** The client comes back with the input in a request of its own. */
function suspend(
  { request, client, listener }: RunningCall,
  id: CallId,
  requests: InputRequests,
  context: CallContext,
): Result {
  const missing = unanswerable(requests, client)[0]
  if (missing !== undefined) throw missingCapability(missing)
  const { method, argumentsHash } = request
  const subject = { principal: context.connection.identity.principal, method, argumentsHash }
  const inputRequests = Object.fromEntries([...requests].map(([key, { kind: _, ...asked }]) => [key, asked]))
  const abandon = () => context.connection.abandon(id)
  return {
    resultType: 'input_required',
    inputRequests,
    requestState: context.suspended.suspend({ id, subject, listener, abandon }),
  }
}

/** The client is asked while its request stays open. */
function askLegacy({ client, ctx, abort }: RunningCall, requests: InputRequests): Promise<Record<string, unknown>> {
  const missing = unanswerable(requests, client)[0]
  if (missing !== undefined) throw new InputFailure(missingCapability(missing).message)
  return askClient(requests, ctx, abort.signal)
}

function resume(
  call: RunningCall,
  id: CallId,
  inputResponses: Record<string, unknown> | undefined,
  context: CallContext,
): Promise<CallOutcome> {
  const body = Buffer.from(JSON.stringify({ inputResponses: inputResponses ?? {} }))
  return context.connection.resume(id, body, call.abort.signal, listening(call))
}

/** What this client wants to hear of its call. */
function listening({ client, listener }: RunningCall): CallListeners {
  return {
    ...(client.progress && { onProgress: listener.progress }),
    ...(client.logLevel !== undefined && { onLog: listener.logged }),
  }
}

/** Logged whole; the agent learns no more than that it was us. */
function ourFault(error: unknown, request: AgentRequest, context: CallContext): ProtocolError {
  context.log.error({ err: error, method: request.method, name: request.name }, 'a call failed inside the hub')
  return new ProtocolError(internalError, 'Internal error')
}
