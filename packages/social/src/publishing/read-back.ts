import { recordAction } from '../activity/record-action.js'
import { logTypeOf } from '../approval/log-type.js'
import { SocialFailure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { publishRetryMs, publishRetryMsMax, readBackMs } from '../limits.js'
import type { NetworkAdapter, NetworkPost } from '../networks/network-adapter.js'
import type { Database } from '../records/schema.js'
import { comparableText } from '../text/comparable-text.js'
import { never, type OutboxEntry, type OutboxRow, readEntry } from './outbox-row.js'

/** Where what is out is not what was meant; `id` of the part, from 0. */
export interface Difference {
  readonly part: number
  readonly field: 'missing' | 'text' | 'author' | 'parent' | 'media'
  readonly expected: string
  readonly found: string
}

type Reading = Pick<Foundation, 'store' | 'clock' | 'log' | 'random'>

/** Reads one posted item back, if one waits for that. Whether it did. */
export async function readBackNext(parts: Reading, network: NetworkAdapter, signal: AbortSignal): Promise<boolean> {
  const { store, clock, log } = parts
  const row = await store.db
    .selectFrom('outbox')
    .selectAll()
    .where('network', '=', network.name)
    .where('status', '=', 'posted')
    .where('next_try_at', '<=', clock.now())
    .orderBy('next_try_at')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return false
  const entry = await readEntry(store.db, row)
  try {
    const differences = await readBack(entry, network, signal)
    await store.transaction((db) => recordReading(db, entry, differences, clock.now()))
  } catch (error) {
    if (signal.aborted) return false
    if (!(error instanceof SocialFailure)) log.error({ err: error, outbox: row.id }, 'a post could not be read back')
    await readLater(store.db, row, parts)
  }
  return true
}

/** What differs, as the network has it now. Rejects with a SocialFailure when it can not be asked. */
export async function readBack(
  entry: OutboxEntry,
  network: NetworkAdapter,
  signal?: AbortSignal,
): Promise<readonly Difference[]> {
  const refs = entry.parts.flatMap(({ remote_id, cid }) =>
    remote_id === null ? [] : [{ id: remote_id, ...(cid !== null && { cid }) }],
  )
  const found = new Map((await network.posts(refs, signal)).map((post) => [post.ref.id, post]))
  return entry.parts.flatMap(({ position, remote_id }) =>
    differencesOf(entry, position, remote_id === null ? undefined : found.get(remote_id), network),
  )
}

function differencesOf(
  { item, content, parts }: OutboxEntry,
  position: number,
  post: NetworkPost | undefined,
  network: NetworkAdapter,
): readonly Difference[] {
  const text = content.parts[position] ?? ''
  if (post === undefined) return [{ part: position, field: 'missing', expected: text.slice(0, 100), found: '' }]
  const parent = position === 0 ? item.target_post_id : (parts[position - 1]?.remote_id ?? null)
  const media = content.media.filter(({ part }) => part === position).length
  const pairs: readonly (readonly [Difference['field'], string, string])[] = [
    ['text', comparableText(text), network.isSameText?.(text, post) ? comparableText(text) : comparableText(post.text)],
    ['author', item.account.toLowerCase(), post.authorUsername.toLowerCase()],
    ['parent', parent ?? '', post.replyTo?.id ?? ''],
    ['media', String(media), String(post.media)],
  ]
  return pairs
    .filter(([, expected, actual]) => expected !== actual)
    .map(([field, expected, actual]) => ({
      part: position,
      field,
      expected: expected.slice(0, 200),
      found: actual.slice(0, 200),
    }))
}

/** Verified, or an alert for the people who run this. */
export async function recordReading(
  db: Database,
  { row, item }: OutboxEntry,
  differences: readonly Difference[],
  now: number,
): Promise<void> {
  if (differences.length === 0) {
    await db
      .updateTable('outbox')
      .set({ verified_at: now, next_try_at: never, last_error: null })
      .where('id', '=', row.id)
      .execute()
    await db
      .updateTable('outbox_parts')
      .set({ status: 'verified', verified_at: now })
      .where('outbox_id', '=', row.id)
      .execute()
    return
  }
  const fields = [...new Set(differences.map(({ field }) => field))].join(', ')
  const message = `What is on ${item.network} of item ${item.id} is not what was meant: ${fields}.`
  await db.updateTable('outbox').set({ next_try_at: never, last_error: message }).where('id', '=', row.id).execute()
  await recordAction(db, {
    at: now,
    type: await logTypeOf(db, item),
    status: 'alert',
    message,
    metadata: { item_id: item.id, outbox_id: row.id, network: item.network, fields },
    principal: item.owner,
  })
}

async function readLater(db: Database, row: OutboxRow, { clock, random }: Reading): Promise<void> {
  const now = clock.now()
  const pause = Math.min(publishRetryMs * 2 ** row.attempts, publishRetryMsMax) * (0.8 + 0.4 * random())
  const isOver = (row.finished_at ?? now) + readBackMs < now
  await db
    .updateTable('outbox')
    .set({ attempts: row.attempts + 1, next_try_at: isOver ? never : Math.ceil(now + pause) })
    .where('id', '=', row.id)
    .where('status', '=', 'posted')
    .execute()
}
