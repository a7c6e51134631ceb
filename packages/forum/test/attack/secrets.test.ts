import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { ada, type WholeForum } from '../support/whole-forum.js'
import { readCalls, resources, writeCalls } from './every-call.js'
import {
  about,
  adminAt,
  adminKey,
  type HostileWeb,
  hostileWeb,
  type SeenRequest,
  through,
  worker,
  writing,
} from './hostile-web.js'

const userKey = 'u5erk3y0b7d9f2a4c6e8b1d3f5a7c9e0b2d4f6a8c0e2b4d6'
const basicPassword = 'b4sic"pass\\word/with+signs & 7'
const basicUser = 'proxy'
const basicHeader = Buffer.from(`${basicUser}:${basicPassword}`).toString('base64')

const secrets = [adminKey, userKey, basicPassword, basicHeader]

/** All that is long enough to tell the secret by. */
const heads = secrets.flatMap((secret) => [
  secret.slice(0, 8),
  JSON.stringify(secret).slice(1, 9),
  encodeURIComponent(secret).slice(0, 8),
])

function expectNoSecret(text: string): void {
  for (const head of heads) expect(text).not.toContain(head)
}

const basic = { http_basic_user: basicUser, http_basic_pass: basicPassword }
const adminPair = (site: string) => adminAt(site, basic)
const userPair = (site: string) => ({ site, user_api_key: userKey, user_api_client_id: 'client-7', ...basic })

/** Everything that an agent can see of a worker whose session works with that forum. */
async function allThatIsSaid(whole: WholeForum): Promise<string> {
  const said: unknown[] = []
  const note = (promise: Promise<unknown>) =>
    promise.then(
      (answer) => said.push(answer),
      (error) => said.push({ message: error.message, data: error.data, code: error.code }),
    )
  for (const [tool, args] of [...readCalls, ...writeCalls])
    await through(whole, note(whole.link.callTool(tool, args as never, ada)))
  for (const uri of resources) await through(whole, note(whole.link.readResource(uri, ada)))
  return JSON.stringify([said, whole.link.definitions, whole.link.viewOf('session-ada')])
}

/** All ways in which a server may write what it was sent. */
const echoes: readonly (readonly [string, (headers: string, response: ServerResponse) => unknown])[] = [
  ['in the texts of an error', (said, response) => refuse(response, 422, { errors: [said], error_type: said })],
  ['in the fields of an error', (said, response) => refuse(response, 400, { errors: { [said]: [said] } })],
  ['in a message', (said, response) => refuse(response, 429, { failed: 'FAILED', message: said })],
  ['in a description', (said, response) => refuse(response, 403, { errors: [], extras: { description: said } })],
  ['encoded for a URL', (said, response) => refuse(response, 404, { errors: [encodeURIComponent(said)] })],
  ['as JSON in a text', (said, response) => refuse(response, 500, { errors: [JSON.stringify({ said })] })],
  ['as a form', (said, response) => refuse(response, 409, { errors: [new URLSearchParams({ said }).toString()] })],
  [
    'as the target of a redirect',
    (said, response) => redirect(response, `/x/${encodeURIComponent(said)}?${encodeURIComponent(said)}`),
  ],
  [
    'as the target of a redirect elsewhere',
    (said, response) => redirect(response, `http://127.0.0.2/${encodeURIComponent(said)}`),
  ],
  ['as a page', (said, response) => refuse(response, 200, `<html>${said}</html>`)],
]

test.each(echoes)('what was sent comes back %s, and nobody sees a key', async (_, echo) => {
  for (const pairOf of [adminPair, userPair]) {
    const web = await hostileWeb((request, response) => about(request) ?? echo(headersOf(request), response))
    const whole = await worker({ config: { ...writing, auth_pairs: [pairOf(web.origin)] } })
    await through(whole, whole.select(web.origin))
    expectNoSecret(await allThatIsSaid(whole))
    expectSent(web)
  }
})

test.each([7, 8, 9, 20, 40])(
  'keys that a limit of length cuts after %i characters are not seen either',
  async (shown) => {
    const before = (max: number) => 'x'.repeat(max - shown - 1)
    const said = (max: number) => `${before(max)} ${adminKey} ${adminKey}`
    const web = await hostileWeb((request, response) => {
      if (/user_actions|filter/.test(request.path))
        return refuse(response, 422, { errors: [said(1_000)], error_type: said(1_000) })
      if (/search/.test(request.path)) return { grouped_search_result: { error: said(500) } }
      if (/drafts\.json/.test(request.path))
        return { drafts: [{ draft_key: 'a', data: JSON.stringify({ reply: said(200) }) }] }
      if (/^\/u\//.test(request.path)) return { user: { id: 1, bio_raw: said(500) } }
      if (/^\/posts\//.test(request.path)) return { id: 1, topic_id: 1, post_number: 1, raw: said(1_000) }
      if (/ai\/tools/.test(request.path)) return [{ name: said(128).slice(0, 128), description: said(4_000) }]
      return about(request, { title: said(300) }) ?? {}
    })
    const whole = await worker({ config: { ...writing, max_read_length: 1_000, auth_pairs: [adminAt(web.origin)] } })
    expectNoSecret(JSON.stringify(await whole.select(web.origin)))
    expectNoSecret(await allThatIsSaid(whole))
  },
)

test('the forum writes keys into everything that it has: nobody sees one', async () => {
  const web = await hostileWeb((request) => {
    const said = headersOf(request)
    if (request.path.startsWith('/ai/tools/'))
      return { result: { [said]: [said] }, details: { artifacts: [{ url: said, name: said }] } }
    if (request.path === '/ai/tools') return [toolThatTells(request)]
    return about(request, { title: said }) ?? fullOf(said, request)
  })
  const whole = await worker({ config: { ...writing, auth_pairs: [adminPair(web.origin)] } })
  const selected = await whole.select(web.origin)
  expect(selected.title).toContain('[redacted]')
  expectNoSecret(JSON.stringify(selected))
  const [remote] = whole.toolsOf(ada).filter((name) => name.startsWith('remote_'))
  expect(remote).toBeDefined()
  expectNoSecret(JSON.stringify(await whole.link.callTool(remote ?? '', {}, ada)))
  expectNoSecret(await allThatIsSaid(whole))
})

test('a tool of the forum that shows a key goes to the hub without it', async () => {
  const web = await hostileWeb((request) => (request.path === '/ai/tools' ? [toolThatTells(request)] : about(request)))
  const whole = await worker({ config: { ...writing, auth_pairs: [adminPair(web.origin)] } })
  await whole.select(web.origin)
  const view = JSON.stringify(whole.link.viewOf('session-ada'))
  expect(view).toContain('remote_')
  expect(view).toContain('[redacted]')
  expectNoSecret(view)
})

test('as the one forum of all sessions, it is told no less', async () => {
  const web = await hostileWeb((request) => (request.path === '/ai/tools' ? [toolThatTells(request)] : about(request)))
  const whole = await worker({ config: { ...writing, site: web.origin, auth_pairs: [adminPair(web.origin)] } })
  expect(JSON.stringify(whole.link.definitions)).toContain('remote_')
  expectNoSecret(JSON.stringify(whole.link.definitions))
})

test('the password of a new account is in no answer, whatever the forum says of it', async () => {
  const password = 'p4ssw0rd-of-a-new-account-"quoted"'
  const web = await hostileWeb((request, response) => {
    if (request.method === 'POST')
      return refuse(response, 422, {
        errors: [request.body, JSON.parse(request.body).password],
        error_type: request.body,
      })
    return about(request) ?? { user: { id: 1, username: password, name: encodeURIComponent(password) } }
  })
  const whole = await worker({ config: { ...writing, auth_pairs: [adminAt(web.origin)] } })
  await whole.select(web.origin)
  const account = { username: 'new', email: 'new@example.com', name: 'New', password }
  const refused = await whole.refusal('discourse_create_user', account)
  const later = await whole.ask('discourse_get_user', { username: 'new' })
  const malformed = await whole.refusal('discourse_create_user', { ...account, email: 7 })
  const unknown = await whole.refusal('discourse_create_user', { ...account, passwort: password })
  for (const said of [refused, later, malformed, unknown]) expect(JSON.stringify(said)).not.toContain('p4ssw0rd')
})

function toolThatTells({ headers }: SeenRequest) {
  const key = String(headers['api-key'])
  return {
    name: `search ${key}`,
    title: key,
    description: `Use ${key} and ${String(headers['authorization'])}.`,
    inputSchema: {
      type: 'object',
      title: key,
      properties: { [key]: { type: 'string', enum: [key], default: key, description: encodeURIComponent(key) } },
    },
  }
}

/** An answer in which everything that any tool shows is that text. */
function fullOf(said: string, { path }: SeenRequest): unknown {
  const row = { id: 1, post_id: 1, topic_id: 1, post_number: 1, username: said, title: said, slug: said, name: said }
  const more = {
    ...row,
    raw: said,
    message: said,
    excerpt: said,
    draft_key: said,
    user: { username: said },
    created_at: said,
  }
  const list = [more]
  if (path.startsWith('/admin/users')) return list
  if (path.startsWith('/drafts/'))
    return { draft: JSON.stringify({ reply: said, title: said, tags: [said], action: said }) }
  const lists = ['topics', 'user_actions', 'messages', 'latest_posts', 'notifications', 'categories', 'tags', 'drafts']
  const channels = ['channels', 'public_channels', 'direct_message_channels', 'groups']
  return {
    ...more,
    ...Object.fromEntries([...lists, ...channels].map((key) => [key, list])),
    user: { ...more, bio_raw: said },
    topic_list: { topics: list },
    total_rows_groups: 1,
    total_rows_notifications: 1,
    post_stream: { posts: list, stream: [1] },
  }
}

const headersOf = ({ headers }: SeenRequest): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

function expectSent(web: HostileWeb): void {
  expect(
    web.requests.some(({ headers }) => headers['api-key'] === adminKey || headers['user-api-key'] === userKey),
  ).toBe(true)
}

function refuse(response: ServerResponse, status: number, body: unknown): undefined {
  response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
  return undefined
}

function redirect(response: ServerResponse, location: string): undefined {
  response.writeHead(302, { location }).end()
  return undefined
}
