import { describe, expect, it } from 'vitest'
import { openForum } from './support/forum-client.js'

const account = { username: 'fern', email: 'fern@example.org', name: 'Fern', password: 'long enough', active: true }

describe('a new account', () => {
  it('is made by an admin with an Api-Key', async () => {
    const { admin, adminAs, forum } = await openForum()
    forum.addUser('ada')
    expect(await adminAs('ada').post('/users.json', account)).toMatchObject({ status: 403 })
    const { status, json } = await admin.post('/users.json', account)
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      active: true,
      message: expect.any(String),
      user_id: forum.users.get('fern').id,
    })
  })

  it('is refused with 200 and what is wrong with each field', async () => {
    const { admin } = await openForum()
    const { status, json } = await admin.post('/users.json', { ...account, username: 'Mayor', password: 'short' })
    expect([status, json.success]).toEqual([200, false])
    expect(json.errors).toEqual({
      username: ['must be unique'],
      password: ['is too short (minimum is 10 characters)'],
    })
  })

  it('with a known address succeeds without an id, so that nobody learns of it; or is refused where that is off', async () => {
    const { admin, forum, server } = await openForum()
    forum.addUser('ada', { email: 'fern@example.org' })
    const hidden = await admin.post('/users.json', account)
    expect(hidden.json).toEqual({ success: true, active: true, message: expect.any(String) })
    expect(forum.users.find('fern')).toBeUndefined()
    server.setting.hidesTakenEmails = false
    expect((await admin.post('/users.json', account)).json.errors).toEqual({ email: ['has already been taken'] })
  })
})

describe('the list of users', () => {
  it('has 100 a page from page 1, with addresses only when asked, for admins only', async () => {
    const { admin, user, forum } = await openForum()
    for (let index = 1; index <= 120; index++) forum.addUser(`user${index}`)
    const page = async (query: string) => (await admin.get(`/admin/users/list/active.json${query}`)).json
    expect(await page('?page=1')).toHaveLength(100)
    expect(await page('?page=2')).toHaveLength(21)
    expect((await page('?order=username&asc=true'))[0]).not.toHaveProperty('email')
    expect((await page('?filter=user120&show_emails=true'))[0]).toMatchObject({ email: 'user120@village.invalid' })
    expect(await user('user1').get('/admin/users/list/active.json')).toMatchObject({ status: 404 })
  })

  it('knows who is staff, silenced, suspended, pending or staged', async () => {
    const { admin, forum } = await openForum()
    forum.addUser('a1', { silenced: true })
    forum.addUser('b2', { suspended: true })
    forum.addUser('c3', { approved: false })
    forum.addUser('d4', { staged: true })
    const names = async (query: string) =>
      (await admin.get(`/admin/users/list/${query}.json`)).json.map(({ username }: { username: string }) => username)
    expect(await names('silenced')).toEqual(['a1'])
    expect(await names('suspended')).toEqual(['b2'])
    expect(await names('pending')).toEqual(['c3'])
    expect(await names('staged')).toEqual(['d4'])
    expect(await names('staff')).toContain('mayor')
  })
})

it('makes categories, each name once', async () => {
  const { admin, user, forum } = await openForum()
  forum.addUser('ada')
  const category = { name: 'Bees', color: 'F9A825', text_color: '000000', parent_category_id: 1 }
  expect(await user('ada').post('/categories.json', category)).toMatchObject({ status: 403 })
  expect(await admin.post('/categories.json', category)).toMatchObject({
    status: 200,
    json: { category: { id: 3, name: 'Bees', slug: 'bees', color: 'F9A825', parent_category_id: 1 } },
  })
  expect(await admin.post('/categories.json', category)).toMatchObject({
    status: 422,
    json: { errors: ['Category Name has already been taken'] },
  })
})

it('tells a user who they are, and nobody nothing', async () => {
  const { user, anonymous, forum } = await openForum()
  forum.addUser('ada')
  expect((await user('ada').get('/session/current.json')).json.current_user).toMatchObject({
    username: 'ada',
    admin: false,
  })
  expect(await anonymous.get('/session/current.json')).toMatchObject({ status: 404 })
})
