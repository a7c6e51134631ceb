import { type Caller, type CallId, deadlineMsMax, encodedOnce } from '@callboard/protocol'
import type { Identity } from '../port.js'
import type { Call } from './calls.js'
import type { Definition } from './definition.js'
import type { CallWish } from './events.js'

/** Who all calls of a connection are for: made once, and encoded once for all of them. */
export function agentCaller({ session, principal, roles, group, run }: Identity): Caller {
  return encodedOnce({
    session,
    principal,
    roles: [...roles],
    ...(group === undefined ? {} : { group }),
    depth: 0,
    ...(run === undefined ? {} : { run: { ...run } }),
  })
}

/** What an agent asked for, as a call that nobody has yet. */
export function agentCall(
  id: CallId,
  { caller, services }: Pick<Call, 'caller' | 'services'>,
  definition: Definition,
  wish: CallWish,
  now: number,
): Call {
  return {
    id,
    origin: fromAgent,
    definition,
    method: wish.method,
    workerName: wish.method === 'resources/read' ? wish.name : definition.workerKey,
    body: wish.body,
    caller,
    services,
    client: wish.client,
    idempotencyKey: wish.idempotencyKey ?? id,
    traceparent: wish.traceparent,
    tracestate: wish.tracestate,
    startedAt: now,
    deadline: now + Math.min(wish.timeoutMs ?? definition.timeoutMs, definition.timeoutMs, deadlineMsMax),
    state: { kind: 'queued' },
    attempts: 0,
    wasChosen: false,
    mayHaveRun: false,
    children: undefined,
  }
}

const fromAgent = { kind: 'agent' } as const
