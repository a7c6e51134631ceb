import { describeBothDatabases, type TestLocation } from '@callboard/store/testing'
import { describe, expect, it } from 'vitest'
import { allVerified, expectPostedOnce, sharedStore } from '../support/processes/outbox-state.js'
import {
  bluesky,
  mastodon,
  mastodonWithoutKeys,
  type RemoteKind,
  type RemoteNetwork,
  x,
} from '../support/processes/remote-networks.js'
import { temporaryLocation } from '../support/processes/temporary-location.js'
import { WorkerProcess } from '../support/processes/worker-process.js'

/** What the dead process had leased is over by then, and what is not to be found is known to be absent. */
const laterMs = 90_000
const business = { product_name: 'Spoonery', product_keywords: ['spoons'] }
const text = 'We have carved forty spoons this week.'
const thread = ['Carving begins with the wood.', 'Then an axe takes away the rough.', 'A knife does what is left.']

interface Death {
  readonly parts: readonly string[]
  readonly network: RemoteNetwork
  readonly location: TestLocation
  readonly when: 'before' | 'behind'
  /** Which part is on its way. */
  readonly nth: number
}

/** A process dies with a part on its way, another one goes on; what is on the network then. */
async function throughDeath({ parts, network, location, when, nth }: Death) {
  const config = { business, ...network.config }
  const store = await sharedStore(location)
  const first = await WorkerProcess.start({ location, config })
  const kind = parts.length === 1 ? 'tweet' : 'thread'
  const { id } = await first.call('propose_post', { parts, kind }, 'agent')
  await first.call('approve_item', { id }, 'operator')
  const reached = network.crossing.keep(when, network.publishes, nth)
  await first.publish()
  await reached
  await first.kill()
  expect(network.posts()).toHaveLength(when === 'before' ? nth - 1 : nth)
  const before = await store.db.selectFrom('approval_queue').select('status').executeTakeFirstOrThrow()
  expect(before.status).toBe('publishing')

  network.goAhead(laterMs)
  const second = await WorkerProcess.start({ location, config, aheadMs: laterMs })
  await second.publish()
  await allVerified(store, 1)
  await second.kill()
  await expectPostedOnce(store, parts.length)
  return network.posts()
}

async function open(kind: RemoteKind) {
  const [network, location] = await Promise.all([kind.open(), temporaryLocation()])
  return { network, location, [Symbol.asyncDispose]: () => network[Symbol.asyncDispose]() }
}

describe.each([bluesky, mastodon, mastodonWithoutKeys, x])('kill -9 while a post goes to $name', (kind) => {
  it('and the server has stored it: it is found, and not sent again', async () => {
    await using given = await open(kind)
    expect(await throughDeath({ ...given, parts: [text], when: 'behind', nth: 1 })).toMatchObject([{ text }])
  })

  it('before the server has seen it: it is sent once', async () => {
    await using given = await open(kind)
    expect(await throughDeath({ ...given, parts: [text], when: 'before', nth: 1 })).toMatchObject([{ text }])
  })

  it('in the middle of a thread: the rest is added to what is there', async () => {
    await using given = await open(kind)
    const posts = await throughDeath({ ...given, parts: thread, when: 'behind', nth: 2 })
    expect(posts.map((post) => post.text)).toEqual(thread)
    expect(posts.map(({ replyTo }) => replyTo)).toEqual([undefined, posts[0]!.id, posts[1]!.id])
  })
})

describeBothDatabases('the same', (database) => {
  it('with a thread that dies at its last part', async () => {
    await using network = await bluesky.open()
    const location = await database.create()
    const posts = await throughDeath({ network, location, parts: thread, when: 'behind', nth: 3 })
    expect(posts.map((post) => post.text)).toEqual(thread)
  })
})
