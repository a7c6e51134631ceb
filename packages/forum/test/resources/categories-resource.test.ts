import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { categoriesResource } from '../../src/resources/categories-resource.js'
import { changedClient } from '../support/changed-client.js'
import { keyCredential, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
})

afterEach(() => server.close())

const asAdmin = () => testCall(server.base, { credential: keyCredential(server.keys.admin) })
// biome-ignore lint/suspicious/noExplicitAny: each test knows what is in it.
const read = (call = testCall(server.base)): Promise<any> => categoriesResource.read(call)

it('has every category with its parent and how much is in it', async () => {
  const parent = server.forum.addCategory('Garden')
  const child = server.forum.addCategory('Roses', { parentId: parent.id })
  server.forum.addUser('ada')
  const topic = server.forum.addTopic({ title: 'Thorns everywhere', username: 'ada', raw: 'Ouch', category: child.id })
  server.forum.addPost(topic.id, { username: 'ada', raw: 'Ouch again' })

  const { categories, meta } = await read()
  expect(meta).toEqual({ total: categories.length })
  expect(categories.find(({ id }: { id: number }) => id === child.id)).toEqual({
    id: child.id,
    name: 'Roses',
    slug: 'roses',
    pid: parent.id,
    read_restricted: false,
    topic_count: 1,
    post_count: 2,
  })
  expect(categories.find(({ id }: { id: number }) => id === parent.id).pid).toBe(null)
})

it('tells staff who may do what', async () => {
  const open = server.forum.addCategory('Open')
  const closed = server.forum.addCategory('Closed', { onlyFor: 'staff' })
  const { categories } = await read(asAdmin())
  const of = (id: number) => categories.find((category: { id: number }) => category.id === id)
  expect(of(open.id)).toMatchObject({ read_restricted: false, perms: [{ gid: 0, perm: 1 }] })
  expect(of(closed.id)).toMatchObject({ read_restricted: true, perms: [{ gid: 3, perm: 1 }] })
})

it('tells nobody else, not even that there are none', async () => {
  server.forum.addUser('ada')
  const { categories } = await read(testCall(server.base, { credential: keyCredential(server.keys.user('ada')) }))
  for (const category of categories) expect(category).not.toHaveProperty('perms')
})

it('finds the group of a permission by its name, where an older forum gives no id', async () => {
  const closed = server.forum.addCategory('Closed')
  const client = changedClient(server.base, (path, answer) => {
    if (path !== '/categories/find.json') return answer
    const permissions = ['moderators', 'everyone', 'unheard of'].map((name) => ({
      group_name: name,
      permission_type: 2,
    }))
    return { categories: [{ id: closed.id, name: 'Closed', slug: 'closed', group_permissions: permissions }] }
  })
  const { categories } = await read(testCall(server.base, { client }))
  expect(categories.find(({ id }: { id: number }) => id === closed.id).perms).toEqual([
    { gid: 2, perm: 2 },
    { gid: 0, perm: 2 },
    { gid: null, perm: 2 },
  ])
})

it('asks for fifty at a time', async () => {
  for (let number = 1; number <= 120; number += 1) server.forum.addCategory(`Room ${number}`)
  const { categories, meta } = await read(asAdmin())
  expect(meta.total).toBe(server.forum.boards.categories.length)
  for (const category of categories) expect(category.perms).toHaveLength(1)
  const asked = server.seen(/find\.json/).map(({ path }) => path.match(/ids/g)?.length)
  expect(asked).toEqual([50, 50, meta.total - 100])
})

it('takes the short rows of a forum that has no long ones', async () => {
  server.forum.addCategory('Garden')
  server.fault({
    on: /find\.json/,
    kind: 'status',
    status: 404,
    json: { errors: ['Not here'], error_type: 'not_found' },
  })
  const { categories, meta } = await read()
  expect(categories.map(({ name }: { name: string }) => name)).toContain('Garden')
  expect(meta).toEqual({ total: categories.length })
})

it('is an error where the long rows can not be had for another reason', async () => {
  server.fault({ on: /find\.json/, kind: 'status', status: 500, html: '<h1>Oops</h1>' })
  await expect(read()).rejects.toMatchObject({ code: 'upstream_error' })
})

it('says that some may be missing where a forum loads its categories when they are looked at', async () => {
  const client = changedClient(server.base, (path, answer) =>
    path === '/site.json' ? { ...(answer as object), lazy_load_categories: true } : answer,
  )
  expect((await read(testCall(server.base, { client }))).meta).toMatchObject({ complete: false })
})

it.each([
  ['no list', {}],
  ['something else as the list', { categories: 'none' }],
  ['no object', []],
])('is an error where the forum answers with %s', async (_, json) => {
  server.fault({ on: /site\.json/, kind: 'status', status: 200, json })
  await expect(read()).rejects.toMatchObject({ code: 'unexpected_response' })
})
