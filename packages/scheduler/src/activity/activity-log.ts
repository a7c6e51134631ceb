import { utcText } from '@callboard/worker/utc-text'
import type { Database } from '../records/schema.js'
import type { EventType } from './record-activity.js'

export interface ActivityFilter {
  /** Folder of a group. */
  readonly group?: string
  readonly type?: EventType
  readonly limit: number
}

export interface LoggedActivity {
  readonly id: number
  /** ISO 8601, UTC. */
  readonly ts: string
  readonly event_type: string
  /** Null: of the worker itself. */
  readonly group: string | null
  readonly task_id?: string
  readonly run_id?: string
  readonly summary: string
  readonly details: { readonly [key: string]: unknown }
}

/** The newest entries that fit the filter, newest first. */
export async function readActivity(
  db: Database,
  { group, type, limit }: ActivityFilter,
): Promise<readonly LoggedActivity[]> {
  const rows = await db
    .selectFrom('activity')
    .selectAll()
    .$if(group !== undefined, (query) => query.where('group_folder', '=', group!))
    .$if(type !== undefined, (query) => query.where('event_type', '=', type!))
    .orderBy('ts', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    ts: utcText(row.ts),
    event_type: row.event_type,
    group: row.group_folder,
    ...(row.task_id !== null && { task_id: row.task_id }),
    ...(row.run_id !== null && { run_id: row.run_id }),
    summary: row.summary,
    details: JSON.parse(row.details) as LoggedActivity['details'],
  }))
}

/** `[ts] event [group] summary`, and a line for each detail. */
export function activityText(entries: readonly LoggedActivity[]): string {
  return entries.map(entryText).join('\n')
}

function entryText({ ts, event_type, group, task_id, run_id, summary, details }: LoggedActivity): string {
  const known = { ...(task_id !== undefined && { task_id }), ...(run_id !== undefined && { run_id }), ...details }
  const lines = Object.entries(known).map(([name, value]) => `  ${name}: ${oneLine(value)}`)
  return [`[${ts}] ${event_type} [${group ?? '-'}] ${summary}`, ...lines].join('\n')
}

function oneLine(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' ')
}
