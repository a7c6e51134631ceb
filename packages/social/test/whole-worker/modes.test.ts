import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, it, vi } from 'vitest'
import { BusyVillage } from '../support/busy-village.js'
import { type InventiveModel, startInventiveModel } from '../support/inventive-model.js'
import type { FakeStatus } from '../support/mastodon-server.js'
import { business, openWholeWorker, type WholeWorker } from '../support/whole-worker.js'

// Days of virtual time, on a machine that has other work.
vi.setConfig({ testTimeout: 600_000 })

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Far more often than the limits let anything out. */
const eager = {
  business,
  scoring: { threshold: 30 },
  intervals: { discovery_seconds: 1_800, mentions_seconds: 1_800, content_seconds: 3_600, thread_seconds: 86_400 },
  targets: { accounts: ['mastodon:mayor'] },
}
const autopilot = { ...eager, mode: 'autopilot' }

async function open(config: object): Promise<Setting> {
  const clock = new VirtualClock()
  const village = await BusyVillage.open(clock)
  const model = await startInventiveModel(clock.now)
  const whole = await openWholeWorker({ clock, config: { llm: model.section, mastodon: village.section, ...config } })
  return {
    whole,
    village,
    model,
    async [Symbol.asyncDispose]() {
      await whole[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
      await village[Symbol.asyncDispose]()
    },
  }
}

interface Setting extends AsyncDisposable {
  readonly whole: WholeWorker
  readonly village: BusyVillage
  readonly model: InventiveModel
}

describe('in composer mode', () => {
  it('three days of reading publish nothing and ask no model, whatever the approval mode says', async () => {
    await using on = await open({ ...eager, approval_mode: false })
    const { whole, village, model } = on
    await village.live(whole, 72, 15 * minute)
    expect(village.readings).toBeGreaterThan(200)
    expect((await whole.ask('list_unreplied_tweets', { limit: 200 })).length).toBeGreaterThan(100)
    expect(village.server.own).toEqual([])
    expect(model.requests).toBe(0)
    expect(await whole.ask('get_pending_count')).toEqual({ pending_count: 0 })

    const id = await whole.proposed({ parts: ['Nobody has to say yes?'] })
    await whole.pass(hour, minute)
    expect(await whole.status(id)).toBe('pending')
    expect(village.server.own).toEqual([])
  })

  it('a model is asked inside a call that wants a text, and no more often than that text may take', async () => {
    await using on = await open(eager)
    const { whole, model } = on
    const asked = async (tool: string, args: object = {}) => {
      const before = model.requests
      const answer = await whole.ask(tool, args)
      expect(answer.generated_by).toBe('llm')
      return model.requests - before
    }
    const post = { tweet_text: 'My tomatoes are red.', tweet_author: 'mira' }
    expect(await asked('generate_reply', post)).toBe(1)
    expect(await asked('generate_tweet')).toBe(1)
    expect(await asked('generate_thread')).toBe(1)
    expect(await asked('compose_tweet', { topic: 'compost' })).toBe(1)
    const before = model.requests
    for (const tool of ['get_discovery_feed', 'suggest_topics', 'get_capabilities', 'get_stats']) await whole.ask(tool)
    expect(model.requests).toBe(before)
  })
})

describe('on autopilot', () => {
  it('a week without approval stays within every limit', async () => {
    const limits = { min_action_delay_seconds: 45, max_action_delay_seconds: 180 }
    await using on = await open({ ...autopilot, approval_mode: false, approval: { waive_for: ['mastodon'] }, limits })
    const { whole, village, model } = on
    // Begins at noon on a Monday. A few hours to the second, then as on a slow machine.
    await village.live(whole, 2)
    await village.live(whole, 8, 5 * minute)
    for (let night = 1; night <= 7; night += 1) {
      const [readings, questions] = [village.readings, model.questions.length]
      await village.live(whole, 9, 15 * minute)
      expect([village.readings, model.questions.length]).toEqual([readings, questions])
      await village.live(whole, night < 7 ? 15 : 5, 15 * minute)
      expect(village.readings).toBeGreaterThan(readings)
    }

    const own = village.server.own
    const starts = own.filter(({ inReplyTo }) => inReplyTo?.account !== village.server.me)
    const replies = own.filter(({ inReplyTo }) => inReplyTo !== undefined && inReplyTo.account !== village.server.me)
    const heads = new Set(own.filter((each) => !starts.includes(each)).map(({ inReplyTo }) => inReplyTo?.id))
    const threads = starts.filter(({ id }) => heads.has(id))
    const tweets = starts.filter((each) => !replies.includes(each) && !threads.includes(each))

    expect(most(replies, day)).toBe(5)
    expect(most(tweets, day)).toBe(6)
    expect(most(threads, 7 * day)).toBe(1)
    const authors = new Set(replies.map(({ inReplyTo }) => inReplyTo!.account))
    for (const author of authors)
      expect(
        most(
          replies.filter((each) => each.inReplyTo!.account === author),
          day,
        ),
      ).toBe(1)
    const toMayor = replies.filter(({ inReplyTo }) => inReplyTo!.account.username === 'mayor')
    expect(toMayor.length).toBeGreaterThan(0)
    expect(new Set(replies.map(({ inReplyTo }) => inReplyTo!.id)).size).toBe(replies.length)
    const gaps = starts
      .slice(1)
      .map(({ createdAt }, index) => createdAt - own[own.indexOf(starts[index + 1]!) - 1]!.createdAt)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(45_000)

    const hours = model.questions.map((time) => new Date(time).getUTCHours())
    expect(Math.min(...hours)).toBeGreaterThanOrEqual(8)
    expect(Math.max(...hours)).toBeLessThan(22)
    // One for each text that went out, and few in vain.
    expect(model.questions.length).toBeLessThan(2 * starts.length)
    expect(replies.length).toBeGreaterThanOrEqual(5 * 6)
    expect(threads).toHaveLength(1)
    expect(await whole.ask('get_action_counts', { since_hours: 336 })).toMatchObject({ tweet_posted: tweets.length })
  })

  it('with approval nothing goes out, and no more is written than a person could let out', async () => {
    await using on = await open({ ...autopilot, approval_mode: true })
    const { whole, village, model } = on
    await village.live(whole, 20, 15 * minute)
    expect(village.server.own).toEqual([])
    const pending: readonly { action_type: string; origin: string }[] = await whole.ask(
      'list_pending_approvals',
      { limit: 200 },
      { principal: 'operator:root', roles: ['agent', 'operator'] },
    )
    const count = (type: string) => pending.filter(({ action_type }) => action_type === type).length
    expect([count('reply'), count('tweet'), count('thread')]).toEqual([5, 6, 1])
    expect(model.questions.length).toBeLessThanOrEqual(12 + 2)
  })

  it('a template, and a reply to somebody who did not address us, wait for a person though nobody else does', async () => {
    await using on = await open({ ...autopilot, approval_mode: false })
    const { whole, village } = on
    await village.live(whole, 12, 15 * minute)
    const strangers = village.server.own.filter(
      ({ inReplyTo }) =>
        inReplyTo !== undefined && inReplyTo.account !== village.server.me && !inReplyTo.text.includes('@callboard'),
    )
    expect(strangers).toEqual([])
    expect(village.server.own.length).toBeGreaterThan(3)

    await using other = await open({ ...autopilot, approval_mode: false, llm: { provider: 'none' } })
    await other.village.live(other.whole, 12, 15 * minute)
    expect(other.village.server.own).toEqual([])
    expect(other.model.requests).toBe(0)
    const rows = await other.whole.store.db.selectFrom('approval_queue').select(['status', 'generated_by']).execute()
    expect(rows.length).toBeGreaterThan(3)
    expect(new Set(rows.map(({ status, generated_by }) => `${status} ${generated_by}`))).toEqual(
      new Set(['pending template']),
    )
  })
})

/** Of posts in any window of that length. */
function most(posts: readonly FakeStatus[], windowMs: number): number {
  const times = posts.map(({ createdAt }) => createdAt)
  return Math.max(0, ...times.map((end) => times.filter((time) => time <= end && time > end - windowMs).length))
}
