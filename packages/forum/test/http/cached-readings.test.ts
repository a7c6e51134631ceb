import { describe, expect, test } from 'vitest'
import { type Answering, adminKey, json, nobody, redirect, serveWeb, text, until } from './web.js'

const counting = (): Answering => {
  let count = 0
  return (request, response, body) => json({ count: ++count })(request, response, body)
}

describe('what was read', () => {
  test('is given again for ten seconds, each time as a value of its own', async () => {
    await using web = await serveWeb(counting())
    const read = () => web.client().get('/t/1.json', [['include_raw', true]], web.scope) as Promise<{ count: number }>
    const first = await read()
    first.count = 99
    web.clock.advance(9_999)
    expect(await read()).toEqual({ count: 1 })
    web.clock.advance(1)
    expect(await read()).toEqual({ count: 2 })
    expect(web.requests[0]?.path).toBe('/t/1.json?include_raw=true')
  })

  test('is that of one identity, forum and URL', async () => {
    await using web = await serveWeb(counting())
    const readings = [
      await web.client(adminKey).get('/about.json', [], web.scope),
      await web.client(nobody).get('/about.json', [], web.scope),
      await web.client(adminKey, '/forumA').get('/about.json', [], web.scope),
      await web.client(adminKey).get('/about.json', [['x', 1]], web.scope),
      await web.client(adminKey).get('/about.json', [], web.scope),
    ]
    expect(readings).toEqual([1, 2, 3, 4, 1].map((count) => ({ count })))
  })

  test('elsewhere is read anew', async () => {
    await using web = await serveWeb(counting())
    await web.client().get('/search.json', [], web.scope)
    expect(await web.client().get('/search.json', [], web.scope)).toEqual({ count: 2 })
  })

  test('is not kept when it was a failure', async () => {
    await using web = await serveWeb([json({}, 404), text('<html>'), json({ right: true })])
    for (const code of ['not_found', 'unexpected_response']) {
      await expect(web.client().get('/t/1.json', [], web.scope)).rejects.toMatchObject({ code })
    }
    expect(await web.client().get('/t/1.json', [], web.scope)).toEqual({ right: true })
  })

  test('is found although the call is nearly over, but not when it is given up', async () => {
    await using web = await serveWeb(counting())
    await web.client().get('/t/1.json', [], web.scope)
    expect(await web.client().get('/t/1.json', [], { ...web.scope, deadline: web.clock.now() })).toEqual({ count: 1 })
    web.stop.abort(new Error('gone'))
    await expect(web.client().get('/t/1.json', [], web.scope)).rejects.toThrow('gone')
  })
})

const write = { method: 'PUT', path: '/posts/1.json' } as const

describe('a write to a forum', () => {
  test.each<[string, Answering]>([
    ['that is done', json({ id: 1 })],
    ['that is refused', json({}, 422)],
    ['that is redirected', redirect('/login')],
  ])('%s makes everybody read anew', async (_, answer) => {
    let count = 0
    await using web = await serveWeb((request, response, body) =>
      (request.method === 'GET' ? json({ count: ++count }) : answer)(request, response, body),
    )
    for (const credential of [adminKey, nobody]) await web.client(credential).get('/t/1.json', [], web.scope)
    await web.client(adminKey, '/forumA').get('/t/1.json', [], web.scope)
    await web
      .client()
      .send(write, web.scope)
      .catch(() => undefined)
    expect(await web.client(adminKey).get('/t/1.json', [], web.scope)).toEqual({ count: 4 })
    expect(await web.client(nobody).get('/t/1.json', [], web.scope)).toEqual({ count: 5 })
    // Kept again, and another forum has nothing to do with it.
    expect(await web.client(nobody).get('/t/1.json', [], web.scope)).toEqual({ count: 5 })
    expect(await web.client(adminKey, '/forumA').get('/t/1.json', [], web.scope)).toEqual({ count: 3 })
  })

  test('of which nobody knows the outcome makes everybody read anew for a minute', async () => {
    let count = 0
    await using web = await serveWeb((request, response, body) =>
      (request.method === 'GET' ? json({ count: ++count }) : json({}, 502))(request, response, body),
    )
    const read = () => web.client().get('/t/1.json', [], { ...web.scope, deadline: web.clock.now() + 60_000 })
    await read()
    await expect(web.client().send(write, web.scope)).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect([await read(), await read()]).toEqual([{ count: 2 }, { count: 3 }])
    web.clock.advance(60_000)
    expect([await read(), await read()]).toEqual([{ count: 4 }, { count: 4 }])
  })

  test('makes nothing of what was asked for before it ended', async () => {
    const open: (() => void)[] = []
    let count = 0
    await using web = await serveWeb((request, response, body) => {
      const answer = json({ count: request.method === 'GET' ? ++count : 0 })
      open.push(() => answer(request, response, body))
    })
    const read = () => web.client().get('/t/1.json', [], web.scope)
    const answered = async <Value>(work: Promise<Value>, index = 0) => {
      await until(() => open.length > index)
      open.splice(index, 1)[0]?.()
      return work
    }
    const before = read()
    await until(() => open.length === 1)
    const writing = web.client().send(write, web.scope)
    await until(() => open.length === 2)
    // One that begins and ends while the write is under way, too.
    expect(await answered(read(), 2)).toEqual({ count: 2 })
    await answered(writing, 1)
    expect(await answered(before)).toEqual({ count: 1 })
    expect(await answered(read())).toEqual({ count: 3 })
  })
})
