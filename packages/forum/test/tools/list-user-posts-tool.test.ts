import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listUserPostsTool } from '../../src/tools/list-user-posts-tool.js'
import { readWith, testCall } from '../support/test-call.js'

const list = (server: ForumServer, args: object = {}) =>
  readWith(listUserPostsTool(), { username: 'ada', ...args }, testCall(server.base))

/** Topics and replies of ada, a minute apart. */
function addPosts(server: ForumServer, count: number): void {
  server.forum.addUser('ada')
  const at = (number: number) => Date.parse('2026-03-02T12:00:00Z') + number * 60_000
  const topic = server.forum.addTopic({ title: 'A long story', username: 'ada', raw: 'Once', createdAt: at(0) })
  for (let number = 1; number < count; number += 1) {
    server.forum.addPost(topic.id, { username: 'ada', raw: `Chapter ${number}`, createdAt: at(number) })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the tool, which has been checked.
const numbers = (answer: any): number[] => answer.posts.map((post: { post_number: number }) => post.post_number)
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe.each([
  ['a forum that gives as many as it is asked for', true],
  ['an older forum that always gives thirty', false],
])('%s', (_, honoursActionsLimit) => {
  let server: ForumServer

  beforeEach(async () => {
    server = await startForumServer({ village: false, honoursActionsLimit })
    addPosts(server, 45)
  })

  afterEach(() => server.close())

  it.each([
    { limit: 50, pages: [45] },
    { limit: 45, pages: [45] },
    { limit: 44, pages: [44, 1] },
    { limit: 30, pages: [30, 15] },
    { limit: 29, pages: [29, 16] },
    { limit: 15, pages: [15, 15, 15] },
    { limit: 7, pages: [7, 7, 7, 7, 7, 7, 3] },
  ])('gives each post once, the newest first, in pages of $limit', async ({ limit, pages }) => {
    const found: number[][] = []
    for (let isMore = true; isMore; ) {
      const answer = await list(server, { page: found.length, limit })
      expect(answer.meta).toMatchObject({ page: found.length, limit })
      found.push(numbers(answer))
      isMore = answer.meta.has_more
    }
    expect(found.map((page) => page.length)).toEqual(pages)
    expect(found.flat()).toEqual(range(1, 45).reverse())
  })

  it('has nothing beyond the end', async () => {
    expect(await list(server, { page: 3, limit: 15 })).toEqual({
      posts: [],
      meta: { page: 3, limit: 15, has_more: false },
    })
  })
})

describe('one forum', () => {
  let server: ForumServer

  beforeEach(async () => {
    server = await startForumServer({ village: false })
  })

  afterEach(() => server.close())

  it('tells of a reply with its id, and of a topic without', async () => {
    addPosts(server, 2)
    const [topic] = [...server.forum.topics.values()].filter(({ title }) => title === 'A long story')
    const common = { topic_id: topic!.id, slug: 'a-long-story', title: 'A long story', category_id: topic!.categoryId }
    const { posts } = await list(server)
    expect(posts).toMatchObject([
      { ...common, id: topic!.posts[1]!.id, post_number: 2, created_at: '2026-03-02T12:01:00.000Z' },
      { ...common, id: null, post_number: 1, created_at: '2026-03-02T12:00:00.000Z' },
    ])
    expect(posts[0].excerpt).toMatch(/Chapter 1/)
  })

  it('is asked for topics and replies, by offset, for one more than is shown', async () => {
    addPosts(server, 1)
    await list(server, { page: 2, limit: 15 })
    expect([...new URLSearchParams(server.requests[0]!.path.split('?')[1])]).toEqual([
      ['username', 'ada'],
      ['filter', '4,5'],
      ['offset', '30'],
      ['limit', '16'],
    ])
    expect(server.requests).toHaveLength(1)
  })

  it('may have no such user, or hide what the user does: both look the same', async () => {
    server.forum.addUser('shy', { hidden: true })
    for (const username of ['nobody', 'shy']) {
      await expect(list(server, { username })).rejects.toMatchObject({
        code: 'not_found',
        details: { hint: expect.stringMatching(/no such user.*hides/) },
      })
    }
  })

  it.each([{}, [], { user_actions: null }, { user_actions: [{ post_id: 3 }] }])('must not answer %j', async (json) => {
    server.fault({ on: /user_actions/, kind: 'status', status: 200, json })
    await expect(list(server)).rejects.toMatchObject({ code: 'unexpected_response' })
  })

  it.each([{ username: '' }, { page: -1 }, { limit: 0 }, { limit: 51 }, { offset: 3 }])(
    'is not asked for %j',
    async (args) => {
      await expect(list(server, args)).rejects.toThrow()
      expect(server.requests).toEqual([])
    },
  )
})
