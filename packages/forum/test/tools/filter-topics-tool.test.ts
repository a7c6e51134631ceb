import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { filterTopicsTool } from '../../src/tools/filter-topics-tool.js'
import { readWith, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
})

afterEach(() => server.close())

const filter = (args: object) => readWith(filterTopicsTool(), { filter: 'tag:story', ...args }, testCall(server.base))

function addTopics(count: number): void {
  for (let number = 1; number <= count; number += 1) {
    const createdAt = Date.parse('2026-03-02T12:00:00Z') + number * 60_000
    server.forum.addTopic({
      title: `Story number ${number}`,
      username: 'ada',
      raw: 'A text',
      tags: ['story'],
      createdAt,
    })
  }
}

/** A forum with pages of its own length: one page, and whether it says that there is another. */
function givePage(page: number, ids: readonly number[], { perPage = 30, isMore = false } = {}): void {
  const topics = ids.map((id) => ({ id, slug: `s-${id}`, title: `T ${id}` }))
  const more = isMore ? { more_topics_url: `/filter?page=${page + 1}&q=x` } : {}
  const json = { topic_list: { per_page: perPage, topics, ...more } }
  server.fault({ on: new RegExp(`GET /filter\\.json\\?.*page=${page}$`), kind: 'status', status: 200, json, times: 99 })
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the tool, which has been checked.
const ids = (answer: any): number[] => answer.results.map((row: { id: number }) => row.id)
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

async function readThrough(perPage: number) {
  const pages: number[][] = []
  for (let isMore = true; isMore; ) {
    const answer = await filter({ page: pages.length, per_page: perPage })
    expect(answer.meta).toMatchObject({ page: pages.length, limit: perPage })
    pages.push(ids(answer))
    isMore = answer.meta.has_more
  }
  return pages
}

const lengths = (pages: readonly number[][]) => pages.map((page) => page.length)

it('answers id, slug and title of each topic', async () => {
  addTopics(1)
  const [topic] = [...server.forum.topics.values()].filter(({ tags }) => tags.includes('story'))
  expect(await filter({})).toEqual({
    results: [{ id: topic!.id, slug: 'story-number-1', title: 'Story number 1' }],
    meta: { page: 0, limit: 20, has_more: false },
  })
})

describe('page by page', () => {
  it.each([
    [20, [20, 20, 20, 5]],
    [30, [30, 30, 5]],
    [50, [50, 15]],
    [13, [13, 13, 13, 13, 13]],
    [7, [7, 7, 7, 7, 7, 7, 7, 7, 7, 2]],
  ])('has each of 65 topics once, %i a page', async (perPage, expected) => {
    addTopics(65)
    const pages = await readThrough(perPage)
    expect(lengths(pages)).toEqual(expected)
    expect(new Set(pages.flat()).size).toBe(65)
  })

  it.each([
    [20, [20, 20, 20]],
    [30, [30, 30]],
    [50, [50, 10]],
  ])(
    'ends with the last of 60 topics, %i a page, though the forum speaks of another page',
    async (perPage, expected) => {
      addTopics(60)
      expect(lengths(await readThrough(perPage))).toEqual(expected)
    },
  )

  it('has nothing beyond the end', async () => {
    addTopics(5)
    for (const page of [1, 9, Number.MAX_SAFE_INTEGER]) {
      expect(await filter({ page })).toEqual({ results: [], meta: { page, limit: 20, has_more: false } })
    }
  })
})

describe('a forum with pages of another length', () => {
  it.each([10, 30, 50])('is read by the length that it tells: %i', async (length) => {
    // Where there were a third page, by the length that is usual.
    if (length === 50) givePage(2, [], { perPage: length })
    for (let page = 0; page * length < 65; page += 1) {
      const last = Math.min(65, (page + 1) * length)
      givePage(page, range(page * length + 1, last), { perPage: length, isMore: last < 65 })
    }
    for (const perPage of [7, 20, 30, 50]) expect((await readThrough(perPage)).flat()).toEqual(range(1, 65))
  })

  it('is never told how many rows are wanted', async () => {
    addTopics(31)
    await filter({ page: 1, per_page: 20 })
    expect(server.requests.map(({ path }) => [...new URLSearchParams(path.split('?')[1]).keys()])).toEqual([
      ['q', 'page'],
      ['q', 'page'],
    ])
  })
})

it('asks for no more pages than it needs', async () => {
  addTopics(65)
  await filter({ page: 0, per_page: 20 })
  expect(server.requests).toHaveLength(1)
  // Rows 20 to 40, and one more to know whether there are others: of two pages.
  await filter({ page: 1, per_page: 20 })
  expect(server.requests).toHaveLength(3)
  await filter({ page: 3, per_page: 20 })
  expect(server.requests).toHaveLength(4)
})

it('takes a full page for the last one where the next is empty', async () => {
  givePage(0, range(1, 30), { isMore: true })
  givePage(1, [])
  expect((await filter({ per_page: 30 })).meta.has_more).toBe(false)
})

it('shows a topic once that has moved to the next page meanwhile', async () => {
  givePage(0, range(1, 30), { isMore: true })
  givePage(1, range(30, 59))
  const answer = await filter({ per_page: 50 })
  expect(ids(answer)).toEqual(range(1, 49))
  expect(answer.meta.has_more).toBe(true)
})

it('has another title and the id for a slug where these are missing', async () => {
  const json = { topic_list: { topics: [{ id: 3, fancy_title: 'Fancy' }, 'odd', {}] } }
  server.fault({ on: /filter/, kind: 'status', status: 200, json })
  expect((await filter({})).results).toEqual([{ id: 3, slug: '3', title: 'Fancy' }])
})

describe('failures', () => {
  it.each([{}, { topic_list: {} }, []])('are answers without a list: %j', async (json) => {
    server.fault({ on: /filter/, kind: 'status', status: 200, json })
    await expect(filter({})).rejects.toMatchObject({ code: 'unexpected_response' })
  })

  it.each([{ filter: '' }, { page: -1 }, { per_page: 0 }, { per_page: 51 }, { page: 1.5 }, { limit: 3 }])(
    'are arguments like %j',
    async (args) => {
      await expect(filter(args)).rejects.toThrow()
      expect(server.requests).toEqual([])
    },
  )
})
