// biome-ignore-all lint/suspicious/noExplicitAny: what comes over the wire is read freely here
import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectHub } from '../../src/hub-link/hub-socket.js'
import { type ShimOptions, StdioShim } from '../../src/shim/stdio-shim.js'

/** Says yes to every introduction and keeps what it hears. */
class FakeHub {
  readonly heard: any[] = []
  readonly events = new EventEmitter()
  socket: Socket | undefined
  #server: Server | undefined
  #partial = ''

  async listen(path: string, greeting: object = { attached: {} }): Promise<void> {
    this.#server = createServer((socket) => {
      this.socket = socket
      this.#partial = ''
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        const lines = (this.#partial + chunk).split('\n')
        this.#partial = lines.pop()!
        for (const line of lines) this.#hear(JSON.parse(line), socket, greeting)
      })
    }).listen(path)
    await once(this.#server, 'listening')
  }

  async close(): Promise<void> {
    this.socket?.destroy()
    if (this.#server?.listening) await new Promise((resolve) => this.#server?.close(resolve))
  }

  say(message: object): void {
    this.socket!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  async hears(method: string): Promise<any> {
    return vi.waitUntil(() => this.heard.find((message) => message.method === method))
  }

  #hear(message: any, socket: Socket, greeting: object): void {
    if (message.callboard !== 1) this.heard.push(message)
    else socket.write(`${JSON.stringify({ callboard: 1, ...greeting })}\n`)
  }
}

let path: string
let hub: FakeHub
let input: PassThrough
let output: PassThrough
let written: any[]
let shim: StdioShim

beforeEach(() => {
  path = join(tmpdir(), `cb-${randomUUID()}.sock`)
  hub = new FakeHub()
  input = new PassThrough()
  output = new PassThrough()
  written = []
  let partial = ''
  output.on('data', (chunk) => {
    const lines = (partial + chunk).split('\n')
    partial = lines.pop()!
    written.push(...lines.map((line) => JSON.parse(line)))
  })
})

afterEach(async () => {
  shim.finish({ code: 0 })
  await shim.ended
  await hub.close()
})

function start(options: Partial<ShimOptions> = {}): void {
  shim = new StdioShim({
    input,
    output,
    introduction: { key: 'k' },
    connect: () => connectHub(path),
    start: () => Promise.reject(new Error('python3 was not found')),
    mayRestart: () => false,
    ...options,
  })
  shim.start()
}

const say = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answered = (id: unknown) => vi.waitUntil(() => written.find((message) => message.id === id))

it('joins client and hub, and ends when the client has left and has its answers', async () => {
  await hub.listen(path)
  start()
  say({ id: 1, method: 'ping' })
  input.end()
  await hub.hears('ping')
  hub.say({ id: 1, result: {} })
  expect(await shim.ended).toEqual({ code: 0 })
  expect(written).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
})

it('waits only so long for answers after the client has left', async () => {
  await hub.listen(path)
  start({ eofAnswersMs: 20 })
  say({ id: 1, method: 'tools/call' })
  input.end()
  expect(await shim.ended).toEqual({ code: 0 })
})

it('goes over to the next hub', async () => {
  await hub.listen(path)
  start()
  say({ id: 1, method: 'tools/call', params: { name: 'a' } })
  await hub.hears('tools/call')
  await hub.close()
  expect(await answered(1)).toMatchObject({ error: { data: { code: 'outcome_unknown' } } })
  say({ id: 2, method: 'tools/list' })
  const next = new FakeHub()
  await next.listen(path)
  await next.hears('tools/list')
  next.say({ id: 2, result: { tools: [] } })
  expect(await answered(2)).toMatchObject({ result: { tools: [] } })
  await next.close()
})

it('starts a hub again only where it may, and where the client needs it', async () => {
  await hub.listen(path)
  let starts = 0
  let mayRestart = false
  const restart = async () => {
    starts += 1
    await hub.listen(path)
    return connectHub(path)
  }
  start({ start: restart, mayRestart: () => mayRestart, queueWaitMs: 30 })
  say({ id: 1, method: 'tools/call' })
  await hub.hears('tools/call')
  await hub.close()
  await answered(1)
  say({ id: 2, method: 'tools/call' })
  expect(await answered(2)).toMatchObject({ error: { data: { code: 'unavailable', retryable: true } } })
  expect(starts).toBe(0)
  mayRestart = true
  say({ id: 3, method: 'tools/list' })
  await hub.hears('tools/list')
  expect(starts).toBe(1)
})

it('starts a hub at the first bytes of the client, and none for its end alone', async () => {
  let starts = 0
  const startHub = async () => {
    starts += 1
    await hub.listen(path)
    return connectHub(path)
  }
  let tries = 0
  const connect = () => {
    tries += 1
    return connectHub(path)
  }
  start({ start: startHub, connect })
  await vi.waitUntil(() => tries === 1)
  await new Promise((resolve) => setImmediate(resolve))
  expect(starts).toBe(0)
  input.write('{"jsonrpc":"2.0",')
  await vi.waitUntil(() => starts === 1)
  input.write('"id":1,"method":"ping"}\n')
  await hub.hears('ping')
})

it('ends at once when the client leaves without a word', async () => {
  start({ start: () => Promise.reject(new Error('nobody asked for a hub')) })
  input.end()
  expect(await shim.ended).toEqual({ code: 0 })
})

it('says why there is no hub, to the client and to people', async () => {
  start()
  say({ id: 1, method: 'initialize', params: {} })
  expect(await shim.ended).toEqual({ code: 2, message: 'python3 was not found' })
})

it('ends with the refusal of the hub', async () => {
  await hub.listen(path, { error: { code: 'forbidden', message: 'Agent x has a token.' } })
  start()
  expect(await shim.ended).toEqual({ code: 2, message: 'Agent x has a token.' })
})

describe('a token that the hub does not know', () => {
  const error = { code: 'unauthorized', message: 'CALLBOARD_TOKEN is not known to this hub.' }
  const refused = { code: 2, message: error.message }

  it('of a run is shown again, until its worker has brought it back', async () => {
    const greeting: { error?: object; attached: object } = { error, attached: {} }
    await hub.listen(path, greeting)
    let knocks = 0
    const connect = () => {
      knocks += 1
      if (knocks === 3) delete greeting.error
      return connectHub(path)
    }
    start({ connect, introduction: { key: 'k', token: 'cbr_x' } })
    say({ id: 1, method: 'ping' })
    await hub.hears('ping')
    hub.say({ id: 1, result: {} })
    expect(await answered(1)).toMatchObject({ result: {} })
    expect(knocks).toBe(3)
  })

  it('of a run is given up after a while', async () => {
    await hub.listen(path, { error })
    start({ introduction: { key: 'k', token: 'cbr_x' }, runTokenWaitMs: 0 })
    expect(await shim.ended).toEqual(refused)
  })

  it('of anybody else is refused at once', async () => {
    await hub.listen(path, { error })
    start({ introduction: { key: 'k', token: 'cbt_x' } })
    expect(await shim.ended).toEqual(refused)
  })
})

it('stops reading a client whose hub does not read', async () => {
  await hub.listen(path)
  start()
  say({ id: 0, method: 'ping' })
  await hub.hears('ping')
  hub.socket!.pause()
  const text = 'x'.repeat(200_000)
  for (let id = 1; id <= 100 && !input.isPaused(); id++) {
    say({ id, method: 'tools/call', params: { text } })
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(input.isPaused()).toBe(true)
  hub.socket!.resume()
  await vi.waitUntil(() => !input.isPaused())
})

it('ends when nobody reads it any more', async () => {
  await hub.listen(path)
  start()
  output.destroy(new Error('EPIPE'))
  expect(await shim.ended).toEqual({ code: 0 })
})

it('answers a client whose token has ended until it leaves, and knocks no more', async () => {
  await hub.listen(path)
  let knocks = 0
  const connect = () => {
    knocks += 1
    return connectHub(path)
  }
  start({ connect })
  say({ id: 1, method: 'tools/call' })
  await hub.hears('tools/call')
  const message = 'The token of this connection has ended.'
  const closed = once(hub.socket!, 'close')
  hub.socket!.end(`${JSON.stringify({ callboard: 1, error: { code: 'unauthorized', message } })}\n`)
  const data = { code: 'unauthorized', retryable: false }
  expect(await answered(1)).toMatchObject({
    error: { data, message: `${message} Whether this call took effect is unknown.` },
  })
  await closed
  say({ id: 2, method: 'tools/list' })
  expect(await answered(2)).toMatchObject({ error: { data, message: `${message} Nothing was started.` } })
  input.end()
  expect(await shim.ended).toEqual({ code: 2, message })
  expect(knocks).toBe(1)
})

it('a client that the hub does not let in is told that to try again is vain', async () => {
  const error = { code: 'unknown_agent', message: 'There is no agent nobody.' }
  say({ id: 1, method: 'initialize' })
  const connect = async () => {
    await hub.listen(path, { error })
    return connectHub(path)
  }
  start({ connect })
  expect(await shim.ended).toEqual({ code: 2, message: error.message })
  const message = 'There is no agent nobody. Nothing was started.'
  expect(written).toMatchObject([{ id: 1, error: { message, data: { code: 'unknown_agent', retryable: false } } }])
})
