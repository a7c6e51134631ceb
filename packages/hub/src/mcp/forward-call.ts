import type { Client } from '@callboard/protocol'
import type { Result, ServerContext } from '@modelcontextprotocol/server'
import type { CallOutcome, TurnListener } from '../port.js'
import type { AgentRequest } from './agent-request.js'
import { failed, type ResultContext, toResult } from './agent-result.js'
import { CallListener } from './call-listener.js'
import { declaredCapabilities } from './client-descriptor.js'
import { type AskingCall, answers, giveInput, type InputContext, subjectOf } from './give-input.js'
import { handedOver } from './handed-over.js'
import { withoutHubFault } from './hub-fault.js'
import { InputFailure } from './input-requests.js'

export type CallContext = ResultContext & InputContext

/** Takes one request of an agent to a worker and its outcome back, with all that happens on the way. */
export async function forwardCall(
  request: AgentRequest,
  client: Client,
  ctx: ServerContext,
  context: CallContext,
): Promise<Result> {
  const state = ctx.mcpReq.requestState()
  const listener = new CallListener(ctx, request.progressToken)
  const call = { request, client, ctx, listener, abort: new AbortController() }
  const { connection } = context
  if (state === undefined) {
    const { progressToken: _, ...routed } = request
    const begun = handedOver(ctx.http?.req)
    return settle(
      call,
      context,
      () => begun?.adopt(turnOf(call)) ?? connection.call({ ...routed, client, ...turnOf(call) }),
    )
  }
  const { id } = context.suspended.redeem(state, subjectOf(request, connection))
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

function asking(call: RunningCall, { server }: CallContext): AskingCall {
  const { request, client, ctx, abort } = call
  const declared = declaredCapabilities(client.generation, server, ctx) ?? {}
  return { request, client, declared, send: ctx.mcpReq.send, signal: abort.signal, turn: turnOf(call) }
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
      ? await giveInput(asking(call, context), outcome, context)
      : toResult(outcome, request, context)
  } catch (error) {
    if (error instanceof InputFailure) {
      return failed({ code: 'cancelled', message: error.message, retryable: false }, request, context)
    }
    throw withoutHubFault(error, request, context.log)
  } finally {
    listener.close()
    ctx.mcpReq.signal.removeEventListener('abort', onAbort)
  }
}
