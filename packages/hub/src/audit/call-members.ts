import type { Caller } from '@callboard/protocol'
import type { CallRecord } from '../broker/call-record.js'
import { argumentBytes } from './argument-bytes.js'
import type { Recording } from './audit-config.js'
import { sha256 } from './chain.js'
import { argumentsBytesMax, parsedBytesMax } from './limits.js'
import { type Fields, withoutFields } from './redacted-fields.js'
import type { Redaction } from './redaction.js'

/** What a person answered while the call waited. */
export type Answer = 'accepted' | 'declined' | 'cancelled'

/** How arguments are recorded, and of a redacted record what besides is left out. */
export type RecordingMode = { readonly kind: Recording } & Partial<Fields>

/** A call as the members of its line, in JSON without braces. */
export function callMembers(
  record: CallRecord,
  recording: RecordingMode,
  redaction: Redaction,
  answer?: Answer,
): string {
  return `${callerMembers(record.caller)},${JSON.stringify(ownMembers(record, recording, redaction, answer)).slice(1, -1)}`
}

/** All calls of a connection have one caller: what it hashes and encodes once need not be done for each of them. */
function callerMembers(caller: Caller): string {
  let text = texts.get(caller)
  if (text === undefined) {
    const { principal, onBehalfOf, roles, group, session, run, depth } = caller
    // Whoever may read the journal need not know a session's id.
    const members = { principal, onBehalfOf, roles, group, session: sha256(session).slice(0, 16), run, depth }
    text = JSON.stringify(members).slice(1, -1)
    texts.set(caller, text)
  }
  return text
}

const texts = new WeakMap<Caller, string>()

function ownMembers(record: CallRecord, recording: RecordingMode, redaction: Redaction, answer: Answer | undefined) {
  return {
    id: record.id,
    method: record.method,
    client: record.client,
    service: record.service,
    tool: redaction.redact(record.tool, false),
    ...argumentMembers(record.body, recording, redaction),
    outcome: record.outcome,
    isError: record.isError,
    durationMs: record.durationMs,
    worker: record.worker,
    key: record.key,
    parent: record.parent,
    ...((record.decides || answer !== undefined) && {
      approval: { ...(record.decides && { decision: true }), ...(answer !== undefined && { input: answer }) },
    }),
  }
}

function argumentMembers(body: Uint8Array, recording: RecordingMode, redaction: Redaction) {
  if (recording.kind === 'none') return {}
  const bytes = argumentBytes(body)
  if (bytes === undefined) return {}
  const argumentsHash = sha256(bytes)
  if (recording.kind === 'hash') return { argumentsHash }
  if (bytes.byteLength > parsedBytesMax) return { argumentsHash, argumentsCut: bytes.byteLength }
  const { kind, keys = [], pointers = [] } = recording
  const value = redaction.redact(withoutFields(parsed(bytes), { keys, pointers }), kind === 'redacted')
  const text = JSON.stringify(value)
  const size = Buffer.byteLength(text)
  if (size <= argumentsBytesMax) return { argumentsHash, arguments: value }
  const cut = Buffer.from(text).subarray(0, argumentsBytesMax).toString('utf8')
  return { argumentsHash, arguments: cut, argumentsCut: size }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    return '[not JSON]'
  }
}
