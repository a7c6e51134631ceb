import type { CallId, Client } from '@callboard/protocol'
import type { ClientCapabilities, Result } from '@modelcontextprotocol/server'
import type { CallOutcome, Connection, TurnListener } from '../port.js'
import { type AgentRequest, argumentsHashOf } from './agent-request.js'
import { type ResultContext, toResult } from './agent-result.js'
import {
  askClient,
  InputFailure,
  type InputRequests,
  missingCapability,
  parseInputRequests,
  type SendToClient,
  unanswerable,
} from './input-requests.js'
import { inputRoundsMax } from './limits.js'
import type { CallSubject, SuspendedCalls } from './suspended-calls.js'

export interface InputContext {
  readonly suspended: SuspendedCalls
}

/** A call whose worker wants to know something of the client or its user. */
export interface AskingCall {
  readonly request: AgentRequest
  readonly client: Client
  /** What the client can do, in its own words. */
  readonly declared: ClientCapabilities
  readonly send: SendToClient
  /** Aborted when nobody waits for the call any more. */
  readonly signal: AbortSignal
  readonly turn: TurnListener
}

type InputRequired = Extract<CallOutcome, { kind: 'input_required' }>

/** Has the questions answered, all rounds of them, or hands them to a client that comes back. @throws InputFailure, ProtocolError */
export async function giveInput(
  call: AskingCall,
  first: InputRequired,
  context: ResultContext & InputContext,
): Promise<Result> {
  let outcome: CallOutcome = first
  for (let round = 0; outcome.kind === 'input_required'; round++) {
    const { id } = outcome
    try {
      if (round === inputRoundsMax) throw new InputFailure(`The worker asked more than ${inputRoundsMax} times`)
      const requests = parseInputRequests(outcome.body)
      const missing = unanswerable(requests, call.client, call.declared)[0]
      if (call.client.generation === 'modern') {
        if (missing !== undefined) throw missingCapability(missing)
        return suspend(call, id, requests, context)
      }
      if (missing !== undefined) throw new InputFailure(missingCapability(missing).message)
      // The client is asked while its request stays open.
      const responses = await askClient(requests, call.send, call.signal)
      outcome = await context.connection.resume(id, answers(responses), call.turn)
    } catch (error) {
      context.connection.abandon(id)
      throw error
    }
  }
  return toResult(outcome, call.request, context)
}

/** By whom, and for what: a retry that brings input must be the same. */
export function subjectOf(request: AgentRequest, { identity }: Connection): CallSubject {
  return { principal: identity.principal, method: request.method, argumentsHash: argumentsHashOf(request) }
}

/** The body of a call that goes on. */
export function answers(inputResponses: Record<string, unknown> | undefined): Buffer {
  return Buffer.from(JSON.stringify({ inputResponses: inputResponses ?? {} }))
}

/** The client comes back with the input in a request of its own. */
function suspend(
  { request }: AskingCall,
  id: CallId,
  requests: InputRequests,
  { connection, suspended }: ResultContext & InputContext,
): Result {
  const inputRequests = Object.fromEntries([...requests].map(([key, { kind: _, ...asked }]) => [key, asked]))
  const abandon = () => connection.abandon(id)
  const requestState = suspended.suspend({ id, subject: subjectOf(request, connection), abandon })
  return { resultType: 'input_required', inputRequests, requestState }
}
