import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openForum } from './support/forum-client.js'

describe('what makes no sense', () => {
  it.each([
    ['GET', '/t/%ff.json'],
    ['GET', '/t/%00/%zz.json'],
    ['GET', '/t/99999999999999999999.json?post_number=-1&page=NaN'],
    ['GET', '/search.json?q[]=a&q[b]=c'],
    ['GET', '/t/11/posts.json?post_ids[]=x&post_ids[]=&post_ids=1'],
    ['GET', '/user_actions.json?username[]=a&__proto__[x]=1&constructor=2'],
    ['GET', '/u/__proto__.json'],
    ['GET', '/admin/users/list/constructor.json'],
    ['GET', '//////'],
    ['GET', '/?'],
    ['PATCH', '/posts.json'],
    ['POST', '/nowhere'],
  ])('gets an answer below 500: %s %s', async (method, path) => {
    const { server } = await openForum({ village: true })
    const headers = { 'api-key': server.keys.admin.key, 'api-username': 'mayor' }
    const { status } = await fetch(`${server.base}${path}`, { method, headers })
    expect(status).toBeGreaterThanOrEqual(200)
    expect(status).toBeLessThan(500)
  })

  it.each([
    ['application/json', '{'],
    ['application/json', 'null'],
    ['application/json', '[1,2]'],
    ['application/json', '{"title":{"a":1},"raw":["x"],"tags":{"0":"a"},"category":"no","topic_id":{}}'],
    ['application/json', `${'['.repeat(50_000)}`],
    ['application/x-www-form-urlencoded', 'post[raw]=1&post=2&post[]=3&%%%=&=&raw=%ff'],
    ['multipart/form-data', 'no boundary'],
    ['multipart/form-data; boundary=x', '--x\r\nbroken'],
    ['', '\u0000\u0001'],
  ])('as a body of type %s is refused: %s', async (type, body) => {
    const { server } = await openForum({ village: true })
    const headers = { 'api-key': server.keys.admin.key, 'api-username': 'mayor', 'content-type': type }
    for (const [method, path] of [
      ['POST', '/posts.json'],
      ['POST', '/drafts.json'],
      ['POST', '/uploads.json'],
      ['POST', '/users.json'],
      ['POST', '/categories.json'],
      ['PUT', '/posts/1001.json'],
      ['PUT', '/t/-/11.json'],
    ] as const) {
      const { status } = await fetch(`${server.base}${path}`, { method, headers, body })
      expect([path, status < 500]).toEqual([path, true])
    }
  })

  it('does not end it when it is no HTTP at all, or ends in the middle', async () => {
    const { server, anonymous } = await openForum()
    for (const bytes of [
      '\u0016\u0003\u0001nonsense\r\n\r\n',
      'POST /posts.json HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{',
    ]) {
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1')
      await once(socket, 'connect')
      socket.end(bytes)
      socket.resume().on('error', () => {})
      await once(socket, 'close')
    }
    expect(await anonymous.get('/about.json')).toMatchObject({ status: 200 })
  })

  it('is refused where it is larger than anything', async () => {
    const { admin } = await openForum()
    expect(await admin.post('/posts.json', { raw: 'x'.repeat(11 * 1024 * 1024) })).toMatchObject({ status: 413 })
  })

  it('takes forms as well as JSON', async () => {
    const { forum, server, anonymous } = await openForum()
    const topic = forum.addTopic({ title: 'A topic', username: 'mayor', raw: 'The first' })
    const headers = { 'api-key': server.keys.admin.key, 'api-username': 'mayor' }
    const body = new URLSearchParams({ 'post[raw]': 'Edited by a form', 'post[edit_reason]': 'why not' })
    await fetch(`${server.base}/posts/${topic.posts[0]!.id}.json`, { method: 'PUT', headers, body })
    expect((await anonymous.get(`/posts/${topic.posts[0]!.id}.json`)).json.raw).toBe('Edited by a form')
  })
})

describe('compression', () => {
  it('is there for who accepts it', async () => {
    const { server } = await openForum({ village: true })
    const path = `${server.base}/site.json`
    const gzipped = await fetch(path, { headers: { 'accept-encoding': 'gzip' } })
    const plain = await fetch(path, { headers: { 'accept-encoding': 'identity' } })
    expect([gzipped, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null])
    expect(await gzipped.json()).toEqual(await plain.json())
  })
})

describe('many posts', () => {
  it('of a topic make it a mega topic, which is read to its end in windows', async () => {
    const { forum, anonymous } = await openForum()
    const topic = forum.addTopic({ title: 'A mega topic', username: 'mayor', raw: 'The first' })
    forum.addPosts(topic.id, 10_000)
    const first = (await anonymous.get(`/t/${topic.id}.json`)).json
    expect(first.post_stream).toMatchObject({ isMegaTopic: true, lastId: topic.posts.at(-1)!.id })
    const { post_stream } = (await anonymous.get(`/t/${topic.id}.json?post_number=10001`)).json
    expect(post_stream.posts.at(-1)).toMatchObject({ post_number: 10_001, id: first.post_stream.lastId })
  })
})
