import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ReplyTarget } from '../../src/policy/safety-checks.js'
import { pruneOld } from '../../src/records/prune.js'
import type { LedgerState, SocialSchema } from '../../src/records/schema.js'
import { addItem } from '../support/add-item.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const day = 24 * 60 * 60_000

describeBothDatabases('pruning', (database) => {
  let foundation: TestFoundation
  let now: number

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create() })
    now = foundation.clock.now()
  })
  afterEach(() => foundation[Symbol.asyncDispose]())

  const db = () => foundation.store.db
  const count = async (table: keyof SocialSchema) => (await db().selectFrom(table).selectAll().execute()).length

  async function addDiscovered(remote_id: string, discovered_at: number, replied_to: 0 | 1 = 0) {
    await db()
      .insertInto('discovered_posts')
      .values({
        network: 'local',
        remote_id,
        url: 'u',
        author_id: 'a',
        author_username: 'a',
        content: 'c',
        posted_at: 0,
        likes: 0,
        reposts: 0,
        replies: 0,
        has_media: 0,
        is_quote: 0,
        source: 'search',
        matched_keywords: '[]',
        base_score: 0,
        score: 0,
        scoring_version: '1',
        discovered_at,
        replied_to,
        addresses_us: 0,
        can_reply: 1,
      })
      .execute()
  }
  async function discovered(): Promise<readonly string[]> {
    const rows = await db().selectFrom('discovered_posts').select('remote_id').orderBy('remote_id').execute()
    return rows.map(({ remote_id }) => remote_id)
  }

  it('forgets posts that nobody replied to after 7 days, and others after 90', async () => {
    await addDiscovered('unreplied, old', now - 7 * day - 1)
    await addDiscovered('unreplied, young', now - 7 * day)
    await addDiscovered('replied, old', now - 90 * day - 1, 1)
    await addDiscovered('replied, young', now - 90 * day, 1)
    await pruneOld(foundation)
    expect(await discovered()).toEqual(['replied, young', 'unreplied, young'])
  })

  it('keeps a post as long as a reply to it is open', async () => {
    const target = (id: string): ReplyTarget => ({
      id,
      url: '',
      authorId: 'a',
      author: 'a',
      text: '',
      addressesUs: true,
    })
    for (const status of ['pending', 'approved', 'scheduled', 'publishing', 'unknown', 'rejected', 'posted'] as const) {
      await addDiscovered(status, 0)
      await addItem(db(), now, { status, target: target(status) })
    }
    await pruneOld(foundation)
    expect(await discovered()).toEqual(['approved', 'pending', 'publishing', 'scheduled', 'unknown'])
  })

  it('forgets the action log after 14 days', async () => {
    for (const created_at of [now - 14 * day - 1, now - 14 * day]) {
      await db()
        .insertInto('action_log')
        .values({ action_type: 'tweet', status: 'success', message: '', metadata: '{}', created_at })
        .execute()
    }
    await pruneOld(foundation)
    expect(await db().selectFrom('action_log').select('created_at').execute()).toEqual([{ created_at: now - 14 * day }])
  })

  it('forgets items that are over, with all that hangs on them; what is open stays for ever', async () => {
    const statuses = [
      ...(['pending', 'approved', 'scheduled', 'publishing', 'unknown'] as const),
      ...(['posted', 'failed', 'rejected', 'withdrawn', 'expired'] as const),
    ]
    for (const status of statuses) {
      const { id, outboxId } = await addItem(db(), now - 90 * day - 1, { status })
      await db()
        .insertInto('approval_revisions')
        .values({ approval_id: id, rev: 1, parts: '[]', content_hash: 'h', principal: 'p', at: 0 })
        .execute()
      if (status !== 'posted') continue
      const counts = { likes: 0, replies: 0, reposts: 0, score: 0 }
      await db()
        .insertInto('performance')
        .values({ outbox_id: outboxId, position: 0, due: '1h', measured_at: 0, ...counts })
        .execute()
    }
    await addItem(db(), now - 90 * day, { status: 'posted' })
    await pruneOld(foundation)
    const left = await db().selectFrom('approval_queue').select('status').orderBy('id').execute()
    expect(left.map(({ status }) => status)).toEqual([
      'pending',
      'approved',
      'scheduled',
      'publishing',
      'unknown',
      'posted',
    ])
    expect(await count('approval_revisions')).toBe(5)
    expect(await count('outbox')).toBe(5)
    expect(await count('outbox_parts')).toBe(5)
    expect(await count('performance')).toBe(0)
  })

  it('keeps a post until it has been measured for the last time, however short the retention', async () => {
    await using short = await openTestFoundation({
      location: await database.create(),
      config: { storage: { retention_days: 7 } },
    })
    await addItem(short.store.db, now - 8 * day, { status: 'posted', text: 'young' })
    await addItem(short.store.db, now - 8 * day - 1, { status: 'posted', text: 'old' })
    await pruneOld(short)
    const left = await short.store.db.selectFrom('approval_queue').select('parts').execute()
    expect(left).toEqual([{ parts: '["young"]' }])
  })

  it('forgets what no window reaches any more, but no reservation that is still to be settled', async () => {
    const { outboxId } = await addItem(db(), now, { status: 'unknown' })
    const event = (principal: string, state: LedgerState, at: number, outbox_id: number | null = null) =>
      db()
        .insertInto('rate_ledger')
        .values({ action_type: 'reply', network: 'local', principal, state, at, outbox_id })
        .execute()
    await event('used, old', 'used', now - 90 * day - 1)
    await event('used, young', 'used', now - 90 * day)
    await event('refunded', 'refunded', 0)
    await event('reserved', 'reserved', 0, outboxId)
    await event('reserved for nothing', 'reserved', 0, 999)
    await pruneOld(foundation)
    const left = await db().selectFrom('rate_ledger').select('principal').orderBy('principal').execute()
    expect(left.map(({ principal }) => principal)).toEqual(['reserved', 'used, young'])
  })

  it('forgets media that neither an item nor a post has, a day after they were stored', async () => {
    const note = (sha256: string) => JSON.stringify([{ part: 0, sha256, mime: 'image/png', bytes: 1, alt: '' }])
    const old = now - day - 1
    for (const [sha256, created_at] of [
      ['aa', old],
      ['bb', old],
      ['cc', old],
      ['dd', old],
      ['ee', now - day],
    ] as const) {
      await db().insertInto('media').values({ sha256, mime: 'image/png', bytes: 1, data: '', created_at }).execute()
    }
    await addItem(db(), now, { media: note('aa') })
    await addItem(db(), now - 91 * day, { status: 'posted', media: note('bb') })
    await db()
      .insertInto('local_posts')
      .values({
        account: 'you',
        text: '',
        media: note('cc'),
        sample: 0,
        likes: 0,
        reposts: 0,
        replies: 0,
        created_at: 0,
      })
      .execute()
    await pruneOld(foundation)
    const left = await db().selectFrom('media').select('sha256').orderBy('sha256').execute()
    expect(left.map(({ sha256 }) => sha256)).toEqual(['aa', 'cc', 'ee'])
  })

  it('forgets drafts, usage, snapshots and scores after 90 days', async () => {
    for (const at of [now - 90 * day - 1, now - 90 * day]) {
      await db()
        .insertInto('drafts')
        .values({ network: 'local', kind: 'tweet', parts: '[]', generated_by: 'llm', owner: 'o', created_at: at })
        .execute()
      await db()
        .insertInto('llm_usage')
        .values({ provider: 'p', model: 'm', purpose: 'reply', input_tokens: 1, output_tokens: 1, at })
        .execute()
      await db().insertInto('network_usage').values({ network: 'x', endpoint: 'e', units: 1, cost: 0, at }).execute()
      const counts = { follower_count: 1, following_count: 1, tweet_count: 1 }
      await db()
        .insertInto('follower_snapshots')
        .values({ network: 'x', date: `${at}`, ...counts, at })
        .execute()
      await db()
        .insertInto('topic_scores')
        .values({ network: 'x', topic: `${at}`, format: 'tip', total_posts: 1, avg_performance: 1, updated_at: at })
        .execute()
    }
    await pruneOld(foundation)
    for (const table of ['drafts', 'llm_usage', 'network_usage', 'follower_snapshots', 'topic_scores'] as const) {
      expect(await count(table), table).toBe(1)
    }
  })

  it('keeps the posts of the built-in network until 90 days after they were deleted', async () => {
    for (const deleted_at of [null, now - 90 * day, now - 90 * day - 1]) {
      await db()
        .insertInto('local_posts')
        .values({
          account: 'you',
          text: String(deleted_at),
          media: '[]',
          sample: 0,
          likes: 0,
          reposts: 0,
          replies: 0,
          created_at: 0,
          deleted_at,
        })
        .execute()
    }
    await pruneOld(foundation)
    const left = await db().selectFrom('local_posts').select('deleted_at').orderBy('id').execute()
    expect(left).toEqual([{ deleted_at: null }, { deleted_at: now - 90 * day }])
  })

  it('forgets replies to calls when no repeat is answered by them any more', async () => {
    for (const [key, created_at] of [
      ['old', now - day],
      ['young', now - day + 1],
    ] as const) {
      await db()
        .insertInto('call_replies')
        .values({ principal: 'p', tool: 't', key, args_hash: 'h', reply: '{}', created_at })
        .execute()
    }
    await pruneOld(foundation)
    expect(await db().selectFrom('call_replies').select('key').execute()).toEqual([{ key: 'young' }])
  })

  it('removes more than one statement does, and ends', async () => {
    for (let n = 0; n < 1_100; n += 100) {
      await db()
        .insertInto('network_usage')
        .values(Array.from({ length: 100 }, () => ({ network: 'x' as const, endpoint: 'e', units: 1, cost: 0, at: 0 })))
        .execute()
    }
    await pruneOld(foundation)
    expect(await count('network_usage')).toBe(0)
  })
})
