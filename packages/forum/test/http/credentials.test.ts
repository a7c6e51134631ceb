import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, test } from 'vitest'
import { adminKey, json, nobody, serveWeb, siteClients, userKey } from './web.js'

const secrets = ['a-very-secret-admin-key', 'a-very-secret-user-key']

describe('a key', () => {
  test.each([
    ['an admin key', adminKey, { 'api-key': secrets[0], 'api-username': 'system' }],
    ['a user key', userKey, { 'user-api-key': secrets[1], 'user-api-client-id': 'client' }],
  ])('%s goes with each request below its base', async (_, credential, headers) => {
    await using web = await serveWeb(json({}))
    await web.client(credential, '/forumA').get('/t/1.json', [], web.scope)
    expect(web.requests).toMatchObject([
      { path: '/forumA/t/1.json', headers: { ...headers, accept: 'application/json', 'user-agent': 'Callboard/1' } },
    ])
  })

  test('of nobody is none', async () => {
    await using web = await serveWeb(json({}))
    await web.client(nobody).get('/t/1.json', [], web.scope)
    expect(Object.keys(web.requests[0]?.headers ?? {}).join()).not.toMatch(/key|authorization|cookie/i)
  })
})

describe('where the way is not encrypted', () => {
  // Nobody has this name: whatever is asked for there goes out as far as the fetch that a test looks at.
  const base = 'http://forum.example'
  const scope = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal }

  async function watched(answer: Response, work: () => Promise<unknown>) {
    const seen: { url: string; headers: Headers }[] = []
    const fetch = globalThis.fetch
    globalThis.fetch = async (url, init) => {
      seen.push({ url: String(url), headers: new Headers(init?.headers) })
      return answer
    }
    try {
      return { seen, result: await work().catch((reason) => reason) }
    } finally {
      globalThis.fetch = fetch
    }
  }

  test('a key stays here, and a reading goes without it', async () => {
    const client = siteClients(new VirtualClock()).for(base, adminKey)
    const { seen, result } = await watched(Response.json({ ok: true }), () => client.get('/t/1.json', [], scope))
    expect(result).toEqual({ ok: true })
    expect(seen).toHaveLength(1)
    expect(JSON.stringify([...seen[0]!.headers])).not.toMatch(/secret|api-key/i)
  })

  test('a login that is wanted is explained', async () => {
    const client = siteClients(new VirtualClock()).for(base, adminKey)
    for (const answer of [
      Response.json({ errors: ['Log in'], error_type: 'not_logged_in' }, { status: 403 }),
      new Response(null, { status: 302, headers: { location: '/login' } }),
    ]) {
      const { result } = await watched(answer, () => client.get('/t/1.json', [], scope))
      expect(result).toMatchObject({
        code: 'not_authenticated',
        message: expect.stringMatching(/was not sent, because http is not encrypted/),
        details: { hint: expect.stringMatching(/https address/) },
      })
    }
  })

  test('a write does not go at all', async () => {
    const client = siteClients(new VirtualClock()).for(base, adminKey)
    const write = () => client.send({ method: 'POST', path: '/posts.json', json: { raw: 'private' } }, scope)
    const { seen, result } = await watched(Response.json({}), write)
    expect(result).toMatchObject({
      code: 'not_authenticated',
      message: expect.stringMatching(/^Nothing was written\. .*http is not encrypted/),
      details: { outcome: 'rejected' },
    })
    expect(seen).toEqual([])
  })
})
