import { randomUUID } from 'node:crypto'
import { QdaFailure } from '../failure.js'
import { pendingPerActorMax, suggestionLengthMax } from '../limits.js'
import { parsedJson, parsedObject } from '../project/parsed-json.js'
import type { ProjectDatabase } from '../project/project-database.js'

export const suggestionStatuses = ['pending', 'approved', 'rejected', 'withdrawn', 'stale'] as const
export type SuggestionStatus = (typeof suggestionStatuses)[number]

/** What an agent would like to do, for a person to decide. Approved, it is the call of `tool` with `payload`. */
export interface Suggestion {
  readonly id: string
  /** What it is to people: `source_metadata`, `coding`, or the tool that would be called. */
  readonly kind: string
  readonly tool: string
  readonly payload: { readonly [key: string]: unknown }
  /** Of what it would change, and what it goes by, as that was. */
  readonly fingerprint: string
  readonly actor: string
  readonly rationale: string | null
  /** What it would change, as it was then, for the person who decides: names and texts rather than ids. */
  readonly about: { readonly [key: string]: unknown } | null
  /** UTC ms. */
  readonly created_at: number
  readonly status: SuggestionStatus
  readonly decided_by: string | null
  readonly decided_at: number | null
  readonly reason: string | null
  readonly result: unknown
}

export interface Proposed {
  readonly kind: string
  readonly tool: string
  readonly payload: { readonly [key: string]: unknown }
  readonly fingerprint: string
  readonly rationale?: string | undefined
  readonly about?: { readonly [key: string]: unknown } | undefined
}

/** Adds it to the queue; an equal one that waits already stands for it. Throws QUEUE_FULL. */
export function addSuggestion(db: ProjectDatabase, proposed: Proposed, actor: string, now: number): Suggestion {
  const { kind, tool, fingerprint, rationale = null, about = null } = proposed
  const payload = JSON.stringify(proposed.payload)
  const said = about === null ? null : JSON.stringify(about)
  if (payload.length > suggestionLengthMax)
    throw new QdaFailure(
      'INVALID_ARGUMENT',
      `What this asks for is ${payload.length} characters, and a person has to read it: ask for less at once`,
      { details: { limit: suggestionLengthMax } },
    )
  const same = db.get<SuggestionRow>(
    "SELECT * FROM side.suggestion WHERE status = 'pending' AND actor = ? AND tool = ? AND payload = ? AND fingerprints = ?",
    actor,
    tool,
    payload,
    fingerprint,
  )
  if (same !== undefined) return suggestionOf(same)!
  const pending = db.value("SELECT count(*) FROM side.suggestion WHERE status = 'pending' AND actor = ?", actor) ?? 0
  if (pending >= pendingPerActorMax)
    throw new QdaFailure(
      'QUEUE_FULL',
      `${pending} of your suggestions wait for a person already; wait for decisions, or take some back with withdraw_suggestion`,
      { details: { pending, limit: pendingPerActorMax } },
    )
  const id = randomUUID()
  db.run(
    `INSERT INTO side.suggestion (id, kind, tool, payload, fingerprints, actor, rationale, about, created_at, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
    ...[
      id,
      kind,
      tool,
      payload,
      fingerprint,
      actor,
      rationale,
      said !== null && said.length > suggestionLengthMax ? null : said,
      now,
    ],
  )
  return findSuggestion(db, id)!
}

export function findSuggestion(db: ProjectDatabase, id: string): Suggestion | undefined {
  const row = db.get<SuggestionRow>('SELECT * FROM side.suggestion WHERE id = ?', id)
  return row === undefined ? undefined : suggestionOf(row)
}

/** Oldest first. */
export function suggestionsOf(db: ProjectDatabase, actor?: string, status?: SuggestionStatus): readonly Suggestion[] {
  const conditions = [actor === undefined ? '1' : 'actor = ?', status === undefined ? '1' : 'status = ?']
  const values = [actor, status].filter((value) => value !== undefined)
  return db
    .all<SuggestionRow>(
      `SELECT * FROM side.suggestion WHERE ${conditions.join(' AND ')} ORDER BY created_at, id`,
      ...values,
    )
    .flatMap((row) => suggestionOf(row) ?? [])
}

export interface Decision {
  readonly status: Exclude<SuggestionStatus, 'pending'>
  readonly by: string
  readonly reason?: string | undefined
  readonly result?: unknown
}

/** Throws ALREADY_DECIDED: of two decisions the first one holds. */
export function decideSuggestion(db: ProjectDatabase, id: string, decision: Decision, now: number): void {
  const { status, by, reason = null, result } = decision
  const { changes } = db.run(
    `UPDATE side.suggestion SET status = ?, decided_by = ?, decided_at = ?, reason = ?, result = ?
     WHERE id = ? AND status = 'pending'`,
    ...[status, by, now, reason, result === undefined ? null : JSON.stringify(result), id],
  )
  if (changes === 0) throw alreadyDecided(findSuggestion(db, id))
}

export function alreadyDecided(suggestion: Suggestion | undefined): QdaFailure {
  if (suggestion === undefined) return new QdaFailure('SUGGESTION_NOT_FOUND', 'There is no such suggestion')
  const { id, status, decided_by } = suggestion
  return new QdaFailure(
    'ALREADY_DECIDED',
    `Suggestion ${id} is ${status} already${decided_by ? `, by ${decided_by}` : ''}`,
    {
      details: { id, status, decided_by },
    },
  )
}

interface SuggestionRow {
  readonly id: string
  readonly kind: string
  readonly tool: string
  readonly payload: string
  readonly fingerprints: string
  readonly actor: string
  readonly rationale: string | null
  readonly about: string | null
  readonly created_at: number
  readonly status: SuggestionStatus
  readonly decided_by: string | null
  readonly decided_at: number | null
  readonly reason: string | null
  readonly result: string | null
}

/** Undefined: nobody here wrote that row, and nothing is suggested by it. */
function suggestionOf({ payload, fingerprints, about, result, ...row }: SuggestionRow): Suggestion | undefined {
  const asked = parsedObject(payload)
  if (asked === undefined || !isWellFormed(row) || typeof fingerprints !== 'string') return undefined
  return {
    id: row.id,
    kind: row.kind,
    tool: row.tool,
    payload: asked,
    fingerprint: fingerprints,
    actor: row.actor,
    rationale: row.rationale,
    about: parsedObject(about) ?? null,
    created_at: row.created_at,
    status: row.status,
    decided_by: row.decided_by,
    decided_at: row.decided_at,
    reason: row.reason,
    result: parsedJson(result) ?? null,
  }
}

function isWellFormed(row: Omit<SuggestionRow, 'payload' | 'fingerprints' | 'about' | 'result'>): boolean {
  const { id, kind, tool, actor, rationale, created_at, status, decided_by, decided_at, reason } = row
  return (
    [id, kind, tool, actor].every((value) => typeof value === 'string') &&
    [rationale, decided_by, reason].every((value) => value === null || typeof value === 'string') &&
    isTime(created_at) &&
    (decided_at === null || isTime(decided_at)) &&
    suggestionStatuses.includes(status)
  )
}

/** UTC ms that a date can show. */
const isTime = (value: unknown): boolean => Number.isInteger(value) && Math.abs(value as number) <= 8.64e15
