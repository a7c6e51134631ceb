import type { Store } from '@callboard/store'
import type { Clock } from '@callboard/worker/clock'
import type { QdaConfig } from './config.js'
import type { Log } from './log.js'
import type { QdaSchema } from './records/schema.js'

/** What every part of the worker stands on. */
export interface Foundation {
  readonly config: QdaConfig
  readonly store: Store<QdaSchema>
  readonly clock: Clock
  readonly log: Log
}
