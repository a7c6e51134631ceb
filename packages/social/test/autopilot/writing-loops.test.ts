import { describe, expect, it } from 'vitest'
import { contentLoop, threadLoop } from '../../src/autopilot/writing-loops.js'
import { failure } from '../../src/envelope/failure.js'
import { safetyProblem } from '../../src/policy/safety-checks.js'
import { FakeDiscoveredPosts } from '../support/fake-discovered-posts.js'
import { FakeNetwork, type FakeNetworkOptions } from '../support/fake-network.js'
import { FakeProposals } from '../support/fake-proposals.js'
import { FakeWriter } from '../support/fake-writer.js'
import { openTestFoundation } from '../support/test-foundation.js'

const never = new AbortController().signal
const hour = 60 * 60_000

async function open(config: object = {}, options: Partial<FakeNetworkOptions> = {}) {
  const foundation = await openTestFoundation({
    config: {
      mode: 'autopilot',
      business: { product_name: 'Callboard', product_keywords: ['mcp'] },
      bluesky: { enabled: true },
      ...config,
    },
  })
  const network = new FakeNetwork({ clock: foundation.clock, ...options })
  const writer = new FakeWriter()
  const proposals = new FakeProposals(foundation)
  const parts = {
    foundation,
    network,
    discovered: new FakeDiscoveredPosts(foundation),
    writer,
    proposals,
    safetyProblem,
    chooseTopic: async () => 'open networks',
  }
  const items = () =>
    foundation.store.db.selectFrom('approval_queue').select(['action_type', 'status', 'scheduled_for']).execute()
  return {
    foundation,
    network,
    writer,
    proposals,
    parts,
    items,
    [Symbol.asyncDispose]: () => foundation[Symbol.asyncDispose](),
  }
}

describe('the content loop', () => {
  it('proposes a post about the chosen topic', async () => {
    await using all = await open()
    await contentLoop(all.parts).turn(never)
    expect(all.writer.wishes).toMatchObject([{ kind: 'post', topic: 'open networks', principal: 'system:autopilot' }])
    expect(all.proposals.proposed).toMatchObject([
      {
        action: 'tweet',
        account: 'me.example',
        parts: ['text 1.1'],
        topic: 'open networks',
        archetype: 'tip',
        generatedBy: 'llm',
        origin: 'autopilot',
        owner: 'system:autopilot',
      },
    ])
    expect(all.proposals.proposed[0]).not.toHaveProperty('scheduledFor')
    expect(all.proposals.woken).toBe(1)
  })

  it('proposes one in each interval; a turn that is done again writes nothing', async () => {
    await using all = await open()
    const loop = contentLoop(all.parts)
    await loop.turn(never)
    await loop.turn(never)
    expect(all.writer.wishes).toHaveLength(1)
    all.foundation.clock.advance(3 * hour)
    await loop.turn(never)
    expect(all.writer.wishes).toHaveLength(2)
  })

  it('writes for the next preferred time, once for each', async () => {
    await using all = await open({ schedule: { timezone: 'Europe/Paris', preferred_times: ['15:00', '18:00'] } })
    const loop = contentLoop(all.parts)
    await loop.turn(never)
    all.foundation.clock.advance(hour)
    await loop.turn(never)
    expect((await all.items()).map((item) => new Date(item.scheduled_for!).toISOString())).toEqual([
      '2026-03-02T14:00:00.000Z',
    ])
    all.foundation.clock.advance(hour)
    await loop.turn(never)
    expect((await all.items()).map((item) => new Date(item.scheduled_for!).toISOString())).toEqual([
      '2026-03-02T14:00:00.000Z',
      '2026-03-02T17:00:00.000Z',
    ])
  })

  it('writes nothing without quota; what waits for a person counts', async () => {
    await using all = await open({ limits: { max_tweets_per_day: 2 } })
    const loop = contentLoop(all.parts)
    for (let turn = 0; turn < 4; turn += 1) {
      await loop.turn(never)
      all.foundation.clock.advance(3 * hour)
    }
    expect(all.writer.wishes).toHaveLength(2)
  })

  it('writes nothing where the account may not post', async () => {
    await using all = await open({}, { capabilities: { canPost: false } })
    await contentLoop(all.parts).turn(never)
    expect(all.writer.wishes).toEqual([])
  })

  it('says what it left out, and fails where trying again helps', async () => {
    await using all = await open()
    const loop = contentLoop(all.parts)
    all.proposals.failNext(failure('duplicate_content', 'said before'))
    await loop.turn(never)
    const log = await all.foundation.store.db.selectFrom('action_log').selectAll().execute()
    expect(log).toMatchObject([
      { action_type: 'tweet', status: 'skipped', message: 'Nothing is proposed: said before' },
    ])
    all.writer.failNext(failure('llm_error', 'overloaded', { retryable: true }))
    await expect(loop.turn(never)).rejects.toThrow('overloaded')
    expect(await all.items()).toEqual([])
    expect(all.proposals.woken).toBe(0)
  })
})

describe('the thread loop', () => {
  it.each([
    { approval_mode: true, status: 'pending' },
    { approval_mode: false, status: 'approved' },
  ])('obeys approval mode $approval_mode: a thread goes the one way that all go', async ({ approval_mode, status }) => {
    await using all = await open({ approval_mode })
    await threadLoop(all.parts).turn(never)
    expect(all.proposals.proposed).toMatchObject([{ action: 'thread', origin: 'autopilot', generatedBy: 'llm' }])
    expect(all.proposals.proposed[0]!.parts).toHaveLength(5)
    expect(await all.items()).toMatchObject([{ action_type: 'thread', status }])
    // It proposes, and does nothing else.
    expect(all.network.published).toEqual([])
    expect(all.network.asked('publish')).toBe(0)
  })

  it('writes for its preferred day and time', async () => {
    await using all = await open({ schedule: { thread_preferred_day: 'wed', thread_preferred_time: '10:00' } })
    const loop = threadLoop(all.parts)
    await loop.turn(never)
    await loop.turn(never)
    expect((await all.items()).map((item) => new Date(item.scheduled_for!).toISOString())).toEqual([
      '2026-03-04T10:00:00.000Z',
    ])
  })
})
