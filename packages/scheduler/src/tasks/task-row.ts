import type { Row } from '../records/row.js'

/** A task as it is stored. Its values are what they should be only if nobody else wrote to the database. */
export type TaskRow = Row<'tasks'>

/** What is to be done, and when: what callers give, and may change. */
export type TaskDefinition = Pick<
  TaskRow,
  | 'name'
  | 'prompt'
  | 'schedule_type'
  | 'schedule_value'
  | 'timezone'
  | 'context_mode'
  | 'missed'
  | 'overlap'
  | 'jitter_ms'
  | 'expect'
  | 'deliver'
  | 'tool'
  | 'args'
>

/** For people and logs. */
export function titleOf({ id, name }: Pick<TaskRow, 'id' | 'name'>): string {
  return name === null ? id : `"${name}" (${id})`
}
