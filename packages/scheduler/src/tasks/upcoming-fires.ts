import { z } from 'zod'
import { describeFires } from '../schedule/fires.js'
import type { Schedule } from '../schedule/schedule.js'
import type { TaskRow } from './task-row.js'

export const fireShape = z.object({ local: z.string(), utc: z.string() })

type Timing = Pick<TaskRow, 'status' | 'next_fire'>

/** The next slots, without jitter; none unless the task is active and has one to come. */
export function upcomingFires(row: Timing, schedule: Schedule): z.output<typeof fireShape>[] {
  const coming = comingSchedule(row, schedule)
  if (coming === undefined) return []
  return describeFires(coming.schedule, coming.after).map(({ local, utc }) => ({ local, utc }))
}

/** The schedule with its stored next slot as the first after `after`. */
export function comingSchedule({ status, next_fire }: Timing, schedule: Schedule) {
  if (status !== 'active' || next_fire === null) return undefined
  // A time that had passed when it was given fires when it was given.
  const actual = schedule.type === 'once' ? { ...schedule, at: next_fire } : schedule
  return { schedule: actual, after: next_fire - 1 }
}
