import { storable } from '@callboard/store'
import type { Database } from '../records/schema.js'

export const eventTypes = [
  'agent_started',
  'agent_completed',
  'agent_error',
  'trigger_email_sent',
  'trigger_refused',
  'trigger_received',
  'email_sent',
  'email_failed',
  'email_received',
  'email_rejected',
  'mail_uidvalidity_changed',
  'message_logged',
  'message_queued',
  'digest_sent',
  'digest_failed',
  'task_created',
  'task_updated',
  'task_paused',
  'task_resumed',
  'task_cancelled',
  'task_auto_paused',
  'run_missed',
  'run_skipped',
  'run_retry',
  'run_abandoned',
  'run_fenced',
  'run_dead',
  'tool_refused',
  'search_done',
  'social_post',
  'group_changed',
  'system_started',
  'system_stopped',
] as const

export type EventType = (typeof eventTypes)[number]

export interface ActivityEntry {
  /** UTC ms. */
  readonly at: number
  readonly type: EventType
  readonly group?: string
  readonly taskId?: string
  readonly runId?: string
  /** One line; cut at 200 characters. */
  readonly summary: string
  readonly details?: { readonly [key: string]: unknown }
}

/** One row per fact, in the transaction that makes it one. */
export async function recordActivity(db: Database, entry: ActivityEntry): Promise<void> {
  const { at, type, group, taskId, runId, summary, details = {} } = entry
  await db
    .insertInto('activity')
    .values({
      ts: at,
      event_type: type,
      group_folder: group ?? null,
      task_id: taskId ?? null,
      run_id: runId ?? null,
      summary: storable(summary.replaceAll(/\s+/g, ' ').trim(), 200),
      details: boundedJson(details),
    })
    .execute()
}

/** Always an object's JSON, and text that both databases take: JSON.stringify escapes what they would not. */
function boundedJson(details: { readonly [key: string]: unknown }): string {
  const json = JSON.stringify(details)
  return json.length <= detailsLengthMax ? json : JSON.stringify({ cut: json.slice(0, detailsLengthMax / 2) })
}

/** Characters: rows are read by the hundred. */
const detailsLengthMax = 8_000
