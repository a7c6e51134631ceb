import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readTopicTool } from '../../src/tools/read-topic-tool.js'
import { changedClient } from '../support/changed-client.js'
import { plainClient } from '../support/plain-client.js'
import { readWith, type TestCallOptions, testCall } from '../support/test-call.js'

const tool = readTopicTool({ config: { maxReadLength: 50_000 } })

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
})

afterEach(() => server.close())

/** A topic with posts numbered from 1 to `count`, some of them deleted. Its id. */
function topicOf(count: number, { deleted = [], ...more }: { deleted?: readonly number[]; mega?: boolean } = {}) {
  const topic = server.forum.addTopic({ title: 'A long story', username: 'ada', raw: 'Once upon a time', ...more })
  server.forum.addPosts(topic.id, count - 1)
  for (const number of deleted) deletePost(topic.id, number)
  return topic.id
}

function deletePost(topicId: number, number: number) {
  server.forum.deletePost(server.forum.topic(topicId).posts[number - 1]!.id)
}

const read = (args: object, options: TestCallOptions = {}) => readWith(tool, args, testCall(server.base, options))

// biome-ignore lint/suspicious/noExplicitAny: an answer of the tool, which has been checked.
const numbers = (answer: any): number[] => answer.posts.map((post: { post_number: number }) => post.post_number)

/** From `first` to `last`. */
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** All pages, one after the other, as their descriptions say. */
async function readThrough(topicId: number, limit: number, between: (next: number) => void = () => undefined) {
  const found: number[] = []
  let pages = 0
  for (let next: number | null = 1; next !== null; pages += 1) {
    if (pages > 0) between(next)
    const answer = await read({ topic_id: topicId, post_limit: limit, start_post_number: next })
    expect(answer.meta.has_more).toBe(answer.meta.next_post_number !== null)
    found.push(...numbers(answer))
    next = answer.meta.next_post_number
  }
  return { found, pages }
}

const visible = (topicId: number) =>
  server.forum
    .topic(topicId)
    .posts.filter((post) => post.deletedAt === null)
    .map((post) => post.number)

describe('what it answers', () => {
  it('is the topic and its first five posts, as they were written', async () => {
    server.forum.addCategory('Stories')
    const { id, posts } = server.forum.addTopic({
      title: 'A short story',
      username: 'ada',
      category: 'Stories',
      tags: ['bug', 'help'],
      raw: 'Once **upon** a time',
      createdAt: Date.parse('2026-03-02T12:00:00Z'),
    })
    const answer = await read({ topic_id: id })
    expect(answer).toEqual({
      id,
      title: 'A short story',
      slug: 'a-short-story',
      category_id: server.forum.topic(id).categoryId,
      tags: ['bug', 'help'],
      posts_count: 1,
      posts: [
        {
          id: posts[0]!.id,
          post_number: 1,
          username: 'ada',
          created_at: '2026-03-02T12:00:00.000Z',
          raw: 'Once **upon** a time',
          truncated: false,
        },
      ],
      meta: { start_post: 1, returned: 1, has_more: false, next_post_number: null },
    })
    expect(numbers(await read({ topic_id: topicOf(9) }))).toEqual([1, 2, 3, 4, 5])
  })

  it('has tags as names, also of a forum whose tags are nothing else', async () => {
    await using old = await startForumServer({ village: false, tagIds: 'names' })
    old.forum.addUser('ada')
    const { id } = old.forum.addTopic({ title: 'Old but good', username: 'ada', raw: 'A text', tags: ['bug', 'help'] })
    const answer = await readWith(tool, { topic_id: id }, testCall(old.base))
    expect(answer.tags).toEqual(['bug', 'help'])
  })

  it('cuts a long post between characters, and says so', async () => {
    const short = readTopicTool({ config: { maxReadLength: 3 } })
    const { id } = server.forum.addTopic({ title: 'Faces of all', username: 'ada', raw: '🙂🙃🙂' })
    server.forum.addPost(id, { username: 'ada', raw: '🙂🙃🙂🙃' })
    const { posts } = await readWith(short, { topic_id: id }, testCall(server.base))
    expect(posts).toMatchObject([
      { raw: '🙂🙃🙂', truncated: false },
      { raw: '🙂🙃🙂', truncated: true },
    ])
  })

  it('is HTML where the forum keeps the source to itself, and nobody where the author is gone', async () => {
    const post = { id: 5, post_number: 1, username: null, cooked: '<p>Hi</p>' }
    server.fault({
      on: /GET \/t\/7\.json/,
      kind: 'status',
      status: 200,
      json: { id: 7, fancy_title: 'T', slug: '', category_id: null, post_stream: { posts: [post], stream: [5] } },
    })
    expect(await read({ topic_id: 7 })).toMatchObject({
      title: 'T',
      slug: '7',
      category_id: null,
      tags: [],
      posts_count: null,
      posts: [{ raw: '<p>Hi</p>', username: null, created_at: null }],
    })
  })
})

describe('where it starts', () => {
  it('is the post with that number', async () => {
    const answer = await read({ topic_id: topicOf(60), start_post_number: 42, post_limit: 3 })
    expect(numbers(answer)).toEqual([42, 43, 44])
    expect(answer.meta).toEqual({ start_post: 42, returned: 3, has_more: true, next_post_number: 45 })
  })

  it('is the next post that is there, where that one is deleted', async () => {
    const topicId = topicOf(60, { deleted: [30, 31, 32] })
    expect(numbers(await read({ topic_id: topicId, start_post_number: 30, post_limit: 2 }))).toEqual([33, 34])
  })

  it('is nowhere beyond the end', async () => {
    for (const topicId of [topicOf(60), topicOf(60, { mega: true })]) {
      const answer = await read({ topic_id: topicId, start_post_number: 61 })
      expect(answer).toMatchObject({ posts: [], posts_count: 60 })
      expect(answer.meta).toEqual({ start_post: 61, returned: 0, has_more: false, next_post_number: null })
    }
  })

  it('is nowhere where the last posts are deleted', async () => {
    const answer = await read({ topic_id: topicOf(60, { deleted: [59, 60] }), start_post_number: 59 })
    expect(answer).toMatchObject({ posts: [], meta: { has_more: false, next_post_number: null } })
  })
})

describe('whether there is more', () => {
  it('does not depend on numbers, in which deleted posts leave gaps', async () => {
    const topicId = topicOf(60, { deleted: [7] })
    const answer = await read({ topic_id: topicId, start_post_number: 55, post_limit: 5 })
    expect(answer.posts_count).toBe(59)
    expect(numbers(answer)).toEqual([55, 56, 57, 58, 59])
    expect(answer.meta).toMatchObject({ has_more: true, next_post_number: 60 })

    const rest = await read({ topic_id: topicId, start_post_number: 60, post_limit: 5 })
    expect(numbers(rest)).toEqual([60])
    expect(rest.meta).toMatchObject({ has_more: false, next_post_number: null })
  })

  it('is not so where the page ends with the topic', async () => {
    const answer = await read({ topic_id: topicOf(60), start_post_number: 56, post_limit: 5 })
    expect(numbers(answer)).toEqual([56, 57, 58, 59, 60])
    expect(answer.meta.has_more).toBe(false)
  })
})

describe('what it asks the forum for', () => {
  it('is one request at the end of a topic, however many posts are wanted', async () => {
    await read({ topic_id: topicOf(60), start_post_number: 50, post_limit: 50 })
    expect(server.requests).toHaveLength(1)
  })

  it('is one request for a short topic', async () => {
    expect(numbers(await read({ topic_id: topicOf(20), post_limit: 50 }))).toHaveLength(20)
    expect(server.requests).toHaveLength(1)
  })

  it('is what is missing, twenty ids at a time', async () => {
    const topicId = topicOf(100)
    const answer = await read({ topic_id: topicId, start_post_number: 30, post_limit: 50 })
    expect(numbers(answer)).toEqual(range(30, 79))
    const ids = server.seen(/posts\.json/).map(({ path }) => [...new URLSearchParams(path.split('?')[1])])
    const idOf = (number: number) => String(server.forum.topic(topicId).posts[number - 1]!.id)
    const asked = (from: number, to: number) => [
      ...range(from, to).map((number) => ['post_ids[]', idOf(number)]),
      ['include_raw', 'true'],
    ]
    // The window of the first request has five posts before number 30 and fifteen from there on.
    expect(ids).toEqual([asked(45, 64), asked(65, 79)])
    expect(server.requests).toHaveLength(3)
  })

  it('is never the posts from a number on: the forum takes that for the posts before it', async () => {
    for (const mega of [false, true])
      await read({ topic_id: topicOf(80, { mega }), start_post_number: 9, post_limit: 50 })
    expect(server.seen(/posts\.json\?(.*&)?post_number=/)).toEqual([])
  })
})

describe('page by page', () => {
  it('has each of 10,000 posts once', { timeout: 120_000 }, async () => {
    // One is deleted: with so many that are visible, the forum would not give their ids any more.
    const topicId = topicOf(10_000, { deleted: [5_000] })
    const { found, pages } = await readThrough(topicId, 50)
    expect(found).toEqual(visible(topicId))
    expect(pages).toBe(200)
    // A page: one request for a window, in which are at least 15 of its 50 posts, and two for the ids of the others.
    expect(server.requests).toHaveLength(pages * 3)
  })

  it('has each of 10,000 posts once, where the forum does not give their ids', { timeout: 120_000 }, async () => {
    const topicId = topicOf(10_000)
    const { found, pages } = await readThrough(topicId, 50)
    expect(found).toEqual(range(1, 10_000))
    expect(pages).toBe(200)
    // A page: four windows with 15 new posts each; the first of all has 20.
    expect(server.requests).toHaveLength(pages * 4 - 1)
    expect(server.seen(/posts\.json/)).toEqual([])
  })

  it.each([1, 5, 19, 20, 21, 50])('has each post once in pages of %i, with gaps', async (limit) => {
    const deleted = [2, 3, 20, 21, 22, 40, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 99, 120]
    for (const mega of [false, true]) {
      const topicId = topicOf(120, { deleted, mega })
      const { found } = await readThrough(topicId, limit)
      expect(found).toEqual(visible(topicId))
    }
  })

  it('misses nothing when posts are deleted between two pages', async () => {
    for (const mega of [false, true]) {
      const topicId = topicOf(100, { mega })
      const unread: number[] = []
      const { found } = await readThrough(topicId, 10, (next) => {
        // One that has been read, and the one that was to be read next.
        deletePost(topicId, next - 4)
        deletePost(topicId, next)
        unread.push(next)
      })
      expect(found).toEqual(range(1, 100).filter((number) => !unread.includes(number)))
    }
  })

  it('finds the posts that were written between two pages', async () => {
    const topicId = topicOf(10)
    let isWritten = false
    const { found } = await readThrough(topicId, 5, () => {
      if (!isWritten) server.forum.addPosts(topicId, 3)
      isWritten = true
    })
    expect(found).toEqual(range(1, 13))
  })
})

describe('posts that are deleted while it reads', () => {
  /** They are there when the forum gives the ids, and gone when these are asked for. */
  const deletedMeanwhile = (topicId: number, gone: readonly number[]) => ({
    client: changedClient(server.base, (path) => {
      if (path === `/t/${topicId}.json`) for (const number of gone) deletePost(topicId, number)
    }),
  })

  it('give their places to the next ones', async () => {
    const topicId = topicOf(60)
    const answer = await read({ topic_id: topicId, post_limit: 25 }, deletedMeanwhile(topicId, [22, 23]))
    expect(numbers(answer)).toEqual([...range(1, 21), ...range(24, 27)])
    expect(answer.meta).toMatchObject({ returned: 25, has_more: true, next_post_number: 28 })
  })

  it('leave nothing behind them at the end of the topic', async () => {
    const topicId = topicOf(24)
    const answer = await read({ topic_id: topicId, post_limit: 50 }, deletedMeanwhile(topicId, [23, 24]))
    expect(numbers(answer)).toEqual(range(1, 22))
    expect(answer.meta).toMatchObject({ has_more: false, next_post_number: null })
  })

  it('end a topic without ids where there is nothing after them', async () => {
    const topicId = topicOf(24, { mega: true })
    const answer = await read({ topic_id: topicId, post_limit: 50 }, deletedMeanwhile(topicId, range(21, 24)))
    expect(numbers(answer)).toEqual(range(1, 20))
    expect(answer.meta).toMatchObject({ has_more: false, next_post_number: null })
  })
})

it('reads on in a topic that has become short enough meanwhile for the forum to give its ids', async () => {
  const topicId = topicOf(10_000)
  const client = changedClient(server.base, () => deletePost(topicId, 9_000))
  const answer = await read({ topic_id: topicId, post_limit: 30 }, { client })
  expect(numbers(answer)).toEqual(range(1, 30))
  expect(answer.meta).toMatchObject({ has_more: true, next_post_number: 31 })
  expect(server.requests).toHaveLength(2)
})

it('puts posts into the order of the topic, in whatever order they come', async () => {
  const client = changedClient(server.base, (path, answer) => {
    if (path.endsWith('/posts.json')) (answer as { post_stream: { posts: unknown[] } }).post_stream.posts.reverse()
  })
  expect(numbers(await read({ topic_id: topicOf(60), post_limit: 50 }, { client }))).toEqual(range(1, 50))
})

it('reads on in the topic to which the forum leads from the one that was asked for', async () => {
  const topicId = topicOf(60)
  const client = plainClient(server.base)
  const leading = {
    ...client,
    get: ((path, query, scope) =>
      client.get(path.replace(/^\/t\/7\.json$/, `/t/${topicId}.json`), query, scope)) as typeof client.get,
  }
  const answer = await read({ topic_id: 7, post_limit: 30 }, { client: leading })
  expect(answer.id).toBe(topicId)
  expect(numbers(answer)).toEqual(range(1, 30))
})

describe('failures', () => {
  it('of the forum reach the caller', async () => {
    await expect(read({ topic_id: 4_711 })).rejects.toMatchObject({ code: 'not_found', details: { status: 404 } })
  })

  it.each([
    ['no topic', {}],
    ['no posts', { id: 7, post_stream: { stream: [] } }],
    ['posts without ids', { id: 7, post_stream: { posts: [{ post_number: 1 }], lastId: 3, isMegaTopic: true } }],
    ['posts without numbers', { id: 7, post_stream: { posts: [{ id: 1 }], stream: [1] } }],
    ['no word on how long it is', { id: 7, post_stream: { posts: [{ id: 1, post_number: 1 }] } }],
  ])('are answers that tell nothing: %s', async (_, json) => {
    server.fault({ on: /GET \/t\/7\.json/, kind: 'status', status: 200, json, times: Infinity })
    await expect(read({ topic_id: 7 })).rejects.toMatchObject({ code: 'unexpected_response' })
  })

  it.each([{}, { topic_id: 0 }, { topic_id: '7' }, { topic_id: 7, post_limit: 51 }, { topic_id: 7, page: 1 }])(
    'are arguments like %j',
    async (args) => {
      await expect(read(args)).rejects.toThrow()
      expect(server.requests).toEqual([])
    },
  )
})
