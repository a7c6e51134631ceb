import { describe, expect, it } from 'vitest'
import { openForum } from './support/forum-client.js'

const wrongKey = {
  errors: ['You are not permitted to view the requested resource. The API username or key is invalid.'],
  error_type: 'invalid_access',
}

describe('keys', () => {
  it.each(['/about.json', '/site/basic-info.json', '/t/1.json', '/no/such/path'])(
    'refuses a wrong one on %s',
    async (path) => {
      const { as } = await openForum()
      for (const headers of [{ 'api-key': 'wrong', 'api-username': 'mayor' }, { 'user-api-key': 'wrong' }]) {
        expect(await as(headers).get(path)).toMatchObject({ status: 403, json: wrongKey })
      }
    },
  )

  it('refuses the admin key for a name that nobody has, or for none', async () => {
    const { as, adminAs, server } = await openForum()
    expect(await adminAs('nobody').get('/about.json')).toMatchObject({ status: 403, json: wrongKey })
    expect(await as({ 'api-key': server.keys.admin.key }).get('/about.json')).toMatchObject({ status: 403 })
  })

  it('lets the admin key act as anybody, and a user key as its owner only', async () => {
    const { forum, server, as, adminAs } = await openForum()
    forum.addUser('ada')
    forum.addUser('bob')
    const { key, clientId } = server.keys.user('ada')
    const user = as({ 'user-api-key': key, 'user-api-client-id': clientId, 'api-username': 'bob' })
    expect((await adminAs('bob').get('/session/current.json')).json.current_user.username).toBe('bob')
    expect((await user.get('/session/current.json')).json.current_user.username).toBe('ada')
  })

  it('lets a read-only key read, and nothing else', async () => {
    const { forum, readOnly } = await openForum()
    forum.addUser('ada')
    const topic = forum.addTopic({ title: 'A topic', username: 'ada', raw: 'A body' })
    expect(await readOnly('ada').get('/drafts.json')).toMatchObject({ status: 200 })
    expect(await readOnly('ada').post('/posts.json', { topic_id: topic.id, raw: 'A reply' })).toMatchObject({
      status: 403,
      json: { error_type: 'invalid_access' },
    })
    expect(topic.posts).toHaveLength(1)
  })

  it('gives each forum keys of its own, unless they grow from one seed', async () => {
    const [one, two] = [await openForum(), await openForum()]
    expect(one.server.keys.admin.key).not.toBe(two.server.keys.admin.key)
    const [three, four] = [await openForum({ keySeed: 'seed' }), await openForum({ keySeed: 'seed' })]
    expect(three.server.keys.user('ada')).toEqual(four.server.keys.user('ada'))
  })
})

describe('without a key', () => {
  it('refuses writes with text', async () => {
    const { anonymous } = await openForum()
    const reply = await anonymous.post('/posts.json', { title: 'A title', raw: 'A body' })
    expect(reply).toMatchObject({ status: 403, text: '["BAD CSRF"]' })
    expect(reply.headers.get('content-type')).toMatch('text/plain')
  })

  it.each(['/drafts.json', '/notifications.json', '/chat/api/me/channels'])('refuses %s', async (path) => {
    const { anonymous } = await openForum()
    expect(await anonymous.get(path)).toMatchObject({ status: 403, json: { error_type: 'not_logged_in' } })
  })

  it('shows of a forum that requires a login its basic information only', async () => {
    const { anonymous, admin } = await openForum({ loginRequired: true })
    for (const path of ['/about.json', '/site.json', '/latest.json', '/no/such/path']) {
      expect(await anonymous.get(path)).toMatchObject({ status: 403, json: { error_type: 'not_logged_in' } })
    }
    expect(await anonymous.get('/site/basic-info.json')).toMatchObject({ status: 200, json: { login_required: true } })
    expect(await admin.get('/about.json')).toMatchObject({ status: 200 })
  })
})

it('asks for the password of the proxy in front before anything else', async () => {
  const { anonymous, as } = await openForum({ basicAuth: { user: 'front', password: 'door' } })
  expect(await anonymous.get('/about.json')).toMatchObject({ status: 401 })
  const authorization = `Basic ${Buffer.from('front:door').toString('base64')}`
  expect(await as({ authorization }).get('/about.json')).toMatchObject({ status: 200 })
})

it('takes no writes while it is read only, and shows what there is', async () => {
  const { admin, server } = await openForum()
  server.setting.readOnly = true
  expect(await admin.post('/posts.json', { title: 'A title', raw: 'A body' })).toMatchObject({
    status: 503,
    json: { error_type: 'read_only', errors: [expect.any(String)] },
  })
  expect(await admin.get('/about.json')).toMatchObject({ status: 200 })
})
