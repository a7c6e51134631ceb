import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ReplyTarget } from '../../src/policy/safety-checks.js'
import { getRecentRepliesTool } from '../../src/tools/get-recent-replies-tool.js'
import { getReplyCountTodayTool } from '../../src/tools/get-reply-count-today-tool.js'
import { listTargetAccountsTool } from '../../src/tools/list-target-accounts-tool.js'
import { addItem, type GivenItem } from '../support/add-item.js'
import { type CallTool, serveForTest } from '../support/call-tool.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const hour = 60 * 60_000

describeBothDatabases('replies and targets', (database) => {
  let foundation: TestFoundation
  let call: CallTool
  let close: () => Promise<unknown>
  let now: number

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create() })
    now = foundation.clock.now()
    const tools = [getRecentRepliesTool, getReplyCountTodayTool, listTargetAccountsTool]
    const served = await serveForTest(
      tools.map((tool) => tool(foundation)),
      foundation,
    )
    call = served.call
    close = () => served.link.close()
  })
  afterEach(async () => {
    await close()
    await foundation[Symbol.asyncDispose]()
  })

  const target = (id: string): ReplyTarget => ({
    id,
    url: `local:${id}`,
    authorId: 'a-1',
    author: 'grace',
    text: 'A question.',
    addressesUs: true,
  })
  const add = (id: string, given: GivenItem = {}) => addItem(foundation.store.db, now, { target: target(id), ...given })

  it('are shown newest first, with what became of each', async () => {
    const posted = await add('p1', { status: 'posted', text: 'Yes.', sentAt: now - 2 * hour })
    const failed = await add('p2', {
      status: 'failed',
      text: 'No.',
      sentAt: now - hour,
      outbox: { last_error: 'refused', last_code: 'network_forbidden' },
    })
    const unknown = await add('p3', { status: 'unknown', text: 'Perhaps.', network: 'bluesky' })
    const answer = await call('get_recent_replies')
    expect(answer.data).toEqual([
      {
        id: unknown.id,
        target_tweet_id: 'p3',
        reply_content: 'Perhaps.',
        created_at: '2026-03-02T12:00:00.000Z',
        status: 'unknown',
        network: 'bluesky',
      },
      {
        id: failed.id,
        target_tweet_id: 'p2',
        reply_content: 'No.',
        created_at: '2026-03-02T11:00:00.000Z',
        status: 'failed',
        error_message: 'refused',
        network: 'local',
      },
      {
        id: posted.id,
        target_tweet_id: 'p1',
        reply_tweet_id: `remote-${posted.id}-0`,
        reply_content: 'Yes.',
        created_at: '2026-03-02T10:00:00.000Z',
        status: 'posted',
        network: 'local',
        url: `local:${posted.id}-0`,
      },
    ])
    expect((await call('get_recent_replies', { network: 'bluesky' })).data).toHaveLength(1)
    expect((await call('get_recent_replies', { since_hours: 1 })).data).toHaveLength(2)
  })

  it('are neither posts nor what was never sent', async () => {
    for (const status of [
      'pending',
      'approved',
      'scheduled',
      'publishing',
      'rejected',
      'withdrawn',
      'expired',
    ] as const) {
      await add(`p ${status}`, { status })
    }
    await addItem(foundation.store.db, now, { status: 'posted' })
    expect((await call('get_recent_replies')).data).toEqual([])
    expect((await call('get_reply_count_today')).data).toEqual({ replies_today: 0, day: '2026-03-02' })
  })

  it('come in pages', async () => {
    for (const id of ['p1', 'p2', 'p3']) await add(id, { status: 'posted' })
    const first = await call('get_recent_replies', { limit: 2 })
    expect(first.data.map((reply: { target_tweet_id: string }) => reply.target_tweet_id)).toEqual(['p3', 'p2'])
    const { next_token: cursor } = first.meta.pagination!
    const second = await call('get_recent_replies', { limit: 2, cursor })
    expect(second.data).toMatchObject([{ target_tweet_id: 'p1' }])
    expect(second.meta.pagination).toEqual({ result_count: 1, has_more: false })
  })

  it('are counted by the UTC day on which they were sent', async () => {
    await add('p1', { status: 'posted', sentAt: Date.parse('2026-03-01T23:59:59.999Z') })
    await add('p2', { status: 'posted', sentAt: Date.parse('2026-03-02T00:00:00.000Z') })
    await add('p3', { status: 'posted', sentAt: Date.parse('2026-03-02T11:00:00.000Z'), network: 'bluesky' })
    await add('p4', { status: 'failed' })
    expect((await call('get_reply_count_today')).data).toEqual({ replies_today: 2, day: '2026-03-02' })
    expect((await call('get_reply_count_today', { network: 'local' })).data.replies_today).toBe(1)
    foundation.clock.advance(12 * hour)
    expect((await call('get_reply_count_today')).data).toEqual({ replies_today: 0, day: '2026-03-03' })
  })

  it('target accounts are shown when they are active, in pages', async () => {
    const { db } = foundation.store
    const row = { network: 'local', total_replies_sent: 0, status: 'active' } as const
    await db
      .insertInto('targets')
      .values({ ...row, account_id: 'b', username: 'bea' })
      .execute()
    await db
      .insertInto('targets')
      .values({
        ...row,
        account_id: 'a',
        username: 'ann',
        followed_at: 0,
        first_engagement_at: 1,
        last_reply_at: 2,
        total_replies_sent: 3,
      })
      .execute()
    await db
      .insertInto('targets')
      .values({ ...row, account_id: 'c', username: 'cid', status: 'removed' })
      .execute()
    await db
      .insertInto('targets')
      .values({ ...row, network: 'x', account_id: 'a', username: 'xia' })
      .execute()
    const first = await call('list_target_accounts', { limit: 1 })
    expect(first.data).toEqual([
      {
        account_id: 'a',
        username: 'ann',
        followed_at: '1970-01-01T00:00:00.000Z',
        first_engagement_at: '1970-01-01T00:00:00.001Z',
        total_replies_sent: 3,
        last_reply_at: '1970-01-01T00:00:00.002Z',
        status: 'active',
        network: 'local',
      },
    ])
    const rest = await call('list_target_accounts', { cursor: first.meta.pagination!.next_token })
    expect(rest.data).toEqual([
      { account_id: 'b', username: 'bea', total_replies_sent: 0, status: 'active', network: 'local' },
      { account_id: 'a', username: 'xia', total_replies_sent: 0, status: 'active', network: 'x' },
    ])
    expect((await call('list_target_accounts', { network: 'x' })).data).toHaveLength(1)
  })
})
