import type { Row } from '../records/row.js'

export type RunRow = Row<'runs'>

/** Of a run that nobody has started. */
export function queuedRun(run: {
  readonly id: string
  readonly group: string
  readonly depth: number
  readonly scheduledFor: number
  readonly dueAt: number
  readonly createdAt: number
  readonly serial: boolean
  readonly exclusive: boolean
  readonly lateMs?: number
  readonly taskId?: string
  readonly triggerId?: string
  readonly mailId?: string
}): RunRow {
  return {
    id: run.id,
    task_id: run.taskId ?? null,
    trigger_id: run.triggerId ?? null,
    mail_id: run.mailId ?? null,
    digest_id: null,
    group_folder: run.group,
    depth: run.depth,
    scheduled_for: run.scheduledFor,
    due_at: run.dueAt,
    state: 'queued',
    outcome: null,
    serial: run.serial ? 1 : 0,
    exclusive: run.exclusive ? 1 : 0,
    attempts: 0,
    attempts_before: 0,
    fence: 0,
    retry_at: null,
    late_ms: run.lateMs ?? 0,
    slots: 1,
    error_class: null,
    error: null,
    created_at: run.createdAt,
    started_at: null,
    finished_at: null,
  }
}
