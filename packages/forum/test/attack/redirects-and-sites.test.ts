import { expect, onTestFinished, test } from 'vitest'
import { startForumServer } from '../../src/demo/index.js'
import { writeCalls } from './every-call.js'
import { about, adminAt, adminKey, hostileWeb, through, worker, writing } from './hostile-web.js'

async function keptKey(location: (own: string, other: string) => string) {
  const other = await hostileWeb(() => ({}))
  const web = await hostileWeb((request, response) => {
    const isInside = request.path.startsWith('/forumA/')
    if (isInside && request.path.endsWith('/about.json')) return { about: { title: 'A' } }
    if (isInside) response.writeHead(307, { location: location(web.origin, other.origin) }).end()
    return isInside ? undefined : {}
  })
  const whole = await worker({ config: { ...writing, auth_pairs: [adminAt(`${web.origin}/forumA`)] } })
  await through(whole, whole.select(`${web.origin}/forumA`))
  return { web, other, whole }
}

test.each<[string, (own: string, other: string) => string]>([
  ['another port', (_, other) => `${other}/forumA/x.json`],
  ['another origin without a scheme', (_, other) => other.replace('http:', '')],
  ['another origin behind backslashes', (_, other) => other.replace('http://', '\\\\')],
  ['a name and a password in front', (own) => own.replace('http://', 'http://forumA@')],
  ['another scheme', (own) => `${own.replace('http:', 'https:')}/forumA/x.json`],
  ['a file', () => 'file:///etc/passwd'],
  ['its neighbour', () => '/forumB/x.json'],
  ['a neighbour with a longer name', () => '/forumAB/x.json'],
  ['its parent', () => '/x.json'],
  ['dots that lead out', () => '/forumA/../x.json'],
  ['encoded dots that lead out', () => '/forumA/%2e%2e/x.json'],
  ['encoded slashes that lead out', () => '/forumA/..%2fx.json'],
])('a forum that redirects to %s gets no key there, and no write', async (_, location) => {
  const { web, other, whole } = await keptKey(location)
  expect((await through(whole, whole.refusal('discourse_search', { query: 'xyz' }))).code).toBe('redirect_refused')
  for (const [tool, args] of writeCalls.slice(0, 1)) await through(whole, whole.refusal(tool, args))
  expect(other.requests).toEqual([])
  const outside = web.requests.filter(({ path }) => !path.startsWith('/forumA/'))
  expect(JSON.stringify(outside)).not.toContain(adminKey)
  expect(web.seen(/^POST/)).toHaveLength(1)
})

test('a redirect inside of the forum is followed by readings alone', async () => {
  const { web, whole } = await keptKey((own) => `${own}/forumA/about.json`)
  await through(whole, whole.link.callTool('discourse_search', { query: 'xyz' }))
  for (const [tool, args] of writeCalls)
    await through(whole, whole.link.callTool(tool, args as never, { session: 'session-ada' }))
  for (const { method, path } of web.requests) if (method !== 'GET') expect(path).not.toContain('about')
})

test.each<[string, (origin: string) => string]>([
  ['another address of the same machine', (origin) => origin.replace('127.0.0.1', '127.0.0.2')],
  ['an IPv6 address', (origin) => origin.replace('127.0.0.1', '[::1]')],
  ['one that is mapped', (origin) => origin.replace('127.0.0.1', '[::ffff:127.0.0.1]')],
  ['a name', (origin) => origin.replace('127.0.0.1', 'localhost')],
  ['a dot at the end of a name', (origin) => origin.replace('127.0.0.1', 'localhost.')],
  ['a path with other letters', (origin) => `${origin}/Allowed`],
  ['the origin of an allowed path', (origin) => origin],
  ['a path that is not there', (origin) => `${origin}/t/some-topic/7`],
  ['a user in front', (origin) => origin.replace('http://', 'http://allowed@')],
  ['dots that lead out', (origin) => `${origin}/allowed/../other`],
  ['a link-local address', () => 'http://169.254.169.254/latest/meta-data'],
  ['a file', () => 'file:///etc/passwd'],
  ['a number without an address', () => 'http://0/'],
])('a site that is not allowed is asked for nothing: %s', async (_, site) => {
  const web = await hostileWeb((request) => about({ ...request, path: request.path.replace('/allowed', '') }) ?? [])
  const whole = await worker({ config: { allowed_sites: [`${web.origin}/allowed`] } })
  const refusal = await whole.refusal('discourse_select_site', { site: site(web.origin) })
  expect(['forbidden', 'invalid_arguments']).toContain(refusal.code)
  expect(web.requests).toEqual([])
})

test.each<[string, (origin: string) => string]>([
  ['a decimal number', (origin) => origin.replace('127.0.0.1', '2130706433')],
  ['hexadecimal', (origin) => origin.replace('127.0.0.1', '0x7f.1')],
  ['capitals of the scheme, a query and a slash', (origin) => `${origin.replace('http', 'HTTP')}/?x=1#y`],
])('another way to write an allowed address is that address: %s', async (_, site) => {
  const web = await hostileWeb((request) => about(request) ?? [])
  const whole = await worker({ config: { allowed_sites: [web.origin], auth_pairs: [adminAt(web.origin)] } })
  expect(await whole.select(site(web.origin))).toEqual({ site: web.origin, title: 'Friendly' })
})

test('an allowed forum that redirects its own address elsewhere is not selected, and nobody goes there', async () => {
  const inner = await hostileWeb((request) => about(request) ?? [])
  const web = await hostileWeb(
    (_, response) => void response.writeHead(302, { location: `${inner.origin}/about.json` }).end(),
  )
  const whole = await worker({ config: { allowed_sites: [web.origin] } })
  expect(await whole.refusal('discourse_select_site', { site: web.origin })).toMatchObject({ code: 'redirect_refused' })
  expect(inner.requests).toEqual([])
})

const troubles = [
  { kind: 'status', status: 429, json: { errors: ['Slow down.'], extras: { wait_seconds: 2 } } },
  { kind: 'status', status: 503, html: '<html></html>', headers: { 'retry-after': '1' } },
  { kind: 'status', status: 421, html: '<html></html>' },
  { kind: 'done-then-status', status: 502, html: '<html></html>' },
  { kind: 'cut' },
  { kind: 'drop' },
  { kind: 'cut-body' },
  { kind: 'html' },
  { kind: 'redirect', location: '/posts.json', status: 308 },
] as const

test.each(writeCalls)('%s is sent once at most, whatever the forum does', async (tool, args) => {
  const server = await startForumServer()
  onTestFinished(() => server.close())
  const pair = { site: server.base, api_key: server.keys.admin.key, api_username: 'system' }
  const whole = await worker({ config: { ...writing, auth_pairs: [pair] } })
  await whole.select(server.base)
  for (const [index, trouble] of troubles.entries()) {
    server.forgetRequests()
    server.clearFaults()
    server.fault({ on: /^(POST|PUT|DELETE) /, times: Number.POSITIVE_INFINITY, ...trouble })
    const given = { ...args, idempotency_key: `round ${index}` }
    const { isError, content } = await through(
      whole,
      whole.link.callTool(tool, given as never, { session: 'session-ada' }),
    )
    const said = JSON.parse((content[0] as { text: string }).text)
    expect(server.seen(/^(POST|PUT|DELETE) /)).toHaveLength(1)
    expect(isError ? ['rejected', 'unknown'] : ['done']).toContain(said.outcome)
    if (isError && said.outcome === 'unknown') {
      await through(whole, whole.link.callTool(tool, given as never, { session: 'session-ada' }))
      expect(server.seen(/^(POST|PUT|DELETE) /)).toHaveLength(1)
    }
  }
  expect(whole.link.internalErrors).toEqual([])
})
