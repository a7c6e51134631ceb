import { createHash } from 'node:crypto'
import { recentHistoryMax } from '../limits.js'
import type { SessionContents } from '../records/session-contents.js'
import type { SessionRecord } from '../records/session-records.js'
import { shortText } from '../short-text.js'
import { beatAt, initialTransport } from './clock.js'
import type { LoadedSession } from './loaded-session.js'
import { priorities } from './rule.js'
import { type Clocks, viewOf } from './rule-texts.js'

/** The session's part of a `weave_session` reply: lists are whole, their texts short. */
export interface SessionSummary {
  readonly session_id: string
  readonly session_name: string
  readonly vibe: string | null
  readonly tempo_bpm: number
  /** Every rule that has not finished, disabled ones too, by creation. */
  readonly active_rules: readonly RuleSummary[]
  readonly rules_total: number
  /** By beat. */
  readonly markers: readonly { readonly name: string; readonly beat: number }[]
  readonly markers_total: number
  /** Newest first. */
  readonly recent_history: readonly { readonly action: string; readonly success: boolean; readonly timestamp: string }[]
  readonly transport_state: 'stopped' | 'playing' | 'paused'
  readonly current_beat: number
}

export interface RuleSummary {
  readonly id: string
  readonly trigger: string
  readonly action: string
  readonly priority: string
  readonly enabled: boolean
  readonly fired_count: number
}

const textLengthMax = 120
const vibeLengthMax = 300

/** Of a loaded session what it is now, else what is stored. Starts nothing, and no clock. */
export async function summarize(
  record: SessionRecord,
  live: LoadedSession | undefined,
  contents: SessionContents,
  clocks: Clocks,
): Promise<SessionSummary> {
  const { rules, markers } = live ? heldOf(live, clocks) : await storedOf(record, contents)
  const history = await contents.history(record.id, recentHistoryMax)
  const transport = live?.stored ?? record.transport
  return {
    session_id: record.id,
    session_name: record.name,
    vibe: shortened(live ? live.vibe : record.vibe),
    tempo_bpm: transport.bpm,
    active_rules: rules,
    rules_total: rules.length,
    markers: markers,
    markers_total: markers.length,
    recent_history: history.map(({ action, success, createdAt }) => ({
      action: shortText(action, textLengthMax),
      success,
      timestamp: new Date(createdAt).toISOString(),
    })),
    transport_state: transport.state,
    current_beat: beatNow(live?.stored ?? record.transport, clocks.wall()),
  }
}

/**
 * What is the same as in the reply that gave `since`: lists of that name may be left out. The cursor holds no state, only
 * what the fields looked like, so it stays good after a restart; of no use, it counts as absent.
 */
export function changesSince(
  fields: { readonly [name: string]: unknown },
  since: string | null | undefined,
): { readonly cursor: string; readonly unchanged: readonly string[] } {
  const before = (since ?? '').split('.')
  const now = Object.values(fields).map(digest)
  const names = Object.keys(fields)
  const comparable = before.length === now.length
  return { cursor: now.join('.'), unchanged: names.filter((_, index) => comparable && before[index] === now[index]) }
}

function heldOf(live: LoadedSession, clocks: Clocks) {
  const rules = live.rules.filter(({ status }) => status !== 'done').map((rule) => ruleSummary(viewOf(rule, clocks)))
  const markers = [...live.markers.values()].map(({ name, beat }) => ({ name, beat }))
  return { rules, markers: markers.sort((a, b) => a.beat - b.beat || (a.name < b.name ? -1 : 1)) }
}

async function storedOf({ id }: SessionRecord, contents: SessionContents) {
  const [rows, markers] = await Promise.all([contents.rules(id), contents.markers(id)])
  const rules = rows
    .filter(({ status }) => status !== 'done')
    .map((row) => ruleSummary({ ...row, priority: priorities[row.priority] ?? 'normal', enabled: row.enabled === 1 }))
  return { rules, markers: markers.map(({ name, beat }) => ({ name, beat })) }
}

function ruleSummary({ id, trigger, action, priority, enabled, fired_count }: RuleSummary): RuleSummary {
  return {
    id,
    trigger: shortText(trigger, textLengthMax),
    action: shortText(action, textLengthMax),
    priority,
    enabled,
    fired_count,
  }
}

/** Of one that plays in another worker: by its anchor. */
function beatNow({ state, beat, at, bpm, loop }: SessionRecord['transport'], now: number): number {
  return beatAt({ ...initialTransport, state, anchorBeat: beat, anchorMs: at ?? now, bpm, loop }, now)
}

function shortened(vibe: string | null): string | null {
  return vibe === null ? null : shortText(vibe, vibeLengthMax)
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 8)
}
