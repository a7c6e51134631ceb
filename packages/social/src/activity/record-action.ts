import type { Database } from '../records/schema.js'
import { storable } from '../records/storable.js'

export interface Action {
  /** UTC ms. */
  readonly at: number
  /** `discovery_reply`, `mention_reply`, `target_reply`, `tweet`, `thread`, `analytics`, or one of the first five with `_posted`. */
  readonly type: string
  readonly status: 'success' | 'failure' | 'dry_run' | 'skipped' | 'alert'
  /** One sentence; never the text of a post, never a secret. */
  readonly message: string
  readonly metadata?: { readonly [key: string]: unknown }
  readonly principal?: string
  readonly correlationId?: string
}

const messageMax = 1_000
const metadataMax = 4_000

/** One line of the action log, in the transaction of what it tells. */
export async function recordAction(db: Database, action: Action): Promise<void> {
  const { at, type, status, message, metadata = {}, principal = null, correlationId = null } = action
  const json = JSON.stringify(metadata)
  await db
    .insertInto('action_log')
    .values({
      action_type: type,
      status,
      message: storable(message, messageMax),
      metadata: json.length > metadataMax ? '{}' : storable(json, metadataMax),
      principal,
      correlation_id: correlationId,
      created_at: at,
    })
    .execute()
}
