import type { Scheduling } from '../engine/scheduling.js'
import type { Foundation } from '../foundation.js'

/** What the task tools work with. */
export interface TaskParts extends Pick<Foundation, 'config' | 'store' | 'clock' | 'newId' | 'groups' | 'timeZone'> {
  readonly scheduling: Pick<Scheduling, 'closeRuns' | 'redrive' | 'wake'>
}
