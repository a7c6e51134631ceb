import type { CallRecord } from '../broker/call-record.js'
import { argumentBytes } from './argument-bytes.js'
import type { Recording } from './audit-config.js'
import { sha256 } from './chain.js'
import { argumentsBytesMax, parsedBytesMax } from './limits.js'
import type { Redaction } from './redaction.js'

/** What a person answered while the call waited. */
export type Answer = 'accepted' | 'declined' | 'cancelled'

/** A call as the members of its line. */
export function callMembers(record: CallRecord, recording: Recording, redaction: Redaction, answer?: Answer) {
  const { caller } = record
  return {
    id: record.id,
    method: record.method,
    principal: caller.principal,
    ...(caller.onBehalfOf !== undefined && { onBehalfOf: caller.onBehalfOf }),
    roles: caller.roles,
    ...(caller.group !== undefined && { group: caller.group }),
    // Whoever knows a session's id is not it, but need not be told.
    session: sha256(caller.session).slice(0, 16),
    client: record.client,
    service: record.service,
    tool: redaction.redact(record.tool, false),
    ...argumentMembers(record.body, recording, redaction),
    outcome: record.outcome,
    isError: record.isError,
    durationMs: record.durationMs,
    ...(record.worker !== undefined && { worker: record.worker }),
    ...(record.key !== undefined && { key: record.key }),
    ...(caller.run !== undefined && { run: caller.run }),
    depth: caller.depth,
    ...(record.parent !== undefined && { parent: record.parent }),
    ...((record.decides || answer !== undefined) && {
      approval: { ...(record.decides && { decision: true }), ...(answer !== undefined && { input: answer }) },
    }),
  }
}

function argumentMembers(body: Uint8Array, recording: Recording, redaction: Redaction) {
  if (recording === 'none') return {}
  const bytes = argumentBytes(body)
  if (bytes === undefined) return {}
  const argumentsHash = sha256(bytes)
  if (recording === 'hash') return { argumentsHash }
  if (bytes.byteLength > parsedBytesMax) return { argumentsHash, argumentsCut: bytes.byteLength }
  const value = redaction.redact(parsed(bytes), recording === 'redacted')
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
