import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import type { Store } from '@callboard/store'
import { describeBothDatabases, type TestLocation } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inboxCursorMs } from '../../src/limits.js'
import type { ForumSchema } from '../../src/records/schema.js'
import { getInboxTool } from '../../src/tools/get-inbox-tool.js'
import { marksOf } from '../../src/tools/marks.js'
import { keyCredential, readWith, type TestCallOptions, testCall } from '../support/test-call.js'
import { openTestStore, temporaryLocation } from '../support/test-store.js'

let server: ForumServer
let store: Store<ForumSchema>
let topicId: number
let clock: VirtualClock
let location: TestLocation & Partial<AsyncDisposable>

/** Of ada, unless another one is named. */
// biome-ignore lint/suspicious/noExplicitAny: an answer of the tool, which has been checked.
function inbox(args: object = {}, options: TestCallOptions = {}): Promise<any> {
  const credential = keyCredential(server.keys.user('ada'))
  return readWith(tool(), args, testCall(server.base, { credential, ...options }))
}

function tool(maxReadLength = 50_000) {
  return getInboxTool({ store, clock, config: { maxReadLength } })
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the tool, which has been checked.
const ids = (answer: any): number[] => answer.posts.map(({ id }: { id: number }) => id)
const add = (count: number) => server.forum.addPosts(topicId, count).map(({ id }) => id)

async function start(at: typeof location, postsBefore: 'below' | 'window' = 'below'): Promise<void> {
  location = at
  clock = new VirtualClock()
  store = await openTestStore(location)
  server = await startForumServer({ village: false, postsBefore })
  server.forum.addUser('ada')
  server.forum.addUser('bob')
  topicId = server.forum.addTopic({ title: 'What happens here', username: 'bob', raw: 'All sorts of things' }).id
}

afterEach(async () => {
  await server.close()
  await store.close()
  await location[Symbol.asyncDispose]?.()
})

describeBothDatabases('the inbox', (database) => {
  beforeEach(async () => start(await database.create()))

  it('begins with the newest posts, the oldest of them first, and goes on from there', async () => {
    const known = add(30)
    const first = await inbox({ limit: 10 })
    expect(ids(first)).toEqual(known.slice(-10))
    expect(first.meta.has_more).toBe(false)

    const fresh = add(3)
    const second = await inbox({ limit: 10, cursor: first.meta.cursor })
    expect(ids(second)).toEqual(fresh)
    expect(ids(await inbox({ cursor: second.meta.cursor }))).toEqual([])
  })

  it('gives an answer again that got lost, from the last cursor that was passed', async () => {
    const first = await inbox()
    const fresh = add(2)
    const lost = await inbox({ cursor: first.meta.cursor })
    expect(ids(lost)).toEqual(fresh)
    const later = add(1)
    const again = await inbox()
    expect(ids(again)).toEqual([...fresh, ...later])
    await inbox({ cursor: again.meta.cursor })
    expect(ids(await inbox())).toEqual([])
  })

  it('keeps the cursor over a restart', async () => {
    const { meta } = await inbox()
    await inbox({ cursor: meta.cursor })
    const fresh = add(2)
    await store.close()
    store = await openTestStore(location)
    expect(ids(await inbox())).toEqual(fresh)
  })

  it('keeps one for each owner, and for each user of the forum', async () => {
    add(5)
    const { meta } = await inbox()
    await inbox({ cursor: meta.cursor })
    expect(ids(await inbox())).toEqual([])
    expect(ids(await inbox({}, { owner: 'agent:eve' }))).toHaveLength(6)
    expect(ids(await inbox({}, { credential: keyCredential(server.keys.user('bob')) }))).toHaveLength(6)
  })

  it('forgets one that nobody has passed for half a year, when another one is kept', async () => {
    const { meta } = await inbox()
    await inbox({ cursor: meta.cursor })
    clock.advance(inboxCursorMs)
    await inbox({ cursor: meta.cursor }, { owner: 'agent:eve' })
    expect(ids(await inbox())).toEqual([])
    clock.advance(1)
    await inbox({ cursor: meta.cursor }, { owner: 'agent:eve' })
    expect(ids(await inbox())).toHaveLength(1)
  })

  it('keeps none from a call without one, nor one that is refused', async () => {
    add(5)
    expect(ids(await inbox())).toHaveLength(6)
    expect(ids(await inbox())).toHaveLength(6)
    await expect(inbox({ cursor: 'none' })).rejects.toMatchObject({ code: 'invalid_arguments' })
    expect(ids(await inbox())).toHaveLength(6)
  })
})

describe.each(['below', 'window'] as const)('where posts before one are those %s it', (postsBefore) => {
  beforeEach(async () => {
    await start(await temporaryLocation(), postsBefore)
  })

  it('gives each post once, in order, however many there are', async () => {
    let { cursor } = (await inbox()).meta
    const fresh = add(333)
    const found: number[] = []
    for (let isMore = true; isMore; ) {
      const answer = await inbox({ cursor, limit: 50 })
      found.push(...ids(answer))
      cursor = answer.meta.cursor
      isMore = answer.meta.has_more
    }
    expect(found).toEqual(fresh)
  })

  it.each([1, 2, 49, 50, 51])(
    'says that there is no more after exactly as many as were asked for: %i',
    async (count) => {
      const { meta } = await inbox()
      const fresh = add(count)
      const limit = Math.min(count, 50)
      const answer = await inbox({ cursor: meta.cursor, limit })
      expect(ids(answer)).toEqual(fresh.slice(0, limit))
      expect(answer.meta.has_more).toBe(count > limit)
    },
  )

  it('finds what was there all the time, but not to be seen: ids are given before posts can be read', async () => {
    const { meta } = await inbox()
    const [first, late, last] = add(3) as [number, number, number]
    server.forum.deletePost(late)
    const second = await inbox({ cursor: meta.cursor })
    expect(ids(second)).toEqual([first, last])
    server.forum.posts.get(late)!.deletedAt = null
    const third = await inbox({ cursor: second.meta.cursor })
    expect(ids(third)).toEqual([late])
    expect(ids(await inbox({ cursor: third.meta.cursor }))).toEqual([])
  })

  it('gets across a long stretch of ids with nothing to be seen', async () => {
    const { meta } = await inbox()
    for (const id of add(400)) server.forum.deletePost(id)
    const fresh = add(60)
    server.forgetRequests()
    const found: number[] = []
    let { cursor } = meta
    for (let isMore = true; isMore; ) {
      const answer = await inbox({ cursor, limit: 50 })
      found.push(...ids(answer))
      cursor = answer.meta.cursor
      isMore = answer.meta.has_more
    }
    expect(found).toEqual(fresh)
  })

  it('gives each post exactly once while others write and delete', async () => {
    for (let seed = 1; seed <= 15; seed += 1) await readWhileOthersWrite(seed)
  })
})

/** Posts come and go between the readings; now and then an answer is lost. */
async function readWhileOthersWrite(seed: number): Promise<void> {
  const random = chance(seed)
  const below = (end: number) => Math.floor(random() * end)
  let { cursor } = (await inbox()).meta
  const due = new Set<number>()
  const gone = new Set<number>()
  const found: number[] = []
  const take = async () => {
    const answer = await inbox({ cursor, limit: 1 + below(50) })
    if (below(4) === 0) return true
    found.push(...ids(answer))
    cursor = answer.meta.cursor
    return answer.meta.has_more
  }
  for (let round = 0; round < 6; round += 1) {
    for (const id of add(below(5) === 0 ? below(150) : below(12))) due.add(id)
    const victims = [...due].filter(() => below(4) === 0)
    for (const id of victims) {
      if (gone.has(id)) continue
      server.forum.deletePost(id)
      gone.add(id)
    }
    await take()
  }
  while (await take());
  await take()
  while (await take());
  expect(found.length, `seed ${seed}: nothing twice`).toBe(new Set(found).size)
  expect(
    [...due].filter((id) => !gone.has(id) && !found.includes(id)),
    `seed ${seed}: nothing left out`,
  ).toEqual([])
}

function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

describe('its posts and notifications', () => {
  beforeEach(async () => {
    await start(await temporaryLocation())
  })

  it('are what a reader must know', async () => {
    server.forum.notify('ada', { type: 2, topicId, postNumber: 1 })
    const [id] = add(1) as [number]
    const answer = await readWith(tool(9), { limit: 1 }, testCall(server.base, ada()))
    expect(answer).toEqual({
      posts: [
        {
          id,
          topic_id: topicId,
          post_number: 2,
          username: 'bob',
          created_at: expect.any(String),
          raw: 'Post numb',
          truncated: true,
        },
      ],
      notifications: [
        {
          id: 501,
          notification_type: 2,
          read: false,
          topic_id: topicId,
          post_number: 1,
          created_at: expect.any(String),
        },
      ],
      meta: { cursor: expect.any(String), has_more: false },
    })
  })

  it('come once each, the oldest first, whether they are read or not', async () => {
    const { meta } = await inbox()
    const sent = Array.from({ length: 130 }, () => server.forum.notify('ada', { type: 2 }).id)
    server.forum.notices.markRead('ada', sent[3])
    const found: { id: number; read: boolean }[] = []
    let { cursor } = meta
    for (let isMore = true; isMore; ) {
      const answer = await inbox({ cursor, limit: 50 })
      found.push(...answer.notifications)
      cursor = answer.meta.cursor
      isMore = answer.meta.has_more
    }
    expect(found.map(({ id }) => id)).toEqual(sent)
    expect(found[3]).toMatchObject({ read: true })
  })

  it('say that some are left out where there are too many', async () => {
    const { meta } = await inbox()
    const sent = Array.from({ length: 800 }, () => server.forum.notify('ada', { type: 2 }).id)
    const answer = await inbox({ cursor: meta.cursor })
    expect(answer.meta).toMatchObject({ complete: false, has_more: true })
    expect(answer.notifications[0].id).toBeGreaterThan(sent[0]!)
  })

  it('are posts alone for nobody, who has no notifications', async () => {
    const answer = await readWith(tool(), {}, testCall(server.base))
    expect(ids(answer)).toHaveLength(1)
    expect(answer.notifications).toEqual([])
    expect(server.seen(/notifications/)).toEqual([])
  })

  it.each([/posts\.json/, /notifications\.json/])('are an error where %s is one', async (on) => {
    server.fault({ on, kind: 'status', status: 403, json: { errors: ['No'] } })
    await expect(inbox()).rejects.toMatchObject({ code: 'forbidden' })
  })

  it.each([/posts\.json/, /notifications\.json/])('are an error where %s has no list', async (on) => {
    server.fault({ on, kind: 'status', status: 200, json: {} })
    await expect(inbox()).rejects.toMatchObject({ code: 'unexpected_response' })
  })

  it('are read by a tool that does not call itself read-only, since it keeps a cursor', () => {
    expect(marksOf(tool())).toMatchObject({ readOnlyHint: false, idempotentHint: true, destructiveHint: false })
  })
})

const ada = () => ({ credential: keyCredential(server.keys.user('ada')) })
