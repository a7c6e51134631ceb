import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { SocialFailure } from '../../src/envelope/failure.js'
import {
  budgetOf,
  type LedgerEvent,
  type LimitRule,
  limitedActions,
  longestWindowMs,
  ruleOf,
  settle,
  take,
} from '../../src/ledger/rate-ledger.js'
import { openTestFoundation, seeded, type TestFoundation } from '../support/test-foundation.js'

const second = 1_000
const hour = 60 * 60 * second
const day = 24 * hour

describe('the rule of an action', () => {
  it('is what the configuration says, by default this', () => {
    const config = parseSocialConfig({})
    expect(limitedActions.map((action) => ruleOf(config, action))).toEqual([
      { action: 'reply', max: 5, windowMs: 86_400 * second },
      { action: 'tweet', max: 6, windowMs: 86_400 * second },
      { action: 'thread', max: 1, windowMs: 604_800 * second },
      { action: 'search', max: 300, windowMs: 900 * second },
      { action: 'mention_check', max: 180, windowMs: 900 * second },
      { action: 'mcp_mutation', max: 20, windowMs: 3_600 * second },
    ])
    expect(longestWindowMs).toBe(604_800 * second)
  })

  it('follows each key of the configuration', () => {
    const config = parseSocialConfig({
      limits: {
        max_replies_per_day: 11,
        max_tweets_per_day: 12,
        max_threads_per_week: 13,
        max_searches_per_15_minutes: 14,
        max_mention_checks_per_15_minutes: 15,
        max_mutations_per_hour: 16,
      },
    })
    expect(limitedActions.map((action) => ruleOf(config, action).max)).toEqual([11, 12, 13, 14, 15, 16])
  })
})

describeBothDatabases('the ledger', (database) => {
  let foundation: TestFoundation
  let now: number
  const reply: LimitRule = { action: 'reply', max: 2, windowMs: day }

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create() })
    now = foundation.clock.now()
  })
  afterEach(() => foundation[Symbol.asyncDispose]())

  const takeNow = (event: Partial<LedgerEvent> = {}, rule = reply, at = now) =>
    foundation.store.transaction((tx) =>
      take(tx, { action: rule.action, network: 'local', at, ...event }, rule, foundation.clock.now()),
    )
  const budget = (rule = reply, network = 'local') =>
    budgetOf(foundation.store.db, rule, { network }, foundation.clock.now())
  const refusalOf = async (taking: Promise<void>) => {
    const error = await taking.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (error instanceof SocialFailure) return error
    throw new Error(`not refused: ${error}`)
  }

  it('takes what fits and refuses the next one, with the time at which it would fit', async () => {
    await takeNow()
    foundation.clock.advance(hour)
    await takeNow({}, reply, now + hour)
    foundation.clock.advance(hour)
    const refused = await refusalOf(takeNow({}, reply, now + 2 * hour))
    expect(refused).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(refused.options.retryAfterMs).toBe(22 * hour)
    expect(refused.options.details).toEqual({
      action_type: 'reply',
      max_requests: 2,
      period_seconds: 86_400,
      network: 'local',
    })
    expect(refused.message).toBe(
      'The limit of 2 replies in 24 hours on local is reached (social.limits.max_replies_per_day); ' +
        'the next one is free at 2026-03-03T12:00:00.000Z.',
    )
    foundation.clock.advance(22 * hour - 1)
    await refusalOf(takeNow({}, reply, foundation.clock.now()))
    foundation.clock.advance(1)
    await takeNow({}, reply, foundation.clock.now())
  })

  it('counts each network, action and principal by itself', async () => {
    await takeNow()
    await takeNow()
    await takeNow({ network: 'bluesky' })
    await takeNow({ action: 'tweet' }, { ...reply, action: 'tweet' })
    const mutation: LimitRule = { action: 'mcp_mutation', max: 1, windowMs: hour }
    await takeNow({ network: '', principal: 'agent:ada' }, mutation)
    await takeNow({ network: '', principal: 'agent:bob' }, mutation)
    const refused = await refusalOf(takeNow({ network: '', principal: 'agent:ada' }, mutation))
    expect(refused).toMatchObject({ code: 'policy_denied_rate_limited', retryable: true })
    expect(refused.options).toMatchObject({ policyDecision: 'denied', retryAfterMs: hour })
    expect(refused.message).toContain('The limit of 1 changing calls in one hour is reached')
  })

  it('reserves with an outbox row and uses without one', async () => {
    await takeNow({ outboxId: 7, authorId: 'a1' })
    await takeNow()
    const rows = await foundation.store.db.selectFrom('rate_ledger').selectAll().orderBy('id').execute()
    expect(rows).toMatchObject([
      { action_type: 'reply', network: 'local', outbox_id: 7, author_id: 'a1', state: 'reserved', at: now },
      { outbox_id: null, author_id: null, principal: null, state: 'used', at: now },
    ])
    expect(await budget()).toMatchObject({ used: 1, reserved: 1, remaining: 0 })
  })

  it('lets a reservation of the future count in every window that it is in', async () => {
    await takeNow({ outboxId: 1, at: now + 12 * hour })
    await takeNow({ outboxId: 2, at: now + 30 * hour })
    await takeNow()
    const refused = await refusalOf(takeNow())
    expect(refused.options.retryAfterMs, 'one day after the one of now, where the others are two').toBe(36 * hour)
    await refusalOf(takeNow({ outboxId: 3, at: now + 20 * hour }))
    await takeNow({ outboxId: 3, at: now + 36 * hour })
  })

  it('tells who schedules for which time there is room', async () => {
    await takeNow({ outboxId: 1, at: now + 12 * hour })
    await takeNow({ outboxId: 2, at: now + 13 * hour })
    const refused = await refusalOf(takeNow({ outboxId: 3, at: now + 14 * hour }))
    expect(refused.message).toEqual(
      expect.stringMatching(/the next one is free at 2026-03-04T00:00:00.000Z, so give it that time or a later one\.$/),
    )
  })

  it('counts what was due long ago now, not then', async () => {
    await takeNow({ outboxId: 1, at: now - 2 * day })
    expect(await foundation.store.db.selectFrom('rate_ledger').select('at').executeTakeFirst()).toEqual({ at: now })
  })

  it('never lets anything through a limit of 0, and does not say "later"', async () => {
    const refused = await refusalOf(takeNow({ action: 'thread' }, { action: 'thread', max: 0, windowMs: 7 * day }))
    expect(refused).toMatchObject({ code: 'rate_limited', retryable: false })
    expect(refused.options.retryAfterMs).toBeUndefined()
    expect(refused.message).toBe(
      'No threads on local: an operator has switched them off (social.limits.max_threads_per_week is 0).',
    )
    const { resetsAt, ...rest } = await budget({ action: 'thread', max: 0, windowMs: 7 * day })
    expect(resetsAt).toBeUndefined()
    expect(rest).toMatchObject({ remaining: 0, used: 0, reserved: 0 })
  })

  it('follows a limit that was changed', async () => {
    await takeNow()
    await takeNow()
    await takeNow({}, { ...reply, max: 3 })
    expect(await budget({ ...reply, max: 1 })).toMatchObject({ used: 3, remaining: 0, resetsAt: now + day })
  })

  it('frees the place of what was refunded', async () => {
    await takeNow({ outboxId: 1 })
    await takeNow({ outboxId: 2 })
    await settle(foundation.store.db, 2, 'refunded', now)
    expect(await budget()).toMatchObject({ used: 0, reserved: 1, remaining: 1 })
    await takeNow({ outboxId: 3 })
  })

  it('moves what was used to the time at which it was', async () => {
    await takeNow({ outboxId: 1, at: now + 3 * hour })
    foundation.clock.advance(5 * hour)
    await settle(foundation.store.db, 1, 'used', now + 5 * hour)
    expect(await budget()).toMatchObject({ used: 1, reserved: 0, periodStart: now + 5 * hour })
  })

  it('settles once: what was used is not refunded afterwards, and what was refunded is not used', async () => {
    await takeNow({ outboxId: 1 })
    await takeNow({ outboxId: 2 })
    await settle(foundation.store.db, 1, 'used', now)
    await settle(foundation.store.db, 1, 'refunded', now + 1)
    await settle(foundation.store.db, 1, 'used', now + 2)
    await settle(foundation.store.db, 2, 'refunded', now)
    await settle(foundation.store.db, 2, 'used', now + 1)
    await settle(foundation.store.db, 99, 'used', now)
    expect(await budget()).toMatchObject({ used: 1, reserved: 0, periodStart: now })
  })

  it('settles what is reserved anew for a row whose first reservation was refunded', async () => {
    await takeNow({ outboxId: 1 })
    await settle(foundation.store.db, 1, 'refunded', now)
    await takeNow({ outboxId: 1 })
    await settle(foundation.store.db, 1, 'used', now)
    expect(await budget()).toMatchObject({ used: 1, reserved: 0, remaining: 1 })
  })

  it('has a budget before anything happened', async () => {
    expect(await budget()).toEqual({
      ...reply,
      used: 0,
      reserved: 0,
      remaining: 2,
      periodStart: now - day,
      resetsAt: now,
    })
  })

  it('gives the last place to one of two who want it at the same time', async () => {
    await takeNow()
    const both = await Promise.allSettled([takeNow({ outboxId: 1 }), takeNow({ outboxId: 2 })])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await budget()).toMatchObject({ used: 1, reserved: 1, remaining: 0 })
  })

  it('gives the last place to one of two processes', async () => {
    const location = await database.create()
    await using here = await openTestFoundation({ location })
    await using there = await openTestFoundation({ location })
    const one: LimitRule = { ...reply, max: 1 }
    const event = { action: 'reply', network: 'local', at: now } as const
    for (let round = 0; round < 10; round += 1) {
      const at = now + round * day
      const both = await Promise.allSettled(
        [here, there].map(({ store }) => store.transaction((tx) => take(tx, { ...event, at }, one, at))),
      )
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    }
  })

  it('refuses to check and count in two transactions', async () => {
    await expect(take(foundation.store.db, { action: 'reply', network: 'local', at: now }, reply, now)).rejects.toThrow(
      'one transaction',
    )
  })

  it('never lets a window be fuller than its limit, whatever is taken, used and refunded when', async () => {
    const random = seeded(3)
    const upTo = (most: number) => Math.floor(random() * (most + 1))
    const rule: LimitRule = { action: 'tweet', max: 3, windowMs: 20 }
    const model = new Map<number, number>()
    const fits = (at: number) => {
      const times = [...model.values(), at]
      for (let end = at; end < at + rule.windowMs; end += 1) {
        if (times.filter((time) => time > end - rule.windowMs && time <= end).length > rule.max) return false
      }
      return true
    }
    for (let id = 1; id <= 150; id += 1) {
      foundation.clock.advance(upTo(4))
      const time = foundation.clock.now()
      const at = time + upTo(40)
      const taken = await takeNow({ outboxId: id }, rule, at).then(
        () => true,
        () => false,
      )
      expect(taken, `round ${id}`).toBe(fits(at))
      if (taken) model.set(id, at)
      const [other] = [...model.keys()].slice(upTo(model.size))
      if (other !== undefined && upTo(4) === 0) {
        await settle(foundation.store.db, other, 'refunded', time)
        model.delete(other)
      }
    }
    expect(model.size).toBeGreaterThan(15)
  })
})
