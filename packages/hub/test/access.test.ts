import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { signInProof } from '@callboard/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHubLog, parseHubConfig, type RunningHub, secretFiles, startHub } from '../src/index.js'
import { changeTokens, newToken, type TokenRecord, tokenFileIn } from '../src/token-file.js'
import { HttpAgent } from './http-agent.js'
import { body, head, RawWorker } from './raw-worker.js'
import { SocketAgent } from './socket-agent.js'
import { temporaryDirectory } from './temporary.js'

interface Installation {
  readonly hub: RunningHub
  readonly data: string
  readonly url: string
}

async function install(file: object = {}, log = createHubLog('silent', process.stderr)): Promise<Installation> {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  const environment = { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: '127.0.0.1:0' }
  const config = parseHubConfig({ environment, file })
  const hub = await startHub({ config, version: '0.0.0', log, expects: [] })
  onTestFinished(() => hub.stop())
  return { hub, data, url: `http://127.0.0.1:${hub.httpAddresses[0]!.port}/mcp` }
}

async function tokenFor({ data }: Installation, name: string, more: Partial<TokenRecord> = {}) {
  const { token, ...own } = newToken([])
  await changeTokens(data, (tokens) => [...tokens, { ...own, name, roles: ['agent'], createdAt: Date.now(), ...more }])
  return { token, id: own.id }
}
const revoke = ({ data }: Installation, id: string) =>
  changeTokens(data, (tokens) => tokens.map((each) => (each.id === id ? { ...each, revokedAt: Date.now() } : each)))

/** An agent that came in, whichever way; `ended` resolves when the hub has cut it off. */
interface Inside {
  call(name: string): Promise<unknown>
  tools(): Promise<string[]>
  readonly ended: Promise<void>
}

type Enter = (installation: Installation, token: string) => Promise<Inside>

const throughHttp = (agent: HttpAgent): Inside => ({
  call: (name) => agent.call(name).catch(() => undefined),
  tools: () => agent.tools(),
  ended: agent.listen().ended,
})

const ways: readonly [string, Enter][] = [
  [
    'mcp.sock',
    async ({ hub }, token) => {
      const agent = await SocketAgent.attach(hub.mcpSocketPath, { token })
      return { call: (name) => agent.call(name), tools: () => agent.tools(), ended: agent.closed }
    },
  ],
  ['legacy HTTP', async ({ url }, token) => throughHttp(await HttpAgent.legacy(url, token))],
  ['modern HTTP', async ({ url }, token) => throughHttp(HttpAgent.modern(url, token))],
]

/** What stays outside with this token, on every way in. */
async function expectRefused({ hub, url }: Installation, token: string): Promise<void> {
  const { greeting } = await SocketAgent.introduce(hub.mcpSocketPath, { token })
  expect(greeting.error?.code).toBe('unauthorized')
  const { status, headers } = await HttpAgent.modern(url, token).call('raw')
  expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')])
}

describe.each(ways)('on %s', (_, enter) => {
  it('a token is its agent, and its end cuts off whoever came in by it', async () => {
    const installation = await install()
    const worker = await new RawWorker(installation.hub.workerEndpoint).signIn()
    const { token, id } = await tokenFor(installation, 'ada', { group: 'lab' })
    const other = await enter(installation, (await tokenFor(installation, 'ada', { group: 'lab' })).token)
    const ada = await enter(installation, token)

    void ada.call('raw')
    const { id: call, caller } = await worker.next('request')
    expect(caller).toMatchObject({ principal: 'agent:ada', roles: ['agent'], group: 'lab', depth: 0 })
    await revoke(installation, id)
    await ada.ended
    expect(await worker.next('cancel')).toMatchObject({ id: call })
    expect(await worker.next('session_closed')).toMatchObject({ session: (caller as { session: string }).session })
    await worker.respond(call)
    await expectRefused(installation, token)
    expect(await other.tools()).toEqual(['raw'])
  })

  it('an expired token is one that has ended', async () => {
    const installation = await install()
    await new RawWorker(installation.hub.workerEndpoint).signIn()
    const { token } = await tokenFor(installation, 'ada', { expiresAt: Date.now() + 3_600_000 })
    const ada = await enter(installation, token)
    // As if the hour were over.
    await changeTokens(installation.data, (tokens) => tokens.map((each) => ({ ...each, expiresAt: Date.now() })))
    await ada.ended
    await expectRefused(installation, token)
  })

  it('a token of a run is its agent without the role operator, until it is revoked', async () => {
    const installation = await install()
    const minter = await trustedWorker(installation)
    const token = await mint(minter)
    const run = await enter(installation, token)
    void run.call('kernel')
    const { id, caller } = await minter.next('request')
    expect(caller).toMatchObject({
      principal: 'agent:sleepy',
      roles: ['agent'],
      run: { id: 'r', attempt: 1, triggerDepth: 0 },
    })
    await ask(minter, 'callboard/token.revoke', { token })
    await run.ended
    const { session } = caller as { session: string }
    expect(await minter.next('session_closed')).toMatchObject({ session })
    await minter.respond(id)
    await expectRefused(installation, token)
  })

  it('the operator secret is the operator, and sees what is for operators', async () => {
    const installation = await install()
    const worker = new RawWorker(installation.hub.workerEndpoint)
    await worker.hello()
    const inputSchema = { type: 'object' }
    await worker.ready({}, { tools: [{ name: 'decide', inputSchema, _meta: { 'callboard/roles': ['operator'] } }] })
    await worker.next('welcome')
    worker.answerAll()
    const operator = await enter(installation, await secret(installation, 'operator'))
    expect(await operator.tools()).toEqual(['decide'])
    const { token } = await tokenFor(installation, 'ada')
    const ada = await enter(installation, token)
    expect(await ada.tools()).toEqual([])
    const boss = await enter(
      installation,
      (await tokenFor(installation, 'boss', { roles: ['agent', 'operator'] })).token,
    )
    expect(await boss.tools()).toEqual(['decide'])
  })

  it('a worker hides tools from one session, and from no other', async () => {
    const installation = await install()
    const worker = await new RawWorker(installation.hub.workerEndpoint).signIn()
    const [ada, bob] = [
      await enter(installation, (await tokenFor(installation, 'ada')).token),
      await enter(installation, (await tokenFor(installation, 'bob')).token),
    ]
    void ada.call('raw')
    const { id, caller } = await worker.next('request')
    await worker.respond(id)
    const { session } = caller as { session: string }
    await worker.send(head({ type: 'update', epoch: worker.epoch, session }), body({ hiddenTools: ['raw'] }))
    await worker.roundTrip()
    expect(await ada.tools()).toEqual([])
    expect(await bob.tools()).toEqual(['raw'])
  })
})

it('an agent on mcp.sock hears in a last line why it is cut off', async () => {
  const installation = await install()
  const { token, id } = await tokenFor(installation, 'ada')
  const agent = await SocketAgent.attach(installation.hub.mcpSocketPath, { token })
  await revoke(installation, id)
  await agent.closed
  const message = expect.stringMatching(/^The token of this connection has ended: /)
  expect(agent.farewell).toEqual({ callboard: 1, error: { code: 'unauthorized', message } })
})

it('an agent of the config goes on needing a token when its last one was revoked', async () => {
  const installation = await install({ agents: { plain: {} } })
  const enter = async () => (await SocketAgent.introduce(installation.hub.mcpSocketPath, { as: 'plain' })).greeting
  expect(await enter()).toMatchObject({ attached: { principal: 'agent:plain' } })
  const { id } = await tokenFor(installation, 'plain')
  await revoke(installation, id)
  expect(await enter()).toMatchObject({ error: { code: 'forbidden' } })
})

describe('a session', () => {
  it('of a legacy client is for who opened it, by the token that opened it', async () => {
    const installation = await install()
    await new RawWorker(installation.hub.workerEndpoint).signIn()
    const { token } = await tokenFor(installation, 'ada')
    const ada = await HttpAgent.legacy(installation.url, token)
    const others = [
      (await tokenFor(installation, 'ada')).token,
      (await tokenFor(installation, 'bob')).token,
      await secret(installation, 'operator'),
      undefined,
    ]
    for (const other of others) expect((await ada.withToken(other).call('raw')).status).toBe(404)
    expect(await ada.tools()).toEqual(['raw'])
    expect((await ada.withToken(others[0]).end()).status).toBe(404)
    expect((await ada.end()).status).toBe(200)
  })

  it('of a modern client is the one it names, else that of its token', async () => {
    const installation = await install()
    const worker = await new RawWorker(installation.hub.workerEndpoint).signIn()
    const tokens = [
      (await tokenFor(installation, 'ada')).token,
      (await tokenFor(installation, 'ada')).token,
      (await tokenFor(installation, 'bob')).token,
    ]
    const sessionOf = async (token: string, name?: string) => {
      const meta = name === undefined ? {} : { 'callboard/session': name }
      const called = HttpAgent.modern(installation.url, token).call('raw', meta)
      const { id, caller } = await worker.next('request')
      await worker.respond(id)
      await called
      return (caller as { session: string }).session
    }
    const [ada, again, bob] = tokens as [string, string, string]
    expect(await sessionOf(ada)).toBe(await sessionOf(ada))
    expect(await sessionOf(ada, 'mine')).toBe(await sessionOf(again, 'mine'))
    const all = [
      await sessionOf(ada),
      await sessionOf(again),
      await sessionOf(ada, 'mine'),
      await sessionOf(bob, 'mine'),
    ]
    expect(new Set(all).size).toBe(4)
  })
})

it('no token is in the log, good or bad, on any way in', async () => {
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  const installation = await install({}, createHubLog('trace', stream))
  const { token, id } = await tokenFor(installation, 'ada')
  const operator = await secret(installation, 'operator')
  const local = await secret(installation, 'local')
  const tokens = [token, operator, local, 'cbt_wrong-token', 'a.wrong.token']
  for (const each of tokens) {
    await SocketAgent.introduce(installation.hub.mcpSocketPath, { token: each })
    await HttpAgent.modern(installation.url, each).tools()
    await HttpAgent.legacy(installation.url, each).catch(() => undefined)
  }
  await SocketAgent.introduce(installation.hub.mcpSocketPath, { as: 'operator', token: 'cbt_wrong-token' })
  await revoke(installation, id)
  await expectRefused(installation, token)
  await installation.hub.stop()
  const log = lines.join('')
  expect(log).toMatch(/"code":"unauthorized".*"an agent was refused"/)
  expect(log).toMatch(/an HTTP request with a token that is not good was refused/)
  for (const each of tokens) expect(log).not.toContain(each)
})

describe('without a token', () => {
  it('HTTP is agent:http with what is open, and the local token is the local agent', async () => {
    const installation = await install()
    await new RawWorker(installation.hub.workerEndpoint).signIn()
    expect(await HttpAgent.modern(installation.url).tools()).toEqual([])
    expect(await HttpAgent.modern(installation.url, await secret(installation, 'local')).tools()).toEqual(['raw'])
  })

  it('HTTP is refused where nothing is open', async () => {
    const { url } = await install({ http: { open: [] } })
    const { status, headers } = await HttpAgent.modern(url).call('raw')
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })
})

describe('a broken token file', () => {
  it('ends the start of a hub', async () => {
    const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
    await writeFile(tokenFileIn(data), 'broken')
    const config = parseHubConfig({
      environment: { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: 'off' },
    })
    const log = createHubLog('silent', process.stderr)
    await expect(startHub({ config, version: '0.0.0', log, expects: [] })).rejects.toThrow(tokenFileIn(data))
  })

  it('lets nobody in who needs it, until it is mended', async () => {
    const installation = await install()
    const { hub, url, data } = installation
    const { token } = await tokenFor(installation, 'ada')
    const good = await readFile(tokenFileIn(data), 'utf8')
    await writeFile(tokenFileIn(data), 'broken')
    expect((await SocketAgent.introduce(hub.mcpSocketPath, { token })).greeting.error?.code).toBe('unavailable')
    const refused = await HttpAgent.modern(url, token).call('raw')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    await writeFile(tokenFileIn(data), good)
    expect((await SocketAgent.introduce(hub.mcpSocketPath, { token })).greeting.attached).toMatchObject({
      principal: 'agent:ada',
    })
  })
})

async function secret({ data }: Installation, name: 'operator' | 'local'): Promise<string> {
  return (await readFile(secretFiles(data)[name], 'utf8')).trim()
}

/** The kernel, as which nobody signs in without the secret; it may mint tokens. */
async function trustedWorker({ hub }: Installation): Promise<RawWorker> {
  const worker = new RawWorker(hub.workerEndpoint, 'kernel')
  const { nonce, epoch } = (await worker.hello()) as unknown as { nonce: Uint8Array; epoch: string }
  const signInSecret = (await readFile(hub.signInSecretFile, 'utf8')).trim()
  const { routingId, service, instance } = worker
  const proof = signInProof(signInSecret, { nonce, epoch, routingId, service, instance })
  await worker.ready({ proof })
  await worker.next('welcome')
  return worker
}

async function ask(worker: RawWorker, method: string, wish: object): Promise<Record<string, unknown>> {
  await worker.send(
    head({ type: 'call', epoch: worker.epoch, id: randomUUID(), method, name: '', progress: false }),
    body(wish),
  )
  return JSON.parse((await worker.next('result'))['text'] as string)
}

async function mint(worker: RawWorker): Promise<string> {
  const run = { id: 'r', attempt: 1, triggerDepth: 0 }
  return (await ask(worker, 'callboard/token.mint', { agent: 'sleepy', ttlMs: 60_000, run }))['token'] as string
}
