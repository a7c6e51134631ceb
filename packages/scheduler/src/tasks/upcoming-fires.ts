import { z } from 'zod'
import { firesShown } from '../limits.js'
import { describeFires } from '../schedule/fires.js'
import type { Schedule } from '../schedule/schedule.js'
import type { TaskRow } from './task-row.js'

export const fireShape = z.object({ local: z.string(), utc: z.string() })

/** The next slots, without jitter; none unless the task is active and has one to come. */
export function upcomingFires(
  row: Pick<TaskRow, 'status' | 'next_fire'>,
  schedule: Schedule,
): z.output<typeof fireShape>[] {
  const { status, next_fire } = row
  if (status !== 'active' || next_fire === null) return []
  // A time that had passed when it was given fires when it was given.
  const actual = schedule.type === 'once' ? { ...schedule, at: next_fire } : schedule
  return describeFires(actual, next_fire - 1, firesShown).map(({ local, utc }) => ({ local, utc }))
}
