import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { NetworkName } from '../../src/config.js'
import { chooseTopic } from '../../src/content/topics/choose-topic.js'
import { type RankedTopic, rankTopics } from '../../src/content/topics/rank-topics.js'
import { openTestFoundation, seeded, type TestFoundation } from '../support/test-foundation.js'

const day = 24 * 60 * 60_000
const profile = [
  'open networks',
  'agent workflows',
  'human approval',
  'self-hosting',
  'building in the open',
  'tools that agents can trust',
  'mcp',
  'ai agents',
  'agent tools',
]

let foundation: TestFoundation
beforeAll(async () => {
  foundation = await openTestFoundation()
})
afterAll(() => foundation[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const table of ['topic_scores', 'drafts', 'approval_queue'] as const) {
    await foundation.store.db.deleteFrom(table).execute()
  }
})

function ranked(network: NetworkName = 'local', business: object = {}) {
  const { store, config, clock } = foundation
  return rankTopics(store.db, { business: { ...config.business, ...business }, network, now: clock.now() })
}

async function measured(topic: string, posts: number, average: number, format = 'tip', network: NetworkName = 'local') {
  const values = { network, topic, format, total_posts: posts, avg_performance: average, updated_at: 1 }
  await foundation.store.db.insertInto('topic_scores').values(values).execute()
}

async function drafted(topic: string, ago: number, network: NetworkName = 'local') {
  const common = { network, kind: 'tweet', parts: '["x"]', generated_by: 'template', owner: 'agent:ada' } as const
  const created_at = foundation.clock.now() - ago
  await foundation.store.db
    .insertInto('drafts')
    .values({ ...common, topic, created_at })
    .execute()
}

async function proposed(topic: string, ago: number) {
  const at = foundation.clock.now() - ago
  await foundation.store.db
    .insertInto('approval_queue')
    .values({
      network: 'local',
      account: 'you',
      action_type: 'tweet',
      parts: '["x"]',
      media: '[]',
      topic,
      risks: '[]',
      origin: 'agent',
      status: 'posted',
      rev: 1,
      content_hash: 'x',
      owner: 'agent:ada',
      idempotency_key: topic,
      arguments_hash: 'x',
      created_at: at,
      updated_at: at,
    })
    .execute()
}

describe('topics that were never measured', () => {
  it('are those of the profile: industry topics, pillars, product keywords, in the middle of the scale', async () => {
    const all = await ranked()
    expect(all.map(({ topic }) => topic)).toEqual(profile)
    expect(new Set(all.map(({ score }) => score))).toEqual(new Set([50]))
    expect(all[0]).toEqual({
      topic: 'open networks',
      score: 50,
      source: 'profile',
      samples: 0,
      reason:
        'From your industry topics, not used in the last 7 days; nothing measured yet, so the score is only a middle value.',
    })
  })

  it('come last when they were used in the last seven days, the latest at the very end', async () => {
    await drafted('Open  Networks', 1 * day)
    await proposed('self-hosting', 3 * day)
    await drafted('human approval', 7 * day)
    const all = await ranked()
    expect(all.map(({ topic }) => topic).slice(0, 2)).toEqual(['agent workflows', 'human approval'])
    expect(all.map(({ topic }) => topic).slice(-2)).toEqual(['self-hosting', 'open networks'])
    expect(all.at(-1)!.reason).toContain('used in the last 7 days')
  })

  it('are not used by what was written for another network', async () => {
    await drafted('open networks', 1, 'x')
    expect((await ranked())[0]!.topic).toBe('open networks')
  })

  it('are never none, however little the profile says and however much was used', async () => {
    const nothing = { industry_topics: [], content_pillars: [], product_keywords: [] }
    expect((await ranked('local', nothing)).map(({ topic }) => topic)).toEqual(['Callboard'])
    for (const topic of [...profile, 'Callboard']) await drafted(topic, 1)
    expect(await ranked('local', nothing)).toHaveLength(1)
    expect(await ranked()).toHaveLength(profile.length)
  })

  it('are named once each, whatever their letters', async () => {
    const all = await ranked('local', {
      industry_topics: ['MCP', 'mcp', 'Tea'],
      content_pillars: ['ｔｅａ'],
      product_keywords: ['mcp'],
    })
    expect(all.map(({ topic }) => topic)).toEqual(['MCP', 'Tea'])
  })
})

describe('measured topics', () => {
  it('come first, by their average shrunk towards that of all', async () => {
    await measured('lucky', 1, 100)
    await measured('steady', 20, 60)
    await measured('poor', 20, 10)
    // Of all 41 posts: (100 + 1200 + 200) / 41 = 36.59; lucky (100 + 3·36.59)/4 = 52.4; steady (1200 + 3·36.59)/23 = 56.9.
    const all = await ranked()
    expect(all.slice(0, 3).map(({ topic, score, samples, source }) => [topic, score, samples, source])).toEqual([
      ['steady', 100, 20, 'performance'],
      ['lucky', 92.1, 1, 'performance'],
      ['poor', 23.6, 20, 'performance'],
    ])
    expect(all[1]!.reason).toBe(
      '1 post measured, performance 100 on average (all topics: 36.6); the score compares it with the best topic, which has 100.',
    )
    expect(all.slice(3).map(({ topic }) => topic)).toEqual(profile)
  })

  it('are counted over all formats and spellings', async () => {
    await measured('Tea', 2, 10, 'tip')
    await measured('tea', 2, 30, 'list')
    expect((await ranked())[0]).toMatchObject({
      samples: 4,
      score: 100,
      reason: expect.stringContaining('performance 20 '),
    })
  })

  it('are not named once more by the profile', async () => {
    await measured('Self-Hosting', 2, 10)
    const topics = (await ranked()).map(({ topic }) => topic)
    expect(topics.filter((topic) => /self-hosting/i.test(topic))).toEqual(['Self-Hosting'])
  })

  it('keep the list in order: what was never measured scores no more than the last of them', async () => {
    await measured('good', 10, 50)
    await measured('poor', 10, 1)
    const scores = (await ranked()).map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  it('of another network do not count', async () => {
    await measured('tea', 10, 50, 'tip', 'x')
    expect((await ranked())[0]!.source).toBe('profile')
  })

  it('that nobody liked are in the middle, not nowhere', async () => {
    await measured('tea', 10, 0)
    expect((await ranked())[0]).toMatchObject({ topic: 'tea', score: 50 })
  })
})

describe('the topic that a loop takes', () => {
  const topics: readonly RankedTopic[] = ['best', 'second', 'third'].map((topic) => ({
    topic,
    score: 50,
    source: 'performance',
    samples: 1,
    reason: '',
  }))
  const used = (topic: string, usedAt: number): RankedTopic => ({ ...topics[0]!, topic, usedAt })

  it('is the best one four times of five, else any of the others', () => {
    const random = seeded(7)
    const counts = new Map<string, number>()
    for (let draw = 0; draw < 5_000; draw += 1) {
      const { topic } = chooseTopic(topics, random)
      counts.set(topic, (counts.get(topic) ?? 0) + 1)
    }
    expect(counts.get('best')! / 5_000).toBeCloseTo(0.8, 1)
    expect(counts.get('second')! / 5_000).toBeCloseTo(0.1, 1)
    expect(counts.get('third')! / 5_000).toBeCloseTo(0.1, 1)
  })

  it('is none that was used lately', () => {
    const list = [used('used', 5), ...topics]
    for (const value of [0, 0.19, 0.2, 0.99]) expect(chooseTopic(list, () => value).topic).not.toBe('used')
    expect(chooseTopic(list, () => 0.5).topic).toBe('best')
  })

  it('is the one that has rested longest when all were used', () => {
    expect(chooseTopic([used('a', 5), used('b', 3), used('c', 4)], () => 0).topic).toBe('b')
  })

  it('is the only one there is', () => {
    expect(chooseTopic([topics[0]!], () => 0).topic).toBe('best')
  })
})
