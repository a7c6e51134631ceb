import { StoreError, storable } from '@callboard/store'
import { failure } from '../../envelope/failure.js'
import type { Foundation } from '../../foundation.js'
import {
  localAltTextMax,
  localMediaBytesMax,
  localPageMax,
  localScanMax,
  mediaPerPartMax,
  partLengthMax,
  statusLengthMax,
  statusUrlLength,
} from '../../limits.js'
import type { Database } from '../../records/schema.js'
import type { LengthRule } from '../../text/length-rule.js'
import { PhraseMatcher } from '../../text/phrase-matcher.js'
import { checkLength } from '../check-length.js'
import type {
  Account,
  Capabilities,
  FindOutcome,
  NetworkAdapter,
  NetworkPost,
  Page,
  Part,
  PostRef,
  Prepared,
  PublishKey,
  PublishOutcome,
  Query,
  RateState,
  Sent,
} from '../network-adapter.js'
import { randomKey } from '../random-key.js'
import { addresses, idIn, type LocalRow, postOf, refOf, urlOf } from './local-post.js'

/** What {@link LocalNetwork.publish} inserts. */
interface LocalRequest {
  readonly text: string
  readonly replyTo: number | null
  /** JSON list of MediaNote. */
  readonly media: string
}

/** Posts are rows of `local_posts`; what is newer has the higher id. */
export class LocalNetwork implements NetworkAdapter {
  readonly name = 'local'
  readonly lengthRule: LengthRule = { kind: 'short-urls', max: statusLengthMax, urlLength: statusUrlLength }
  readonly rates: readonly RateState[] = []
  readonly capabilities: Capabilities = {
    tier: 'Open',
    canPost: true,
    canReply: true,
    canSearch: true,
    canDiscover: true,
    canAttach: true,
    replyRule: 'Anyone may be replied to.',
    mediaMax: mediaPerPartMax,
    mediaBytesMax: localMediaBytesMax,
    altTextMax: localAltTextMax,
  }
  readonly #handle: string
  readonly #store: Foundation['store']
  readonly #clock: Foundation['clock']

  constructor({ handle, store, clock }: { readonly handle: string } & Pick<Foundation, 'store' | 'clock'>) {
    this.#handle = handle
    this.#store = store
    this.#clock = clock
  }

  async account(): Promise<Account> {
    const { posts } = await this.#store.db
      .selectFrom('local_posts')
      .select(({ fn }) => fn.countAll<number>().as('posts'))
      .where('account', '=', this.#handle)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow()
    return { id: this.#handle, handle: this.#handle, followers: 0, following: 0, posts: Number(posts) }
  }

  refresh(): Promise<void> {
    return Promise.resolve()
  }

  search({ keyword, limit }: Query, cursor: string | undefined): Promise<Page<NetworkPost>> {
    const matcher = new PhraseMatcher([keyword])
    return this.#page(cursor, limit, ({ text }) => matcher.matchesAny(text))
  }

  mentions(cursor: string | undefined): Promise<Page<NetworkPost>> {
    return this.#page(cursor, localPageMax, (row) => addresses(row, this.#handle))
  }

  authorPosts(author: string, cursor: string | undefined): Promise<Page<NetworkPost>> {
    const handle = author.replace(/^@/, '').toLowerCase()
    return this.#page(cursor, localPageMax, ({ account }) => account.toLowerCase() === handle)
  }

  async posts(refs: readonly PostRef[]): Promise<readonly NetworkPost[]> {
    const ids = refs
      .map(({ id }) => idIn(id))
      .filter((id) => id !== undefined)
      .slice(0, localScanMax)
    if (ids.length === 0) return []
    const rows = await rowsOf(this.#store.db).where('post.id', 'in', ids).execute()
    return rows.map((row) => postOf(row, this.#handle))
  }

  parseRef(urlOrId: string): PostRef | undefined {
    const id = idIn(urlOrId.trim().replace(/^local:/, ''))
    return id === undefined ? undefined : refOf(id)
  }

  newPublishKey(now: number, random: () => number): PublishKey {
    return { key: randomKey(random), createdAt: now }
  }

  costOf(): number {
    return 0
  }

  replyPrefix(): string {
    return ''
  }

  prepare(part: Part, key: PublishKey): Prepared {
    checkLength(this.name, part, this.lengthRule)
    const { text, media, parent } = part
    if (media.length > mediaPerPartMax) {
      throw failure('validation_error', `A post takes ${mediaPerPartMax} files at most; ${media.length} are too many.`)
    }
    const replyTo = parent === undefined ? null : idIn(parent.id)
    if (replyTo === undefined) throw failure('not_found', 'What is replied to is no post of this network.')
    const notes = media.map(({ sha256, mime, bytes, alt }) => ({ part: 0, sha256, mime, bytes: bytes.length, alt }))
    const request: LocalRequest = { text: storable(text, partLengthMax), replyTo, media: JSON.stringify(notes) }
    return { part, key, request }
  }

  async publish(prepared: Prepared, signal?: AbortSignal): Promise<PublishOutcome> {
    try {
      return await this.#store.transaction((db) => this.#insert(db, prepared), { ...(signal && { signal }) })
    } catch (error) {
      return outcomeOf(error, signal)
    }
  }

  async #insert(db: Database, { key, request }: Prepared): Promise<PublishOutcome> {
    const known = await sentUnder(db, key)
    if (known !== undefined) return known
    const { text, replyTo, media } = request as LocalRequest
    if (replyTo !== null) {
      const parent = await rowsOf(db).where('post.id', '=', replyTo).executeTakeFirst()
      if (parent === undefined) {
        return { kind: 'rejected', code: 'not_found', message: 'The post that this answers is no longer there.' }
      }
      await countReply(db, replyTo, 1)
    }
    const { id } = await db
      .insertInto('local_posts')
      .values({
        account: this.#handle,
        text,
        reply_to: replyTo,
        media,
        publish_key: key.key,
        sample: 0,
        likes: 0,
        reposts: 0,
        replies: 0,
        created_at: key.createdAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return sent(id)
  }

  async find({ key }: Prepared): Promise<FindOutcome> {
    return (await sentUnder(this.#store.db, key)) ?? { kind: 'absent' }
  }

  async remove({ id }: PostRef): Promise<void> {
    const row = idIn(id)
    if (row === undefined) return
    await this.#store.transaction(async (db) => {
      const deleted = await db
        .updateTable('local_posts')
        .set({ deleted_at: this.#clock.now() })
        .where('id', '=', row)
        .where('account', '=', this.#handle)
        .where('deleted_at', 'is', null)
        .returning('reply_to')
        .executeTakeFirst()
      if (deleted?.reply_to != null) await countReply(db, deleted.reply_to, -1)
    })
  }

  async check(): Promise<{ readonly status: 'ok' | 'error'; readonly message: string }> {
    try {
      const { posts } = await this.account()
      return { status: 'ok', message: `The built-in network holds ${posts} posts of ${this.#handle}.` }
    } catch {
      return { status: 'error', message: 'The built-in network lives in the database, which does not answer.' }
    }
  }

  renew(): Promise<void> {
    return Promise.resolve()
  }

  /** Of the newest posts behind the cursor, those that are wanted. */
  async #page(
    cursor: string | undefined,
    limit: number,
    isWanted: (row: LocalRow) => boolean,
  ): Promise<Page<NetworkPost>> {
    const rows = await rowsOf(this.#store.db)
      .where('post.id', '>', (cursor === undefined ? undefined : idIn(cursor)) ?? 0)
      .orderBy('post.id', 'desc')
      .limit(localScanMax)
      .execute()
    const wanted = rows.filter(isWanted).slice(0, limit)
    const newest = rows[0]?.id
    return {
      items: wanted.map((row) => postOf(row, this.#handle)),
      ...(newest !== undefined && { cursor: String(newest) }),
    }
  }
}

/** All that are not deleted. */
function rowsOf(db: Database) {
  return db
    .selectFrom('local_posts as post')
    .leftJoin('local_posts as parent', 'parent.id', 'post.reply_to')
    .selectAll('post')
    .select('parent.account as parent_account')
    .where('post.deleted_at', 'is', null)
}

/** Deleted since or not: it did go out. */
async function sentUnder(db: Database, { key }: PublishKey): Promise<Sent | undefined> {
  const row = await db.selectFrom('local_posts').select('id').where('publish_key', '=', key).executeTakeFirst()
  return row && sent(row.id)
}

function sent(id: number): Sent {
  return { kind: 'sent', ref: refOf(id), url: urlOf(id) }
}

async function countReply(db: Database, id: number, difference: 1 | -1): Promise<void> {
  await db
    .updateTable('local_posts')
    .set(({ eb }) => ({ replies: eb('replies', '+', difference) }))
    .where('id', '=', id)
    .execute()
}

function outcomeOf(error: unknown, signal: AbortSignal | undefined): PublishOutcome {
  if (signal?.aborted) {
    return { kind: 'delayed', code: 'network_unavailable', message: 'Stopped before it was stored.' }
  }
  if (error instanceof StoreError && error.code === 'locked') {
    return { kind: 'delayed', code: 'db_error', message: 'The database is busy: somebody else writes.' }
  }
  // A database that goes away while it commits may have stored it.
  return { kind: 'unknown', message: 'The database did not say whether the post was stored.' }
}
