import { describe, expect, test } from 'vitest'
import { type Answering, adminKey, json, nobody, redirect, serveWeb } from './web.js'

const key = adminKey.headers()['Api-Key']

/** Answers by path; anything else is the page that everybody looks for. */
function routes(table: Record<string, Answering>): Answering {
  return (request, response, body) => (table[request.url ?? ''] ?? json({ found: true }))(request, response, body)
}

describe('a reading follows a redirect', () => {
  test.each([301, 302, 303, 307, 308])('with %i inside the forum, with its key', async (status) => {
    await using web = await serveWeb(routes({ '/forumA/t/1.json': redirect('/forumA/t/slug/1.json?x=1', status) }))
    expect(await web.client(adminKey, '/forumA').get('/t/1.json', [], web.scope)).toEqual({ found: true })
    expect(web.requests).toMatchObject([
      { path: '/forumA/t/1.json', headers: { 'api-key': key } },
      { path: '/forumA/t/slug/1.json?x=1', headers: { 'api-key': key } },
    ])
  })

  test.each(['slug', './slug', '../t/slug', '?slug', '/forumA/x/../t/slug', '/forumA/t/slug#post'])(
    'to %s',
    async (location) => {
      await using web = await serveWeb(routes({ '/forumA/t/1': redirect(location) }))
      expect(await web.client(adminKey, '/forumA').get('/t/1', [], web.scope)).toEqual({ found: true })
      expect(web.requests[1]?.path).toMatch(/^\/forumA\/t\/(slug|1\?slug)$/)
    },
  )

  test('to its own address in full', async () => {
    await using web = await serveWeb((request, response, body) =>
      (request.url === '/a' ? redirect(`http://${request.headers.host}/b`) : json({ found: true }))(
        request,
        response,
        body,
      ),
    )
    expect(await web.client().get('/a', [], web.scope)).toEqual({ found: true })
  })

  test('five times and no more', async () => {
    const hop: Answering = (request, response, body) => {
      const count = Number(request.url?.slice(2))
      return (count === 0 ? json({ found: true }) : redirect(`/x${count - 1}`))(request, response, body)
    }
    await using web = await serveWeb(hop)
    expect(await web.client().get('/x5', [], web.scope)).toEqual({ found: true })
    expect(web.requests.length).toBe(6)
    await expect(web.client().get('/x6', [], web.scope)).rejects.toMatchObject({ code: 'redirect_refused' })
    expect(web.requests.length).toBe(12)
  })

  test.each([
    ['itself', '/a'],
    ['one that it came from', '/b'],
  ])('but not to %s', async (_, first) => {
    await using web = await serveWeb(routes({ '/a': redirect(first), '/b': redirect('/a') }))
    await expect(web.client().get('/a', [], web.scope)).rejects.toMatchObject({
      code: 'redirect_refused',
      message: expect.stringMatching(/in a circle; the last time to http:\/\/127\.0\.0\.1:\d+\/a\./),
    })
    expect(web.requests.length).toBe(first === '/a' ? 1 : 2)
  })
})

describe('a redirect out of the forum is refused, and whoever is there never sees the key', () => {
  test.each<[string, (other: string) => string]>([
    ['another port', (other) => `${other}/forumA/t/1.json`],
    ['another host', (other) => other.replace('127.0.0.1', 'localhost')],
    ['another scheme', (other) => other.replace('http:', 'https:')],
    ['a host without a scheme', (other) => other.replace('http:', '')],
    ['backslashes', (other) => other.replace('http://', '\\\\')],
    ['a slash and a backslash', (other) => other.replace('http://', '/\\')],
    ['three slashes', (other) => other.replace('http://', '///')],
    ['a user in the address', (other) => other.replace('http://', 'http://127.0.0.1@')],
    ['a tab in the slashes', (other) => other.replace('http://', '/\t/')],
  ])('%s', async (_, location) => {
    await using other = await serveWeb(json({ stolen: true }))
    await using web = await serveWeb(redirect(`${location(other.origin)}?api_key=secret`))
    const failure = await web
      .client(adminKey, '/forumA')
      .get('/t/1.json', [], web.scope)
      .catch((reason) => reason)
    expect(failure).toMatchObject({ code: 'redirect_refused', details: { status: 302 } })
    expect((failure as Error).message).toMatch(/redirects to https?:\/\/(127\.0\.0\.1|localhost):\d+\/[^?@]*, and/)
    expect(other.requests).toEqual([])
    expect(web.requests.length).toBe(1)
  })

  test.each([
    '/',
    '/forumB/t/1.json',
    '/forumAB/t/1.json',
    '/forumA/../forumB',
    '../../forumB',
    '/forumA/%2e%2e/forumB',
    '/forumA/..%2fforumB',
    '/forumA/%252e%252e%252fforumB',
    '/FORUMA/t/1.json',
  ])('%s of the same server', async (location) => {
    await using web = await serveWeb(redirect(location))
    await expect(web.client(adminKey, '/forumA').get('/t/1.json', [], web.scope)).rejects.toMatchObject({
      code: 'redirect_refused',
    })
    expect(web.requests.length).toBe(1)
  })

  test.each(['mailto:bob@example.com', 'file:///etc/passwd', 'data:text/plain,x', 'http://'])(
    '%s',
    async (location) => {
      await using web = await serveWeb(redirect(location))
      await expect(web.client().get('/t/1.json', [], web.scope)).rejects.toMatchObject({ code: 'redirect_refused' })
    },
  )

  test('after others inside of it', async () => {
    await using other = await serveWeb(json({ stolen: true }))
    await using web = await serveWeb(routes({ '/a': redirect('/b'), '/b': redirect(`${other.origin}/c`) }))
    await expect(web.client().get('/a', [], web.scope)).rejects.toMatchObject({ code: 'redirect_refused' })
    expect(other.requests).toEqual([])
  })

  test('without a place to go is no answer', async () => {
    await using web = await serveWeb((_, response) => response.writeHead(302).end())
    await expect(web.client().get('/a', [], web.scope)).rejects.toMatchObject({
      code: 'unexpected_response',
      details: { status: 302 },
    })
  })
})

describe('a redirect to the login', () => {
  test.each([
    ['/forumA', '/forumA/login'],
    ['/forumA', '/login'],
    ['', '/login?return=/t/1'],
  ])('of %j, %s, means that one is needed', async (path, location) => {
    await using web = await serveWeb(redirect(location))
    await expect(web.client(nobody, path).get('/about.json', [], web.scope)).rejects.toMatchObject({
      code: 'not_authenticated',
      details: { status: 302, hint: expect.stringMatching(/auth_pairs/) },
    })
    expect(web.requests.length).toBe(1)
  })

  test('of somebody else means nothing to us', async () => {
    await using web = await serveWeb(redirect('https://evil.example/login'))
    await expect(web.client().get('/about.json', [], web.scope)).rejects.toMatchObject({ code: 'redirect_refused' })
  })
})

describe('a write', () => {
  test.each([301, 302, 303, 307, 308])('is not sent elsewhere after %i', async (status) => {
    await using web = await serveWeb(redirect('/posts2.json', status))
    await expect(web.client().send({ method: 'POST', path: '/posts.json', json: {} }, web.scope)).rejects.toMatchObject(
      {
        code: 'redirect_refused',
        details: { status, outcome: 'rejected' },
      },
    )
    expect(web.requests.length).toBe(1)
  })

  test('that is sent to the login needs one', async () => {
    await using web = await serveWeb(redirect('/login'))
    await expect(web.client().send({ method: 'POST', path: '/posts.json' }, web.scope)).rejects.toMatchObject({
      code: 'not_authenticated',
      details: { outcome: 'rejected' },
    })
  })
})
