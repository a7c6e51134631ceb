import type { Store } from '@callboard/store'
import type { Clock } from '@callboard/worker/clock'
import type { SocialConfig } from './config.js'
import type { Log } from './log.js'
import type { SocialSchema } from './records/schema.js'

/** What every part of the worker stands on. */
export interface Foundation {
  readonly config: SocialConfig
  readonly store: Store<SocialSchema>
  readonly clock: Clock
  /** 0 to 1, 1 excluded. */
  readonly random: () => number
  readonly log: Log
}
