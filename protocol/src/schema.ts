import {
  boolean,
  bytes,
  type Field,
  integer,
  listOf,
  matching,
  nested,
  oneOf,
  optional,
  required,
  text,
  token,
} from './fields.js'
import * as limits from './limits.js'
import type { MessageType } from './messages.js'

/** What a message type's head holds, and whether a body goes with it. The table of SPEC.md chapter 4 as code. */
export interface Shape {
  readonly fields: readonly Field[]
  readonly body: 'required' | 'none'
}

const id = token(limits.idLengthMax)
const time = integer(0, limits.timeMax)
const serial = integer(0, Number.MAX_SAFE_INTEGER)
const identity = text(limits.identityLengthMax)
const name = text(limits.uriLengthMax)
const key = text(limits.keyLengthMax)
const epoch = required('epoch', matching(/^[0-9a-z]{8,32}$/, '8 to 32 characters of 0-9 and a-z'))
const logLevel = oneOf(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])
const workerMethods = ['tools/call', 'resources/read', 'prompts/get', 'completion/complete']

export const serviceNamePattern = /^[a-z][a-z0-9-]{0,31}$/

const caller: readonly Field[] = [
  required('session', identity),
  required('principal', identity),
  required('roles', listOf(oneOf(['agent', 'operator']), 2)),
  optional('group', identity),
  required('depth', integer(0, limits.depthMax)),
  nested(
    'run',
    [required('id', id), required('attempt', integer(0, 1_000_000)), required('triggerDepth', integer(0, 1_000))],
    true,
  ),
  optional('onBehalfOf', identity),
]

const client: readonly Field[] = [
  required('generation', oneOf(['legacy', 'modern'])),
  required('input', listOf(oneOf(['form', 'url', 'sampling', 'roots']), 4)),
  optional('logLevel', logLevel),
  required('progress', boolean),
]

const failure: readonly Field[] = [
  required(
    'code',
    oneOf([
      'unavailable',
      'overloaded',
      'rate_limited',
      'deadline_exceeded',
      'outcome_unknown',
      'cancelled',
      'deadlock',
      'depth_exceeded',
      'request_too_large',
      'result_too_large',
      'not_found',
      'forbidden',
      'internal',
    ]),
  ),
  required('message', text(limits.textLengthMax)),
  required('retryable', boolean),
  optional('retryAfterMs', integer(0, limits.deadlineMsMax)),
]

const uriAndSession = [required('uri', text(limits.uriLengthMax)), required('session', identity)]
const session = [required('session', identity)]

const withBody = (...fields: Field[]): Shape => ({ fields, body: 'required' })
const headOnly = (...fields: Field[]): Shape => ({ fields, body: 'none' })

/** Types whose shape is one; `response` and `result` are told apart by their `outcome` below. */
const shapes: Readonly<Record<Exclude<MessageType, 'response' | 'result'>, Shape>> = {
  hello: headOnly(required('versions', listOf(integer(0, 65_535), 2))),
  challenge: headOnly(required('version', integer(1, 65_535)), required('nonce', bytes(limits.nonceBytes)), epoch),
  ready: withBody(
    epoch,
    required('service', matching(serviceNamePattern, 'a service name: a-z, then a-z, 0-9 and -, 32 at most')),
    required('version', token(64)),
    required('instance', token(64)),
    required('workerEpoch', serial),
    optional('key', token(limits.curveKeyLength)),
    optional('proof', bytes(limits.proofBytes)),
    required('concurrency', integer(1, limits.concurrencyMax)),
    required('heartbeatMs', integer(limits.heartbeatMsMin, limits.heartbeatMsMax)),
    required('replicas', oneOf(['many', 'one'])),
    required('affinity', oneOf(['none', 'session', 'principal'])),
    required('held', listOf(id, limits.heldMax)),
  ),
  welcome: withBody(epoch, required('now', time), required('trusted', boolean)),
  reject: headOnly(
    required(
      'code',
      oneOf([
        'unsupported_version',
        'unknown_peer',
        'bad_proof',
        'proof_required',
        'key_required',
        'key_refused',
        'not_authorized',
        'duplicate_instance',
        'service_conflict',
        'too_many_workers',
        'invalid_definitions',
        'protocol_error',
        'shutting_down',
      ]),
    ),
    required('message', text(limits.textLengthMax)),
    optional('retryAfterMs', integer(0, limits.deadlineMsMax)),
  ),
  update: withBody(epoch, optional('session', identity)),
  request: withBody(
    required('id', id),
    required('method', oneOf(workerMethods)),
    required('name', name),
    required('deadline', time),
    required('idempotencyKey', key),
    nested('caller', caller),
    nested('client', client),
    optional('traceparent', token(128)),
    optional('tracestate', text(512)),
  ),
  progress: withBody(required('id', id)),
  log: withBody(optional('id', id), required('level', logLevel)),
  input_required: withBody(required('id', id), required('timeoutMs', integer(0, limits.inputWaitMsMax))),
  resume: withBody(required('id', id), required('deadline', time), nested('client', client, true)),
  cancel: headOnly(
    required('id', id),
    required(
      'reason',
      oneOf(['cancelled', 'deadline_exceeded', 'disconnected', 'input_abandoned', 'draining', 'unknown_call']),
    ),
  ),
  call: withBody(
    epoch,
    required('id', id),
    required('method', oneOf([...workerMethods, 'tools/list', 'callboard/token.mint', 'callboard/token.revoke'])),
    required('name', text(limits.uriLengthMax, 0)),
    optional('parent', id),
    optional('token', key),
    optional('deadline', time),
    optional('idempotencyKey', key),
    required('progress', boolean),
  ),
  event: headOnly(
    epoch,
    required('kind', oneOf(['resource_updated', 'tools_changed', 'resources_changed', 'prompts_changed'])),
    optional('uri', text(limits.uriLengthMax)),
    optional('session', identity),
  ),
  subscribe: headOnly(...uriAndSession),
  unsubscribe: headOnly(...uriAndSession),
  roots_changed: headOnly(...session),
  session_closed: headOnly(...session),
  sessions: withBody(),
  heartbeat: headOnly(
    epoch,
    required('serial', serial),
    required('sentAt', time),
    required('load', integer(0, limits.concurrencyMax * (limits.depthMax + 1))),
    optional('holdUntil', time),
  ),
  heartbeat_echo: headOnly(required('serial', serial), required('sentAt', time), required('now', time)),
  drain: headOnly(
    epoch,
    required('drainMs', integer(0, limits.drainMsMax)),
    required('acknowledged', boolean),
    optional('hubEnds', boolean),
  ),
  bye: headOnly(epoch),
}

const outcomes: Readonly<Record<'response' | 'result', Readonly<Record<string, Shape>>>> = {
  response: {
    result: withBody(required('id', id), optional('isError', boolean)),
    error: withBody(required('id', id)),
    not_started: headOnly(
      required('id', id),
      required('reason', oneOf(['draining', 'expired', 'over_credit', 'foreign_epoch', 'not_signed_in', 'stale'])),
    ),
  },
  result: {
    result: withBody(required('id', id)),
    error: withBody(required('id', id)),
    failure: headOnly(required('id', id), nested('failure', failure)),
  },
}

/** The shape for a head's `type` and, where it decides, `outcome`. */
export function shapeOf(type: string, outcome: unknown): Shape | 'type_unknown' | 'outcome_invalid' {
  if (type === 'response' || type === 'result') {
    const byOutcome = outcomes[type]
    if (typeof outcome !== 'string' || !Object.hasOwn(byOutcome, outcome)) return 'outcome_invalid'
    return byOutcome[outcome]!
  }
  return Object.hasOwn(shapes, type) ? shapes[type as keyof typeof shapes] : 'type_unknown'
}

export const messageTypes: readonly string[] = [...Object.keys(shapes), ...Object.keys(outcomes)]

/** Of all heads, at every level. */
export const fieldNames: readonly string[] = namesOf(
  [...Object.values(shapes), ...Object.values(outcomes).flatMap((byOutcome) => Object.values(byOutcome))].flatMap(
    ({ fields }) => fields,
  ),
)

function namesOf(fields: readonly Field[]): string[] {
  return fields.flatMap(({ name, fields: within }) => [name, ...namesOf(within ?? [])])
}
