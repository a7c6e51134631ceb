import { describe, expect, it } from 'vitest'
import { openForum, type Reply } from './support/forum-client.js'

/** Numbered to 60, the seventh gone. */
async function longTopic() {
  const opened = await openForum()
  opened.forum.addUser('ada')
  const topic = opened.forum.addTopic({ title: 'A long topic', username: 'ada', raw: 'The first', tags: ['bug'] })
  opened.forum.addPosts(topic.id, 59)
  opened.forum.deletePost(topic.posts[6]!.id)
  return { ...opened, topic, path: `/t/${topic.id}` }
}

const numbers = ({ json }: Reply): number[] =>
  json.post_stream.posts.map((post: { readonly post_number: number }) => post.post_number)

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('a topic', () => {
  it('begins with its first twenty posts, and tells the ids of all that are there', async () => {
    const { anonymous, topic, path } = await longTopic()
    const reply = await anonymous.get(`${path}.json`)
    expect(numbers(reply)).toEqual([1, 2, 3, 4, 5, 6, ...range(8, 21)])
    expect(reply.json).toMatchObject({ posts_count: 59, highest_post_number: 60, slug: 'a-long-topic' })
    expect(reply.json.post_stream.stream).toEqual(topic.posts.filter(({ number }) => number !== 7).map(({ id }) => id))
  })

  it('shows the raw text only when asked', async () => {
    const { anonymous, path } = await longTopic()
    const [plain, raw] = [await anonymous.get(`${path}.json`), await anonymous.get(`${path}.json?include_raw=true`)]
    expect(plain.json.post_stream.posts[0]).not.toHaveProperty('raw')
    expect(plain.json.post_stream.posts[0]).toMatchObject({ cooked: '<p>The first</p>' })
    expect(raw.json.post_stream.posts[0]).toMatchObject({ raw: 'The first' })
  })

  it.each([
    ['from five before the post', 30, range(25, 44)],
    ['from five before the nearest one where it is gone', 7, range(1, 21).filter((number) => number !== 7)],
    ['from earlier near the end', 58, range(41, 60)],
    ['the last ones beyond the end', 9_999, range(41, 60)],
  ])('shows a window %s', async (_, number, expected) => {
    const { anonymous, path } = await longTopic()
    expect(numbers(await anonymous.get(`${path}.json?post_number=${number}`))).toEqual(expected)
    expect(numbers(await anonymous.get(`${path}/${number}.json`))).toEqual(expected)
  })

  it('has tags that are objects, on old cores names', async () => {
    const { server, anonymous, path } = await longTopic()
    expect((await anonymous.get(`${path}.json`)).json.tags).toEqual([{ id: 7, name: 'bug', slug: 'bug' }])
    server.setting.tagIds = 'names'
    expect((await anonymous.get(`${path}.json`)).json.tags).toEqual(['bug'])
  })

  it('tells of a mega topic the last id in place of all', async () => {
    const { anonymous, forum, topic, path, server } = await longTopic()
    server.setting.megaTopicPosts = 59
    const { post_stream } = (await anonymous.get(`${path}.json`)).json
    expect(post_stream).toMatchObject({ isMegaTopic: true, lastId: topic.posts.at(-1)!.id })
    expect(post_stream).not.toHaveProperty('stream')
    const small = forum.addTopic({ title: 'Small', username: 'ada', raw: 'Short', mega: true })
    expect((await anonymous.get(`/t/${small.id}.json`)).json.post_stream).toMatchObject({ isMegaTopic: true })
  })
})

describe('posts of a topic', () => {
  it('gives certain ones, twenty at most, without those that are gone', async () => {
    const { anonymous, topic, path } = await longTopic()
    const ask = (numbers: readonly number[]) =>
      anonymous.get(
        `${path}/posts.json?${numbers.map((number) => `post_ids[]=${topic.posts[number - 1]!.id}`).join('&')}`,
      )
    expect(numbers(await ask([9, 7, 8]))).toEqual([8, 9])
    expect(numbers(await ask(range(10, 40)))).toEqual(range(10, 29))
  })

  it('means by a number those before it, and backwards; those after it only with asc', async () => {
    const { anonymous, path } = await longTopic()
    expect(numbers(await anonymous.get(`${path}/posts.json?post_number=9`))).toEqual([8, 6, 5, 4, 3, 2, 1])
    expect(numbers(await anonymous.get(`${path}/posts.json?post_number=50`))).toEqual(range(30, 49).toReversed())
    expect(numbers(await anonymous.get(`${path}/posts.json?post_number=50&asc=true`))).toEqual(range(51, 60))
  })
})

describe('what is not there', () => {
  it('comes with a whole page for a topic', async () => {
    const { anonymous, forum } = await longTopic()
    const secret = forum.addTopic({ title: 'For staff', username: 'mayor', raw: 'Secret', category: 'staff' })
    const page = { title: expect.any(String), html: expect.stringMatching(/^<div.{1000}/) }
    expect(await anonymous.get('/t/9999.json')).toMatchObject({
      status: 404,
      json: { error_type: 'not_found', extras: page },
    })
    expect(await anonymous.get(`/t/${secret.id}.json`)).toMatchObject({
      status: 403,
      json: { error_type: 'invalid_access', extras: page },
    })
  })

  it('is what follows a topic and is no number of a post', async () => {
    const { anonymous, path } = await longTopic()
    expect(await anonymous.get(`/t/a-long-topic${path.slice(2)}/about.json`)).toMatchObject({ status: 404 })
    expect(await anonymous.get(`/t/a-long-topic${path.slice(2)}/9.json`)).toMatchObject({ status: 200 })
  })

  it('is 404 or 410 for a deleted topic', async () => {
    const { anonymous, forum, topic, path } = await longTopic()
    forum.deleteTopic(topic.id)
    expect(await anonymous.get(`${path}.json`)).toMatchObject({ status: 404 })
    expect(await anonymous.get(`/posts/${topic.posts[0]!.id}.json`)).toMatchObject({ status: 404 })
    forum.deleteTopic(topic.id, 'gone')
    expect(await anonymous.get(`${path}.json`)).toMatchObject({ status: 410 })
  })

  it('is 404 for a deleted post', async () => {
    const { anonymous, topic } = await longTopic()
    expect(await anonymous.get(`/posts/${topic.posts[6]!.id}.json`)).toMatchObject({
      status: 404,
      json: { error_type: 'not_found' },
    })
  })
})

it('shows one post flat, with its text', async () => {
  const { anonymous, topic } = await longTopic()
  expect((await anonymous.get(`/posts/${topic.posts[0]!.id}.json`)).json).toMatchObject({
    id: topic.posts[0]!.id,
    topic_id: topic.id,
    topic_slug: 'a-long-topic',
    post_number: 1,
    username: 'ada',
    raw: 'The first',
  })
})

it('leads elsewhere from a permalink, and from an id of somebody else', async () => {
  const { anonymous, adminAs, forum, server } = await openForum({ basePath: '/forumA' })
  forum.addUser('ada')
  forum.permalinks.set('old/page', '/t/11')
  const old = await anonymous.get('/old/page')
  expect([old.status, old.headers.get('location')]).toEqual([301, `${server.base}/t/11`])

  const given = { title: 'From elsewhere', raw: 'Brought along', external_id: 'abc-1' }
  const { topic_id } = (await adminAs('ada').post('/posts.json', given)).json
  const found = await anonymous.get('/t/external_id/abc-1.json')
  expect([found.status, found.headers.get('location')]).toEqual([
    301,
    `${server.base}/t/from-elsewhere/${topic_id}.json`,
  ])
  expect(await anonymous.get(`/t/from-elsewhere/${topic_id}.json`)).toMatchObject({
    status: 200,
    json: { id: topic_id },
  })
  expect(await anonymous.get('/t/external_id/other.json')).toMatchObject({ status: 404 })
})
