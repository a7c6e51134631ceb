import type { Store } from '@callboard/store'
import type { Clock } from '@callboard/worker/clock'
import type { ForumConfig } from './config/forum-config.js'
import type { Log } from './log.js'
import type { ForumSchema } from './records/schema.js'
import type { Redactor } from './secrets/redactor.js'

/** What every part of the worker stands on. */
export interface Foundation {
  readonly config: ForumConfig
  readonly store: Store<ForumSchema>
  readonly clock: Clock
  /** 0 to 1, 1 excluded. */
  readonly random: () => number
  readonly log: Log
  readonly redactor: Redactor
}
