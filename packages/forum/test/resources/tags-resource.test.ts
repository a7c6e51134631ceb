import { startForumServer } from '@callboard/forum/demo'
import { expect, it } from 'vitest'
import { tagsResource } from '../../src/resources/tags-resource.js'
import { testCall } from '../support/test-call.js'

// biome-ignore lint/suspicious/noExplicitAny: each test knows what is in it.
const read = (base: string): Promise<any> => tagsResource.read(testCall(base))

it('has names and numbers, also of tags in a group', async () => {
  await using server = await startForumServer({ village: false })
  const { forum } = server
  forum.addUser('ada')
  const loose = forum.boards.tag('loose')
  const grouped = forum.boards.tag('grouped', 'Colours')
  forum.addTopic({ title: 'All the colours', username: 'ada', raw: 'Red', tags: ['grouped'] })
  expect(await read(server.base)).toEqual({
    tags: [
      { id: loose.id, count: 0, name: 'loose', slug: 'loose' },
      { id: grouped.id, count: 1, name: 'grouped', slug: 'grouped' },
    ],
    meta: { total: 2 },
  })
})

it('has names on an older forum, where the id is the name', async () => {
  await using server = await startForumServer({ village: false, tagIds: 'names' })
  server.forum.boards.tag('bug')
  expect((await read(server.base)).tags).toEqual([{ id: 'bug', count: 0, name: 'bug', slug: null }])
})

it('has those that belong to a category, and each once', async () => {
  await using server = await startForumServer({ village: false })
  const tag = (id: number, name: string) => ({ id, name, text: name, count: 1 })
  const extras = { categories: [{ id: 1, tags: [tag(8, 'roses')] }], tag_groups: [{ tags: [tag(7, 'bug')] }] }
  server.fault({ on: /tags\.json/, kind: 'status', status: 200, json: { tags: [tag(7, 'bug')], extras } })
  const { tags, meta } = await read(server.base)
  expect(tags.map(({ name }: { name: string }) => name)).toEqual(['bug', 'roses'])
  expect(meta).toEqual({ total: 2 })
})

it('is empty, and says that there are no tags, where tagging is off', async () => {
  await using server = await startForumServer({ village: false, tagging: false })
  expect(await read(server.base)).toEqual({ tags: [], meta: { total: 0, disabled: true } })
})

it.each([
  [403, 'forbidden'],
  [500, 'upstream_error'],
])('is an error where the forum answers %i', async (status, code) => {
  await using server = await startForumServer({ village: false })
  server.fault({ on: /tags\.json/, kind: 'status', status, json: { errors: ['No'] } })
  await expect(read(server.base)).rejects.toMatchObject({ code })
})

it('is an error where the answer has no list', async () => {
  await using server = await startForumServer({ village: false })
  server.fault({ on: /tags\.json/, kind: 'status', status: 200, json: { extras: {} } })
  await expect(read(server.base)).rejects.toMatchObject({ code: 'unexpected_response' })
})
