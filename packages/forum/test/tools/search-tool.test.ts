import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { searchTool } from '../../src/tools/search-tool.js'
import { readWith, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
})

afterEach(() => server.close())

const search = (args: object, defaultSearch?: string) =>
  readWith(searchTool({ config: { defaultSearch } }), args, testCall(server.base))

const answerOnce = (json: object) => server.fault({ on: /GET \/search\.json/, kind: 'status', status: 200, json })

const topics = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, slug: `s-${index + 1}`, title: `T ${index + 1}` }))

/** What was searched for, by the forum's log. */
const asked = () => server.requests.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('q'))

it('finds topics by their text', async () => {
  const { id } = server.forum.addTopic({ title: 'A garden', username: 'ada', raw: 'Growing rhubarb in the shade' })
  server.forum.addTopic({ title: 'A kitchen', username: 'ada', raw: 'Baking bread' })
  expect(await search({ query: 'rhubarb' })).toEqual({
    results: [{ id, slug: 'a-garden', title: 'A garden' }],
    meta: { total: 1, has_more: false },
  })
})

it('finds nothing where the answer has no topics', async () => {
  expect(await search({ query: 'rhubarb' })).toEqual({ results: [], meta: { total: 0, has_more: false } })
  answerOnce({ posts: [], grouped_search_result: { term: 'x', more_full_page_results: null } })
  expect(await search({ query: 'xyz' })).toEqual({ results: [], meta: { total: 0, has_more: false } })
})

it('puts what the operator wants before every query', async () => {
  await search({ query: 'rhubarb & co' }, 'category:support tag:ai')
  await search({ query: 'rhubarb & co' })
  await search({ query: 'rhubarb & co' }, '')
  expect(asked()).toEqual(['category:support tag:ai rhubarb & co', 'rhubarb & co', 'rhubarb & co'])
})

describe('whether there is more', () => {
  it('is so with more topics than are wanted', async () => {
    answerOnce({ topics: topics(4), grouped_search_result: {} })
    const answer = await search({ query: 'xyz', max_results: 3 })
    expect(answer.results).toEqual(topics(3))
    expect(answer.meta).toEqual({ total: 3, has_more: true })
  })

  it('is so with more pages, of which the forum tells in the grouped result', async () => {
    answerOnce({ topics: topics(3), grouped_search_result: { more_full_page_results: true } })
    expect((await search({ query: 'xyz', max_results: 3 })).meta).toEqual({ total: 3, has_more: true })
  })

  it('is not so by a word elsewhere', async () => {
    answerOnce({
      topics: topics(3),
      more_full_page_results: true,
      grouped_search_result: { more_full_page_results: null },
    })
    expect((await search({ query: 'xyz', max_results: 3 })).meta).toEqual({ total: 3, has_more: false })
  })

  it('is told by a forum with more hits than fit on its page', async () => {
    for (const { title } of topics(51))
      server.forum.addTopic({ title: `Title ${title}`, username: 'ada', raw: 'rhubarb!' })
    expect((await search({ query: 'rhubarb', max_results: 50 })).meta).toEqual({ total: 50, has_more: true })
  })
})

it('shows each topic once, with its id for a slug where it has none', async () => {
  answerOnce({
    topics: [{ id: 1, slug: '', title: 'A' }, { id: 2, fancy_title: 'B' }, { id: 1, title: 'A' }, {}, null],
  })
  expect((await search({ query: 'xyz' })).results).toEqual([
    { id: 1, slug: '1', title: 'A' },
    { id: 2, slug: '2', title: 'B' },
  ])
})

describe('failures', () => {
  it('say in the words of the forum that the query is too short', async () => {
    await expect(search({ query: 'x' })).rejects.toMatchObject({
      code: 'rejected',
      details: {
        status: 400,
        errors: [expect.stringMatching(/./)],
        hint: expect.stringMatching(/3 characters/),
      },
    })
  })

  it('are answers with an error in them, though their status is 200', async () => {
    answerOnce({ posts: [], grouped_search_result: { error: 'We are overloaded.' } })
    await expect(search({ query: 'xyz' })).rejects.toMatchObject({
      code: 'upstream_error',
      retryable: true,
      message: expect.stringMatching(/We are overloaded\./),
      details: { status: 200, errors: ['We are overloaded.'] },
    })
  })

  it.each([{ list: {} }, []])('are answers without a result: %j', async (json) => {
    answerOnce(json)
    await expect(search({ query: 'xyz' })).rejects.toMatchObject({ code: 'unexpected_response' })
  })

  it.each([{}, { query: '' }, { query: 'xyz', max_results: 51 }, { query: 'xyz', limit: 1 }])(
    'are arguments like %j',
    async (args) => {
      await expect(search(args)).rejects.toThrow()
      expect(server.requests).toEqual([])
    },
  )
})
