import type { Caller, CallId, Client, WorkerMethod } from '@callboard/protocol'
import type { AuditMode } from '../policy/rule.js'
import type { CallOutcome } from '../port.js'
import { nameOf } from './call-endings.js'
import type { Call } from './calls.js'
import type { Definition } from './definition.js'
import type { CallWish } from './events.js'
import type { WorkerPeer } from './peers.js'
import type { OutcomeName } from './service-statistics.js'
import type { BrokerState } from './state.js'
import { viewerOf } from './viewer-lists.js'

/** A call that has ended, for a journal. */
export interface CallRecord {
  readonly id: CallId
  readonly method: WorkerMethod
  /** Empty: there is no such tool, or not for this caller. */
  readonly service: string
  /** The name or URI that was asked for. */
  readonly tool: string
  /** As {@link Call.body}. */
  readonly body: Uint8Array
  readonly caller: Caller
  readonly client: 'legacy' | 'modern'
  readonly outcome: OutcomeName
  readonly isError: boolean
  readonly durationMs: number
  /** The instance that had it at last. */
  readonly worker: string | undefined
  /** By the name of which key that worker signed in. */
  readonly key: string | undefined
  readonly parent: CallId | undefined
  /** What the policy says of its arguments; undefined: nothing. */
  readonly audit: AuditMode | undefined
  /** Only operators see the tool: to call it is to decide. */
  readonly decides: boolean
}

/** `lostWith`: the worker that had it, where that is gone already. */
export function callRecord(call: Call, outcome: CallOutcome, state: BrokerState, lostWith?: WorkerPeer): CallRecord {
  const { definition, origin } = call
  const worker = lostWith ?? (call.state.kind === 'queued' ? undefined : state.peers.worker(call.state.peer))
  return {
    id: call.id,
    method: call.method,
    service: definition.service,
    tool: call.method === 'resources/read' ? call.workerName : definition.key,
    body: call.body,
    caller: call.caller,
    client: call.client.generation,
    outcome: nameOf(outcome),
    isError: outcome.kind !== 'result' || outcome.isError,
    durationMs: state.now - call.startedAt,
    worker: worker?.instance,
    key: worker?.key,
    parent: origin.kind === 'worker' ? origin.parent : undefined,
    audit: auditModeOf(call, state),
    decides: definition.roles?.every((role) => role === 'operator') === true,
  }
}

function auditModeOf(
  { caller, definition, method, origin, workerName }: Call,
  state: BrokerState,
): AuditMode | undefined {
  const uri = method === 'resources/read' ? workerName : undefined
  return state.policy?.decide(origin.kind === 'worker' ? viewerOf(caller) : caller, definition, uri).audit
}

/** A call that never was one: what it asked for does not exist, or may not begin. */
interface Refused {
  readonly wish: Pick<CallWish, 'method' | 'name' | 'body'>
  readonly client: Client
  readonly caller: Caller
  readonly outcome: OutcomeName
  readonly parent?: CallId | undefined
  /** What the policy judged; undefined: it does not exist. */
  readonly definition?: Definition
}

/** Says so where anybody wants to know. */
export function recordRefused(
  state: BrokerState,
  { wish, client, caller, outcome, parent, definition }: Refused,
): void {
  if (state.options.audit === undefined) return
  const { method, name, body } = wish
  const uri = method === 'resources/read' ? name : undefined
  const viewer = caller.onBehalfOf === undefined ? caller : viewerOf(caller)
  const record: CallRecord = {
    id: state.nextCallId(),
    method,
    service: definition?.service ?? '',
    tool: name,
    body,
    caller,
    client: client.generation,
    outcome,
    isError: true,
    durationMs: 0,
    worker: undefined,
    key: undefined,
    parent,
    audit: definition && state.policy?.decide(viewer, definition, uri).audit,
    decides: false,
  }
  state.emit({ type: 'call_ended', record })
}
