import { expect, it } from 'vitest'
import { socialLoops } from '../../src/loops/social-loops.js'
import { Networks } from '../../src/networks/networks.js'
import { safetyProblem } from '../../src/policy/safety-checks.js'
import { FakeDiscoveredPosts } from '../support/fake-discovered-posts.js'
import { FakeNetwork } from '../support/fake-network.js'
import { FakeProposals } from '../support/fake-proposals.js'
import { FakeWriter } from '../support/fake-writer.js'
import { openTestFoundation } from '../support/test-foundation.js'

const never = new AbortController().signal

async function open(mode: string) {
  const foundation = await openTestFoundation({
    config: {
      mode,
      business: { product_name: 'Callboard', product_keywords: ['mcp'] },
      bluesky: { enabled: true },
      mastodon: { enabled: true },
      targets: { accounts: ['alice.example'] },
    },
  })
  const { clock } = foundation
  const bluesky = new FakeNetwork({ clock })
  const mastodon = new FakeNetwork({ clock, name: 'mastodon' })
  const writer = new FakeWriter()
  const proposals = new FakeProposals(foundation)
  const loops = socialLoops({
    foundation,
    networks: new Networks([bluesky, mastodon]),
    discovered: new FakeDiscoveredPosts(foundation),
    writer,
    proposals,
    safetyProblem,
    chooseTopic: async () => undefined,
  })
  bluesky.add({ text: 'mcp 90' })
  bluesky.add({ text: '@me 95', addressesUs: true })
  bluesky.add({ text: 'news 85', authorUsername: 'alice.example' })
  return {
    foundation,
    bluesky,
    writer,
    proposals,
    loops,
    [Symbol.asyncDispose]: () => foundation[Symbol.asyncDispose](),
  }
}

it('in composer mode they read and score, and never ask the writer', async () => {
  await using all = await open('composer')
  for (let day = 0; day < 3; day += 1) {
    for (const loop of all.loops) await loop.turn(never)
    all.foundation.clock.advance(24 * 60 * 60_000)
  }
  const found = await all.foundation.store.db
    .selectFrom('discovered_posts')
    .select('source')
    .orderBy('source')
    .execute()
  expect(found.map(({ source }) => source)).toEqual(['mention', 'search', 'target'])
  expect(all.writer.wishes).toEqual([])
  expect(all.proposals.proposed).toEqual([])
  expect(all.loops.map(({ name, network }) => `${network} ${name}`)).not.toContain('bluesky content')
})

it('in mode autopilot each network replies, writes and measures', async () => {
  await using all = await open('autopilot')
  for (const loop of all.loops) await loop.turn(never)
  expect(all.writer.wishes.map(({ kind, network }) => `${network!.name} ${kind}`)).toEqual([
    'bluesky reply',
    'bluesky reply',
    'bluesky reply',
    'bluesky post',
    'bluesky thread',
    'mastodon post',
    'mastodon thread',
  ])
  expect(all.loops.map(({ name, everyMs, keepsHours }) => [name, everyMs / 1000, keepsHours]).slice(0, 7)).toEqual([
    ['discovery', 900, true],
    ['mentions', 300, true],
    ['targets', 300, true],
    ['content', 10_800, true],
    ['thread', 604_800, true],
    ['measurement', 900, false],
    ['followers', 3_600, false],
  ])
})

it.each([
  ['composer', [false, false, false]],
  ['autopilot', [true, true, true]],
])('on the built-in network in mode %s reading keeps the active hours: %j', async (mode, hours) => {
  await using foundation = await openTestFoundation({ config: { mode } })
  const loops = socialLoops({
    foundation,
    networks: new Networks([new FakeNetwork({ clock: foundation.clock, name: 'local' })]),
    discovered: new FakeDiscoveredPosts(foundation),
    writer: new FakeWriter(),
    proposals: new FakeProposals(foundation),
    safetyProblem,
    chooseTopic: async () => undefined,
  })
  expect(loops.slice(0, 3).map(({ keepsHours }) => keepsHours)).toEqual(hours)
})
