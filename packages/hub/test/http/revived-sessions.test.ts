import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { HttpOptions } from '../../src/http/http-server.js'
import type { AgentCall } from '../../src/port.js'
import { json, text } from '../mcp/fake-hub.js'
import { TestFront } from './front.js'

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const call = (id: number | string, name = 't', _meta: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, _meta },
})
const accept = 'text/event-stream'

/** A hub that dies, with another one after it that has the same data directory. */
class Lives {
  readonly #sessionKey = randomBytes(32)

  async next(options: Partial<HttpOptions> = {}): Promise<TestFront> {
    const front = await TestFront.listen({ sessionKey: this.#sessionKey, ...options })
    front.hub.tool('t', () => text('x'))
    return front
  }
}

/** What follows `initialize` in one life of the hub is asked in the next. */
async function twoLives(version?: string, headers: Record<string, string> = {}) {
  const lives = new Lives()
  const former = await lives.next()
  const session = await former.session(version, headers)
  return { lives, former, session, front: await lives.next() }
}

describe('a session of a hub that is no more', () => {
  it.each(versions)('goes on in the next one: %s', async (version) => {
    const { front, session, former } = await twoLives(version)
    const answer = await front.post('/mcp', call(1), session)
    expect(answer.json).toMatchObject({ id: 1, result: { content: [{ text: 'x' }] } })
    expect((await front.post('/mcp', call(2), session)).json).toMatchObject({ id: 2, result: {} })
    expect(front.hub.connections).toHaveLength(1)
    expect(front.hub.connections[0]!.identity).toEqual(former.hub.connections[0]!.identity)
  })

  it('goes on in every later one', async () => {
    const { lives, session } = await twoLives()
    await lives.next()
    expect((await (await lives.next()).post('/mcp', call(1), session)).status).toBe(200)
  })

  it('still knows what its client can do', async () => {
    const lives = new Lives()
    const former = await lives.next()
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {}, roots: {} },
      clientInfo: { name: 'c', version: '1' },
    }
    const initialized = await former.post('/mcp', { jsonrpc: '2.0', id: 0, method: 'initialize', params })
    const front = await lives.next()
    const called = front.hub.next('call') as Promise<AgentCall>
    const session = {
      'mcp-session-id': String(initialized.headers['mcp-session-id']),
      accept: `application/json, ${accept}`,
    }
    await front.post('/mcp', call(1), session)
    expect((await called).client.input).toEqual(['form', 'roots'])
  })

  it('is one session for all who come for it at once', async () => {
    const { front, session } = await twoLives()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => front.post('/mcp', call(id), session)))
    expect(answers.map(({ json }) => json)).toMatchObject(answers.map((_, id) => ({ id, result: {} })))
    expect(front.hub.live).toHaveLength(1)
  })

  it('ends by DELETE, and stays ended', async () => {
    const { front, session } = await twoLives()
    expect((await front.send('DELETE', '/mcp', session)).status).toBe(200)
    expect(front.hub.connections.map(({ closed }) => closed)).toEqual([true])
    expect((await front.post('/mcp', call(1), session)).status).toBe(404)
    expect((await front.send('DELETE', '/mcp', session)).status).toBe(404)
  })

  it('stays ended when the hub has let it go', async () => {
    const { front, session } = await twoLives()
    await front.post('/mcp', call(1), session)
    front.hub.live[0]!.listener.ended()
    expect((await front.post('/mcp', call(2), session)).status).toBe(404)
  })

  it('that a client ended may be opened again by that client, and is empty', async () => {
    const { lives, front, session } = await twoLives()
    await front.send('DELETE', '/mcp', session)
    expect((await (await lives.next()).post('/mcp', call(1), session)).status).toBe(200)
  })

  it('is opened by a client that repeats that it is initialized', async () => {
    const { front, session } = await twoLives()
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await front.post('/mcp', initialized, session)).status).toBe(202)
    expect((await front.post('/mcp', call(1), session)).status).toBe(200)
  })

  it('does not go on where the client says too much of itself, and serves until then', async () => {
    const lives = new Lives()
    const former = await lives.next()
    const capabilities = { experimental: { x: { y: 'x'.repeat(4_000) } } }
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'c', version: '1' } }
    const initialized = await former.post('/mcp', { jsonrpc: '2.0', id: 0, method: 'initialize', params })
    const id = String(initialized.headers['mcp-session-id'])
    expect(id.length).toBeLessThan(100)
    expect((await former.post('/mcp', call(1), { 'mcp-session-id': id })).status).toBe(200)
    expect((await (await lives.next()).post('/mcp', call(1), { 'mcp-session-id': id })).status).toBe(404)
  })
})

describe('an id that is not of a session of this caller', () => {
  const changed = (id: string) => id.slice(0, 20) + (id[20] === 'A' ? 'B' : 'A') + id.slice(21)

  it.each([
    ['forged', changed],
    ['cut', (id: string) => id.slice(0, -1)],
    ['prolonged', (id: string) => `${id}AAAA`],
    ['oversized', (id: string) => id + 'A'.repeat(12_000)],
    ['spelled otherwise', (id: string) => `${id}=`],
    ['of no hub', () => randomBytes(200).toString('base64url')],
    ['of the old kind', () => '00000000-0000-4000-8000-000000000000'],
    ['sent twice', (id: string) => `${id}, ${id}`],
  ])('opens nothing: %s', async (_, other) => {
    const { front, session } = await twoLives()
    const headers = { ...session, 'mcp-session-id': other(session['mcp-session-id']!) }
    expect(await front.post('/mcp', call(1), headers)).toMatchObject({ status: 404 })
    expect(await front.send('GET', '/mcp', { ...headers, accept })).toMatchObject({ status: 404 })
    expect(await front.send('DELETE', '/mcp', headers)).toMatchObject({ status: 404 })
    expect(front.hub.connections).toEqual([])
  })

  it.each([
    ['by another token', { authorization: 'Bearer good-2' }, 404],
    ['by no token', {}, 404],
    ['by a token that has ended', { authorization: 'Bearer revoked' }, 401],
  ] as const)('opens nothing: %s', async (_, headers, status) => {
    const { front, session } = await twoLives('2025-11-25', { authorization: 'Bearer good-1' })
    const { authorization: __, ...bare } = session
    expect((await front.post('/mcp', call(1), { ...bare, ...headers })).status).toBe(status)
    expect(front.hub.connections).toEqual([])
    expect((await front.post('/mcp', call(1), session)).status).toBe(200)
    expect((await front.post('/mcp', call(1), { ...bare, ...headers })).status).toBe(status)
  })

  it('opens nothing where the secret is another', async () => {
    const session = await (await new Lives().next()).session()
    expect((await (await new Lives().next()).post('/mcp', call(1), session)).status).toBe(404)
  })

  it('opens nothing in the life in which its session ended', async () => {
    const front = await new Lives().next()
    const session = await front.session()
    await front.send('DELETE', '/mcp', session)
    expect((await front.post('/mcp', call(1), session)).status).toBe(404)
    expect(front.hub.live).toEqual([])
  })
})

describe('the stream of a session of a hub that is no more', () => {
  const kinds = ['tools', 'resources', 'prompts']

  it('is opened anew, and says once that everything may have changed', async () => {
    const { front, session } = await twoLives()
    await front.post('/mcp', call(1), session)
    const stream = await front.stream(session)
    for (const kind of kinds)
      expect(await stream.message()).toMatchObject({ method: `notifications/${kind}/list_changed` })
    stream.cut()
    let again = await front.stream(session)
    // The hub hears of it a moment later.
    while (again.response.statusCode === 409) again = await front.stream(session)
    front.hub.live[0]!.listener.resourceUpdated('a:b')
    expect(await again.message()).toMatchObject({ method: 'notifications/resources/updated' })
  })

  it('says nothing of the kind to a client whose hub has never gone', async () => {
    const front = await new Lives().next()
    const session = await front.session()
    const stream = await front.stream(session)
    front.hub.live[0]!.listener.resourceUpdated('a:b')
    expect(await stream.message()).toMatchObject({ method: 'notifications/resources/updated' })
  })

  it('is opened anew also by who comes back for the rest of it, and for the rest of that', async () => {
    const lives = new Lives()
    const former = await lives.next()
    const session = await former.session()
    const heard = await former.stream(session)
    for (let count = 0; count < 50; count++) former.hub.live[0]!.listChanged('tools')
    let last = (await heard.next())!.id!
    for (let count = 1; count < 50; count++) last = (await heard.next())!.id!
    const front = await lives.next()
    const again = await front.stream({ ...session, 'last-event-id': last })
    for (const kind of kinds.slice(0, 2)) {
      expect(await again.message()).toMatchObject({ method: `notifications/${kind}/list_changed` })
    }
    const third = await again.next()
    again.cut()
    front.hub.live[0]!.listChanged('tools')
    const rest = await front.stream({ ...session, 'last-event-id': third!.id! })
    expect(await rest.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
  })
})

describe('a stream of requests of a hub that is no more', () => {
  const error = {
    code: -32000,
    message: expect.stringContaining('unknown'),
    data: { code: 'outcome_unknown', retryable: false },
  }

  it.each([1, 'a "quoted" ü id'])('ends with an error for request %j, which will never be answered', async (id) => {
    const lives = new Lives()
    const former = await lives.next()
    const finish = former.hub.held('held')
    const session = await former.session()
    const primer = (await (await former.stream(session, call(id, 'held'))).next())!
    const front = await lives.next()
    const rest = await front.stream({ ...session, 'last-event-id': primer.id! })
    const last = await rest.next()
    expect(last!.data).toMatchObject({ jsonrpc: '2.0', id, error })
    expect(await rest.next()).toBeUndefined()
    const over = await front.send('GET', '/mcp', { ...session, accept, 'last-event-id': last!.id! })
    expect(over).toMatchObject({ status: 405, headers: { allow: 'POST, DELETE' } })
    finish(text('late'))
  })

  it('ends so after progress, too', async () => {
    const lives = new Lives()
    const former = await lives.next()
    former.hub.held('held')
    const called = former.hub.next('call') as Promise<AgentCall>
    const session = await former.session('2025-06-18')
    const stream = await former.stream(session, call(7, 'held', { progressToken: 1 }))
    ;(await called).onProgress?.(json({ progress: 1 }))
    const event = await stream.next()
    const rest = await (await lives.next()).stream({ ...session, 'last-event-id': event!.id! })
    expect(await rest.message()).toMatchObject({ id: 7, error })
  })

  it('is over where it was read to its end', async () => {
    const lives = new Lives()
    const former = await lives.next()
    const session = await former.session()
    const finish = former.hub.held('held')
    const stream = await former.stream(session, call(1, 'held'))
    await stream.next()
    finish(text('x'))
    const answer = await stream.next()
    expect(answer!.data).toMatchObject({ id: 1, result: {} })
    const front = await lives.next()
    expect(await front.send('GET', '/mcp', { ...session, accept, 'last-event-id': answer!.id! })).toMatchObject({
      status: 405,
    })
  })

  it.each([
    'nonsense',
    `${'s'.repeat(36)}.otherlif.1.!!`,
    `${'s'.repeat(36)}.otherlif.1.${Buffer.from('{').toString('base64url')}`,
    `${'s'.repeat(36)}.otherlif.1.${Buffer.from('[{}]').toString('base64url')}`,
    `${'s'.repeat(36)}.otherlif.1.${Buffer.from(JSON.stringify(['x'.repeat(600)])).toString('base64url')}`,
  ])('is none by the id %j', async (id) => {
    const { front, session } = await twoLives()
    expect(await front.send('GET', '/mcp', { ...session, accept, 'last-event-id': id })).toMatchObject({ status: 400 })
  })

  it('names no request that is too long to name, and then ends without a word', async () => {
    const lives = new Lives()
    const former = await lives.next()
    former.hub.held('held')
    const session = await former.session()
    const primer = (await (await former.stream(session, call('x'.repeat(1_000), 'held'))).next())!
    expect(primer.id!.length).toBeLessThan(100)
    const front = await lives.next()
    expect(await front.send('GET', '/mcp', { ...session, accept, 'last-event-id': primer.id! })).toMatchObject({
      status: 405,
    })
  })
})
