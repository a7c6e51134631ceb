import { describeBothDatabases } from '@callboard/store/testing'
import { describe, expect, test } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { failure } from '../../src/envelope/failure.js'
import { operator } from '../support/call-tool.js'
import { openPostingDesk, type PostingDesk } from '../support/posting-desk.js'

const minute = 60_000

/** Publishes all that is due after that time. */
async function pass(desk: PostingDesk, ms: number): Promise<void> {
  desk.foundation.clock.advance(ms)
  await desk.publisher.round()
}

async function ledger(desk: PostingDesk): Promise<readonly string[]> {
  const rows = await desk.foundation.store.db
    .selectFrom('rate_ledger')
    .select('state')
    .where('action_type', '!=', 'mcp_mutation')
    .orderBy('id')
    .execute()
  return rows.map(({ state }) => state)
}

async function alerts(desk: PostingDesk): Promise<readonly string[]> {
  const rows = await desk.foundation.store.db
    .selectFrom('action_log')
    .select('message')
    .where('status', '=', 'alert')
    .execute()
  return rows.map(({ message }) => message)
}

describe('publishing', () => {
  test('makes a thread of n linked posts, each answering the one before', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.approved({ kind: 'thread', parts: ['First of all.', 'And then.', 'In the end.'] })
    await desk.publisher.round()
    const posts = await desk.posts()
    expect(posts.map(({ text }) => text)).toEqual(['First of all.', 'And then.', 'In the end.'])
    expect(posts.map(({ reply_to }) => reply_to)).toEqual([null, posts[0]!.id, posts[1]!.id])
    expect(desk.network.requests.map(({ part }) => part.root?.id)).toEqual([
      undefined,
      String(posts[0]!.id),
      String(posts[0]!.id),
    ])
    expect((await desk.item(id)).status).toBe('posted')
    expect(await ledger(desk)).toEqual(['used'])
  })

  test('of what was scheduled waits for its time, and does it at once when that has passed meanwhile', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.approved({ scheduled_for: '2026-03-02T13:00:00Z' })
    await pass(desk, 59 * minute)
    expect(await desk.posts()).toEqual([])
    expect(desk.publisher.holdUntil).toBe(Date.parse('2026-03-02T13:00:00Z'))
    // Nobody was there for two hours.
    await pass(desk, 121 * minute)
    expect(await desk.posts()).toHaveLength(1)
    expect((await desk.item(id)).status).toBe('posted')
    expect(desk.publisher.holdUntil).toBeUndefined()
  })

  test('keeps a distance between posts of one account', async () => {
    await using desk = await openPostingDesk({ name: 'bluesky', config: bluesky })
    await desk.approved({ parts: ['One about tool calls.'] })
    await desk.approved({ parts: ['Another, on schedules and mail.'] })
    await desk.publisher.round()
    expect(await desk.posts()).toHaveLength(1)
    await pass(desk, 44_000)
    expect(await desk.posts()).toHaveLength(1)
    await pass(desk, 136_000)
    expect(await desk.posts()).toHaveLength(2)
  })

  test('drops a reply six hours after it was due', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.approved({ kind: 'reply', reply_to: await sample(desk), parts: ['Agreed; well said.'] })
    await pass(desk, 6 * 60 * minute + 1)
    expect(await desk.item(id)).toMatchObject({ status: 'failed', outbox: { last_code: 'expired' } })
    expect(await desk.posts()).toEqual([])
    expect(await ledger(desk)).toEqual(['refunded'])
  })

  test('judges once more just before it sends', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.approved({
      parts: ['The very same words about agents.'],
      scheduled_for: '2026-03-02T13:00:00Z',
    })
    // Meanwhile the worker was started anew, with another rule.
    const config = parseSocialConfig({ limits: { banned_phrases: ['very same words'] } })
    await using stricter = await openPostingDesk({ foundation: { ...desk.foundation, config } })
    await pass(stricter, 60 * minute)
    expect(await desk.item(id)).toMatchObject({ status: 'failed', outbox: { last_code: 'policy_denied_hard_rule' } })
    expect(await desk.posts()).toEqual([])
  })
})

describe('a post that the network refuses', () => {
  test('fails, gives its place back, and does not block the next one', async () => {
    await using desk = await openPostingDesk()
    desk.network.faults.push({ kind: 'rejected', code: 'network_forbidden', message: 'no such thing here' })
    const first = await desk.approved({ parts: ['One about tool calls.'] })
    const second = await desk.approved({ parts: ['Another, on schedules and mail.'] })
    await desk.publisher.round()
    expect(await desk.item(first)).toMatchObject({
      status: 'failed',
      outbox: { status: 'failed', last_code: 'network_forbidden', last_error: 'no such thing here' },
    })
    expect((await desk.item(second)).status).toBe('posted')
    expect(await ledger(desk)).toEqual(['refunded', 'used'])
  })

  test('can be tried again, under the same key', async () => {
    await using desk = await openPostingDesk()
    desk.network.faults.push({ kind: 'rejected', code: 'network_forbidden', message: 'no' })
    const id = await desk.approved()
    await desk.publisher.round()
    expect((await desk.call('retry_item', { id }, operator)).data).toMatchObject({ status: 'approved', id })
    await desk.publisher.round()
    expect((await desk.item(id)).status).toBe('posted')
    const [first, second] = desk.network.requests
    expect(second!.key).toEqual(first!.key)
    expect(await ledger(desk)).toEqual(['refunded', 'used'])
  })

  test('in the middle of a thread leaves what is out, and goes on from there when it is tried again', async () => {
    await using desk = await openPostingDesk()
    desk.network.faults.push(async () => {}, { kind: 'rejected', code: 'media_upload_error', message: 'no' })
    const id = await desk.approved({ kind: 'thread', parts: ['First of all.', 'And then.', 'In the end.'] })
    await desk.publisher.round()
    expect(await desk.item(id)).toMatchObject({
      status: 'failed',
      outbox: {
        last_code: 'thread_partial_failure',
        parts: [{ status: 'sent' }, { status: 'queued' }, { status: 'queued' }],
      },
    })
    expect(await ledger(desk)).toEqual(['used'])
    await desk.call('retry_item', { id }, operator)
    await desk.publisher.round()
    expect((await desk.posts()).map(({ text }) => text)).toEqual(['First of all.', 'And then.', 'In the end.'])
    expect((await desk.item(id)).status).toBe('posted')
    expect(await ledger(desk)).toEqual(['used'])
  })
})

describe('a network that is not there', () => {
  test('is tried six times, each later than the one before, and then the item fails', async () => {
    await using desk = await openPostingDesk()
    for (let count = 0; count < 6; count++) {
      desk.network.faults.push({ kind: 'delayed', code: 'network_unavailable', message: 'nobody there' })
    }
    const id = await desk.approved()
    await desk.publisher.round()
    expect(await desk.item(id)).toMatchObject({ status: 'approved', outbox: { status: 'queued', attempts: 1 } })
    const waits = []
    for (let tries = 1; tries < 6; tries++) {
      const { next_try_at } = (await desk.item(id)).outbox
      const wait = Date.parse(next_try_at) - desk.foundation.clock.now()
      waits.push(wait)
      await pass(desk, wait - 1)
      expect(desk.network.requests).toHaveLength(tries)
      await pass(desk, 1)
      expect(desk.network.requests).toHaveLength(tries + 1)
    }
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(0.8 * 30_000 * 2 ** index)
      expect(wait).toBeLessThanOrEqual(1.2 * 30_000 * 2 ** index)
    }
    expect(await desk.item(id)).toMatchObject({ status: 'failed', outbox: { last_code: 'network_unavailable' } })
    expect(await ledger(desk)).toEqual(['refunded'])
  })

  test('is not asked sooner than it said', async () => {
    await using desk = await openPostingDesk()
    desk.network.faults.push({
      kind: 'delayed',
      code: 'network_rate_limited',
      message: 'later',
      retryAfterMs: 20 * minute,
    })
    await desk.approved()
    await desk.publisher.round()
    await pass(desk, 20 * minute - 1)
    expect(await desk.posts()).toEqual([])
    await pass(desk, 1)
    expect(await desk.posts()).toHaveLength(1)
  })

  test('or refuses our credentials, is left alone for a while, and no post is lost by that', async () => {
    await using desk = await openPostingDesk()
    for (let count = 0; count < 8; count++) {
      desk.network.faults.push({ kind: 'rejected', code: 'network_auth_expired', message: 'log in again' })
    }
    const id = await desk.approved()
    await desk.publisher.round()
    for (let count = 0; count < 8; count++) await pass(desk, 15 * minute)
    expect(desk.network.requests).toHaveLength(9)
    expect((await desk.item(id)).status).toBe('posted')
  })
})

test('what could not go out for days keeps to the limits of the day on which it does', async () => {
  await using desk = await openPostingDesk({ config: { limits: { max_tweets_per_day: 1 } } })
  const refused = { kind: 'rejected', code: 'network_auth_expired', message: 'log in again' } as const
  const first = await desk.approved({ parts: ['One about tool calls.'] })
  desk.network.faults.push(refused)
  await desk.publisher.round()
  await desk.foundation.store.db
    .updateTable('network_states')
    .set({ paused_until: desk.foundation.clock.now() + 20 * 60 * minute })
    .execute()
  desk.foundation.clock.advance(20 * 60 * minute)
  const second = await desk.approved({
    parts: ['Another, on schedules and mail.'],
    scheduled_for: '2026-03-03T12:00:01Z',
  })
  await pass(desk, 5 * 60 * minute)
  const statuses = [(await desk.item(first)).status, (await desk.item(second)).status]
  // The place of the second one is of this day; the first one has to wait for another.
  expect(statuses).toEqual(['approved', 'posted'])
  expect((await desk.item(first)).outbox).toMatchObject({ status: 'queued', last_code: 'policy_denied_rate_limited' })
  await pass(desk, 24 * 60 * minute)
  expect((await desk.item(first)).status).toBe('posted')
})

describe('a post of which no answer came', () => {
  test('is unknown, keeps its place, is looked for, and found: it is there once', async () => {
    await using desk = await openPostingDesk()
    desk.network.faults.push('cut')
    const id = await desk.approved()
    await desk.publisher.round()
    expect(await desk.item(id)).toMatchObject({
      status: 'unknown',
      outbox: { status: 'unknown', last_code: 'publish_unknown' },
    })
    expect(await ledger(desk)).toEqual(['reserved'])
    await pass(desk, 40_000)
    expect((await desk.item(id)).status).toBe('posted')
    expect(desk.network.requests).toHaveLength(1)
    expect(await desk.posts()).toHaveLength(1)
  })

  test('and which is not there is sent again, under the same key', async () => {
    await using desk = await openPostingDesk()
    desk.network.faults.push('lost')
    const id = await desk.approved()
    await desk.publisher.round()
    await pass(desk, 40_000)
    expect((await desk.item(id)).status).toBe('posted')
    const [first, second] = desk.network.requests
    expect(second!.key).toEqual(first!.key)
    expect(await desk.posts()).toHaveLength(1)
  })

  test('is not sent again as long as the network can not be asked', async () => {
    await using desk = await openPostingDesk()
    desk.network.faults.push('cut')
    desk.network.found = failure('network_unavailable', 'nobody there')
    const id = await desk.approved()
    await desk.publisher.round()
    await pass(desk, 5 * minute)
    expect((await desk.item(id)).status).toBe('unknown')
    desk.network.found = undefined
    await pass(desk, 5 * minute)
    expect((await desk.item(id)).status).toBe('posted')
    expect(desk.network.requests).toHaveLength(1)
  })

  test.each(['posted', 'failed'])(
    'and that nobody can tell is left to a person, who says that it is %s',
    async (outcome) => {
      await using desk = await openPostingDesk()
      desk.network.faults.push('cut')
      desk.network.found = { kind: 'undecidable', message: 'two look alike' }
      const id = await desk.approved()
      for (let turn = 0; turn < 8; turn++) await pass(desk, 20 * minute)
      expect((await desk.item(id)).status).toBe('unknown')
      expect(await alerts(desk)).toEqual([expect.stringContaining('resolve_item')])
      expect(desk.publisher.holdUntil).toBeUndefined()
      const { data } = await desk.call('resolve_item', { id, outcome }, operator)
      expect(data).toMatchObject({ status: outcome, id })
      expect(await ledger(desk)).toEqual([outcome === 'posted' ? 'used' : 'refunded'])
      await pass(desk, 60 * minute)
      expect(desk.network.requests).toHaveLength(1)
    },
  )
})

describe('reading back', () => {
  test('verifies each part', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.approved()
    await desk.publisher.round()
    expect((await desk.item(id)).outbox).toMatchObject({ verified_at: '2026-03-02T12:00:00.000Z' })
    const { data } = await desk.call('verify_post', { id })
    expect(data).toEqual({ id, status: 'posted', verified: true, differences: [] })
  })

  test('that finds something else is an alert, with what differs', async () => {
    await using desk = await openPostingDesk()
    desk.network.faults.push(async () => {})
    const id = await desk.approved()
    desk.network.unreadable = failure('network_unavailable', 'nobody there')
    await desk.publisher.round()
    expect((await desk.item(id)).outbox.verified_at).toBeNull()
    await desk.foundation.store.db
      .updateTable('local_posts')
      .set({ text: 'Buy this.' })
      .where('sample', '=', 0)
      .execute()
    desk.network.unreadable = undefined
    await pass(desk, 2 * minute)
    expect(await alerts(desk)).toEqual([expect.stringContaining('not what was meant: text')])
    const { data } = await desk.call('verify_post', { id })
    expect(data).toMatchObject({
      verified: false,
      differences: [{ part: 0, field: 'text', expected: 'Agents need callboards.', found: 'Buy this.' }],
    })
  })
})

describeBothDatabases('of two publishers', (database) => {
  test('one sends', async () => {
    await using one = await openPostingDesk({ location: await database.create() })
    await using two = await openPostingDesk({ foundation: one.foundation })
    for (const text of ['One about tool calls.', 'Another, on schedules and mail.', 'A third, of open networks.']) {
      await one.approved({ parts: [text] })
    }
    await Promise.all([one.publisher.round(), two.publisher.round()])
    await Promise.all([one.publisher.round(), two.publisher.round()])
    expect(await one.posts()).toHaveLength(3)
    expect(one.network.requests.length + two.network.requests.length).toBe(3)
  })

  test('the one that was too slow loses the row, writes nothing, and the post is there once', async () => {
    await using one = await openPostingDesk({ location: await database.create() })
    await using two = await openPostingDesk({ foundation: one.foundation })
    const id = await one.approved()
    let goOn = () => {}
    const stopped = new Promise<void>((reached) => {
      one.network.faults.push(
        () =>
          new Promise((resolve) => {
            goOn = resolve
            reached()
          }),
      )
    })
    const slow = one.publisher.round()
    await stopped
    // Its process stands still, and nothing is renewed.
    const { store, clock } = one.foundation
    await store.db.updateTable('outbox').set({ lease_until: clock.now() }).execute()
    await two.publisher.round()
    expect((await one.item(id)).status).toBe('unknown')
    await pass(two, 2 * minute)
    expect((await one.item(id)).status).toBe('posted')
    goOn()
    await slow
    expect(await one.posts()).toHaveLength(1)
    expect((await one.item(id)).status).toBe('posted')
    expect(one.foundation.logged.map(({ message }) => message)).toContainEqual(expect.stringContaining('taken over'))
  })
})

const bluesky = {
  business: { product_name: 'Callboard', product_keywords: ['mcp'] },
  bluesky: { enabled: true, handle: 'you.test', app_password: 'aaaa-bbbb-cccc-dddd' },
}

async function sample(desk: PostingDesk): Promise<string> {
  const { id } = await desk.foundation.store.db
    .selectFrom('local_posts')
    .select('id')
    .where('sample', '=', 1)
    .orderBy('id')
    .executeTakeFirstOrThrow()
  return String(id)
}
