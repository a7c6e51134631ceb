import type { Store } from '@callboard/store'
import type { Clock } from '@callboard/worker/clock'
import type { SchedulerConfig } from './config.js'
import type { Groups } from './groups/group.js'
import type { NewId } from './ids.js'
import type { Log } from './log.js'
import type { SchedulerSchema } from './records/schema.js'

/** What every part of the worker stands on. */
export interface Foundation {
  readonly config: SchedulerConfig
  readonly store: Store<SchedulerSchema>
  readonly clock: Clock
  readonly newId: NewId
  readonly groups: Groups
  readonly log: Log
  /** IANA name: what tasks are scheduled in that name no other. */
  readonly timeZone: string
}
