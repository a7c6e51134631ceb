import { describe, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { discoveryLoop } from '../../src/discovery/discovery-loop.js'
import { mentionsLoop } from '../../src/discovery/mentions-loop.js'
import { readCursor, writeCursor } from '../../src/discovery/reading-cursor.js'
import { countTargetReply, targetAccounts } from '../../src/discovery/target-accounts.js'
import { targetsLoop } from '../../src/discovery/targets-loop.js'
import { failure } from '../../src/envelope/failure.js'
import { FakeDiscoveredPosts } from '../support/fake-discovered-posts.js'
import { FakeNetwork, type FakeNetworkOptions } from '../support/fake-network.js'
import { withAccounts } from '../support/test-config.js'
import { openTestFoundation } from '../support/test-foundation.js'

const never = new AbortController().signal
const business = { product_name: 'Callboard', product_keywords: ['alpha', 'beta'], industry_topics: ['gamma'] }

async function open(config: object = {}, options: Partial<FakeNetworkOptions> = {}) {
  const foundation = await openTestFoundation({ config: { business, bluesky: { enabled: true }, ...config } })
  const network = new FakeNetwork({ clock: foundation.clock, ...options })
  const discovered = new FakeDiscoveredPosts(foundation)
  const reading = { foundation, network, discovered }
  const stored = async () => {
    const rows = await foundation.store.db.selectFrom('discovered_posts').selectAll().orderBy('id').execute()
    return rows.map(({ content, source }) => ({ content, source }))
  }
  const asked = (operation: string) =>
    network.requests.flatMap((request) => (request.operation === operation ? [request] : []))
  return { foundation, network, reading, stored, asked, [Symbol.asyncDispose]: () => foundation[Symbol.asyncDispose]() }
}

describe('discovery', () => {
  it('searches one keyword a turn, round robin, each from where it was read last', async () => {
    await using all = await open()
    const { network, reading, asked, stored } = all
    network.add({ text: 'alpha 10' })
    const loop = discoveryLoop(reading)
    for (let turn = 0; turn < 3; turn += 1) await loop.turn(never)
    network.add({ text: 'alpha 90' })
    await loop.turn(never)
    await loop.turn(never)
    expect(asked('search').map(({ argument, cursor }) => [argument, cursor])).toEqual([
      ['alpha', undefined],
      ['beta', undefined],
      ['gamma', undefined],
      ['alpha', 'after:1'],
      ['beta', undefined],
    ])
    expect(await stored()).toEqual([
      { content: 'alpha 10', source: 'search' },
      { content: 'alpha 90', source: 'search' },
    ])
  })

  it('goes on with the next keyword after a restart, and after one that the network refuses', async () => {
    await using all = await open()
    const { network, reading, asked } = all
    network.failNext('search', failure('network_api_error', 'bad query'))
    await expect(discoveryLoop(reading).turn(never)).rejects.toThrow('bad query')
    await discoveryLoop(reading).turn(never)
    expect(asked('search').map(({ argument }) => argument)).toEqual(['alpha', 'beta'])
  })

  it('takes at most 25 posts, whatever the network sends', async () => {
    await using all = await open()
    const { network, reading, stored } = all
    for (let n = 0; n < 40; n += 1) network.add({ text: `alpha ${n}` })
    await discoveryLoop(reading).turn(never)
    expect(await stored()).toHaveLength(25)
  })

  it('keeps no cursor of a page that was not stored', async () => {
    await using all = await open()
    const { foundation, network, reading } = all
    network.add({ text: 'alpha 10' })
    const broken = { store: () => Promise.reject(new Error('disk full')) }
    await expect(discoveryLoop({ ...reading, discovered: broken }).turn(never)).rejects.toThrow('disk full')
    expect(await readCursor(foundation.store.db, 'bluesky', 'discovery:alpha')).toBeUndefined()
  })

  it('asks no network once its own limit is used up, and does not call that an error', async () => {
    await using all = await open({ limits: { max_searches_per_15_minutes: 2 } })
    const { foundation, network, reading, asked } = all
    const loop = discoveryLoop(reading)
    for (let turn = 0; turn < 4; turn += 1) await loop.turn(never)
    expect(network.asked('search')).toBe(2)
    foundation.clock.advance(15 * 60_000)
    await loop.turn(never)
    // None of the keywords was left out meanwhile.
    expect(asked('search').map(({ argument }) => argument)).toEqual(['alpha', 'beta', 'gamma'])
  })

  it('asks no network whose own limit is used up, until that is over', async () => {
    await using all = await open()
    const { foundation, network, reading } = all
    const resetsAt = foundation.clock.now() + 60_000
    network.rates = [{ endpoint: 'search', limit: 10, remaining: 0, resetsAt }]
    const loop = discoveryLoop(reading)
    await loop.turn(never)
    expect(network.requests).toEqual([])
    foundation.clock.advance(60_000)
    await loop.turn(never)
    expect(network.asked('search')).toBe(1)
  })

  it('asks nothing of a network that has no search for us', async () => {
    await using all = await open({}, { capabilities: { canSearch: false } })
    await discoveryLoop(all.reading).turn(never)
    expect(all.network.requests).toEqual([])
  })

  it('keeps no cursor that can be none', async () => {
    await using foundation = await openTestFoundation()
    const { db } = foundation.store
    await writeCursor(db, 'bluesky', 'mentions', 'good', 0)
    await writeCursor(db, 'bluesky', 'mentions', 'x'.repeat(2_001), 0)
    await writeCursor(db, 'bluesky', 'mentions', 'a\0b', 0)
    await writeCursor(db, 'bluesky', 'mentions', undefined, 0)
    expect(await readCursor(db, 'bluesky', 'mentions')).toBe('good')
  })
})

describe('mentions', () => {
  it('are read from where they were read last', async () => {
    await using all = await open()
    const { network, reading, asked, stored } = all
    network.add({ text: '@me 5', addressesUs: true })
    const loop = mentionsLoop(reading)
    await loop.turn(never)
    await loop.turn(never)
    expect(asked('mentions').map(({ cursor }) => cursor)).toEqual([undefined, 'after:1'])
    expect(await stored()).toEqual([{ content: '@me 5', source: 'mention' }])
  })

  it('have a limit of their own', async () => {
    await using all = await open({ limits: { max_mention_checks_per_15_minutes: 1, max_searches_per_15_minutes: 0 } })
    const loop = mentionsLoop(all.reading)
    await loop.turn(never)
    await loop.turn(never)
    expect(all.network.asked('mentions')).toBe(1)
  })
})

describe('targets', () => {
  const withTargets = (...accounts: string[]) => ({ targets: { accounts } })
  const rows = ({ foundation }: Awaited<ReturnType<typeof open>>) =>
    foundation.store.db.selectFrom('targets').selectAll().orderBy('account_id').execute()

  it('are named with or without their network', () => {
    const config = parseSocialConfig(
      withAccounts({
        business,
        default_network: 'mastodon',
        bluesky: { enabled: true },
        mastodon: { enabled: true },
        ...withTargets(
          'alice.example',
          'Bluesky:@bob.example',
          'mastodon:@c@d.example',
          'did:plc:x',
          '@Alice.example',
          ' @ ',
        ),
      }),
    )
    expect(targetAccounts(config)).toEqual([
      { network: 'mastodon', account: 'Alice.example' },
      { network: 'bluesky', account: 'bob.example' },
      { network: 'mastodon', account: 'c@d.example' },
      { network: 'mastodon', account: 'did:plc:x' },
    ])
  })

  it('give their last ten posts; their ids are asked for once', async () => {
    await using all = await open({
      mastodon: { enabled: true },
      ...withTargets('Alice.example', 'mastodon:@other@example'),
    })
    const { network, reading, asked, stored } = all
    for (let n = 0; n < 12; n += 1)
      network.add({ text: `post ${n}`, authorUsername: 'Alice.example', authorId: 'did:a' })
    const loop = targetsLoop(reading)
    await loop.turn(never)
    await loop.turn(never)
    expect(asked('authorPosts').map(({ argument }) => argument)).toEqual(['Alice.example', 'did:a'])
    expect(await stored()).toHaveLength(10)
    expect(await rows(all)).toEqual([
      {
        network: 'bluesky',
        account_id: 'did:a',
        username: 'Alice.example',
        followed_at: null,
        first_engagement_at: null,
        total_replies_sent: 0,
        last_reply_at: null,
        status: 'active',
      },
    ])
  })

  it('that are configured no longer are removed, and come back with what was known of them', async () => {
    await using all = await open(withTargets('alice.example'))
    const { foundation, network, reading } = all
    network.add({ authorUsername: 'alice.example', authorId: 'did:a' })
    await targetsLoop(reading).turn(never)
    await countTargetReply(foundation.store.db, { network: 'bluesky', authorId: 'did:a', at: 5 })
    await countTargetReply(foundation.store.db, { network: 'bluesky', authorId: 'did:a', at: 9 })
    const without = {
      ...reading,
      foundation: {
        ...foundation,
        config: parseSocialConfig(withAccounts({ business, bluesky: { enabled: true } })),
      },
    }
    await targetsLoop(without).turn(never)
    expect((await rows(all)).map(({ status }) => status)).toEqual(['removed'])
    expect(network.asked('authorPosts')).toBe(1)
    await targetsLoop(reading).turn(never)
    expect(await rows(all)).toMatchObject([
      { status: 'active', first_engagement_at: 5, last_reply_at: 9, total_replies_sent: 2 },
    ])
  })

  it('of which one fails do not keep the others waiting', async () => {
    await using all = await open(withTargets('gone.example', 'alice.example'))
    const { network, reading, stored } = all
    network.add({ text: 'post 1', authorUsername: 'alice.example' })
    network.failNext('authorPosts', failure('network_api_error', 'no such account'))
    await expect(targetsLoop(reading).turn(never)).rejects.toThrow('no such account')
    expect(await stored()).toEqual([{ content: 'post 1', source: 'target' }])
  })

  it('take turns where there are many', async () => {
    const accounts = Array.from({ length: 30 }, (_, n) => `a${n}.example`)
    await using all = await open(withTargets(...accounts))
    const loop = targetsLoop(all.reading)
    await loop.turn(never)
    await loop.turn(never)
    const asked = all.asked('authorPosts').map(({ argument }) => argument)
    expect(asked).toEqual([...accounts, ...accounts.slice(0, 10)])
  })

  it('stop where they are when the turn is aborted', async () => {
    await using all = await open(withTargets('a.example', 'b.example'))
    const closing = new AbortController()
    all.network.holdNext('authorPosts', async () => closing.abort())
    await expect(targetsLoop(all.reading).turn(closing.signal)).rejects.toThrow('aborted')
    expect(all.network.asked('authorPosts')).toBe(1)
  })
})
