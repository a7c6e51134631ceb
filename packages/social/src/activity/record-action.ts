import { storable } from '@callboard/store'
import type { Database } from '../records/schema.js'

export interface Action {
  /** UTC ms. */
  readonly at: number
  /** `discovery_reply`, `mention_reply`, `target_reply`, `tweet`, `thread`, `analytics`, or one of the first five with `_posted`. */
  readonly type: string
  readonly status: 'success' | 'failure' | 'dry_run' | 'skipped' | 'alert'
  /** One sentence; never the text of a post, never a secret. */
  readonly message: string
  /** JSON. A `network` in it is the one that the log can be asked for. What is too long is cut, and says so. */
  readonly metadata?: { readonly [key: string]: unknown }
  readonly principal?: string
  readonly correlationId?: string
}

/** Characters. */
const messageMax = 1_000
const metadataMax = 4_000
const metadataTextMax = 1_000
const nameMax = 200

/** One line of the action log, in the transaction of what it tells. */
export async function recordAction(db: Database, action: Action): Promise<void> {
  const { at, type, status, message, metadata = {}, principal = null, correlationId = null } = action
  const { network } = metadata
  await db
    .insertInto('action_log')
    .values({
      action_type: storable(type, nameMax),
      network: typeof network === 'string' ? storable(network, nameMax) : null,
      status,
      message: storable(message, messageMax),
      metadata: boundedJson(metadata),
      principal,
      correlation_id: correlationId,
      created_at: at,
    })
    .execute()
}

/** Entries in their order as long as there is room; `omitted` names those for which there was none. */
function boundedJson(metadata: { readonly [key: string]: unknown }): string {
  const kept: string[] = []
  const omitted: string[] = []
  let length = 0
  for (const [key, value] of Object.entries(metadata)) {
    if (value === undefined) continue
    const entry = entryOf(key, value)
    if (entry === undefined || length + entry.length > metadataMax) omitted.push(key)
    else {
      kept.push(entry)
      length += entry.length
    }
  }
  if (omitted.length > 0)
    kept.push(
      entryOf(
        'omitted',
        omitted.slice(0, 20).map((key) => storable(key, nameMax)),
      )!,
    )
  return `{${kept.join(',')}}`
}

/** Undefined for what is no JSON: a log that fails would take the action with it. */
function entryOf(key: string, value: unknown): string | undefined {
  try {
    const json = JSON.stringify(value, (_, item: unknown) =>
      typeof item === 'string' ? storable(item, metadataTextMax) : item,
    )
    return json === undefined ? undefined : `${JSON.stringify(storable(key, nameMax))}:${json}`
  } catch {
    return undefined
  }
}
