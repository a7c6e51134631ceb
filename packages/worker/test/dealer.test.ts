import { setImmediate as nextTurn } from 'node:timers/promises'
import { decodeMessages, frameBytesMax } from '@callboard/protocol'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Router } from 'zeromq'
import { z } from 'zod'
import { DealerLink } from '../src/dealer.js'
import { defineWorker, type RunningWorker, type Worker } from '../src/index.js'
import { decodeJson } from '../src/json-body.js'
import { highWaterMark, socketRenewMs } from '../src/limits.js'
import { type Endpoint, HandHub, temporaryEndpoint } from './hand-hub.js'

let endpoint: Endpoint
let hub: HandHub
let running: RunningWorker | undefined
/** Calls of the tool `wait` that have begun. */
let waiting: number

beforeEach(async () => {
  waiting = 0
  endpoint = await temporaryEndpoint()
  hub = await HandHub.bind(endpoint.url)
})

afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  await running?.stop()
  running = undefined
  await endpoint[Symbol.asyncDispose]()
})

function greeter(): Worker {
  return defineWorker({ service: 'greeter', version: '1.0.0', concurrency: 300, drainMs: 2_000 })
    .tool('greet', { description: 'x', input: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}`)
    .tool('big', { description: 'x', input: z.object({}) }, () => 'x'.repeat(3 * 1024 * 1024))
    .tool('wait', { description: 'x', input: z.object({}) }, (_, { signal }) => {
      waiting += 1
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
}

async function signIn(worker = greeter(), secret?: string): Promise<string> {
  const starting = worker.start({
    endpoint: endpoint.url,
    logLevel: 'silent',
    ...(secret === undefined ? {} : { secret }),
  })
  const id = await hub.signIn()
  running = await starting
  return id
}

describe('over a real socket', () => {
  test('a routing id is service/unguessable, and new in each life [CB-2]', async () => {
    const first = await signIn()
    expect(first).toMatch(/^greeter\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    // Nothing may be on its way to be echoed when the worker is gone.
    await hub.next('heartbeat')
    const stopped = running?.stop()
    const { epoch, drainMs } = await hub.next('drain')
    await hub.send(first, { type: 'drain', epoch, drainMs, acknowledged: true })
    await hub.next('bye')
    await hub.send(first, { type: 'bye', epoch })
    await stopped
    expect(await signIn()).not.toBe(first)
  })

  test('a worker signs in and answers a call', async () => {
    const id = await signIn()
    expect(running?.state).toBe('ready')
    await hub.send(id, hub.request(1, 'greet', { name: 'Ada' }))
    const response = await hub.next('response')
    expect(response).toMatchObject({ id: 'handhub001-1', outcome: 'result' })
    expect('body' in response && decodeJson(response.body)).toEqual({ content: [{ type: 'text', text: 'Hello Ada' }] })
  })

  test('the calls of one batch are answered in one batch, within the limits of a batch', async () => {
    const id = await signIn()
    await hub.next('heartbeat')
    hub.batches.length = 0
    await hub.send(id, ...Array.from({ length: 100 }, (_, n) => hub.request(n, 'greet', { name: `${n}` })))
    for (let n = 0; n < 100; n++) expect((await hub.next('response')).id).toBe(`handhub001-${n}`)
    expect(Math.max(...hub.batches)).toBe(100)
    hub.batches.length = 0
    await hub.send(id, ...Array.from({ length: 3 }, (_, n) => hub.request(200 + n, 'big')))
    for (let n = 0; n < 3; n++) await hub.next('response')
    expect(hub.batches.filter((count) => count > 1)).toEqual([])
  })

  test('what is no message of CB/1 is passed over', async () => {
    const id = await signIn()
    await hub.sendRaw(id, Buffer.from('nonsense'), Buffer.from('more'))
    await hub.sendRaw(id, Buffer.from('a'), Buffer.from('b'), Buffer.from('c'))
    await hub.send(id, hub.request(1, 'greet', { name: 'Ada' }))
    expect((await hub.next('response')).outcome).toBe('result')
  })

  test('a hub that dies and comes back finds the worker by itself; calls of before are aborted and not answered', async () => {
    const id = await signIn()
    await hub.send(id, hub.request(1, 'wait'))
    await hub.send(id, hub.request(2, 'greet', { name: 'Ada' }))
    await hub.next('response')
    await hub[Symbol.asyncDispose]()
    const diedAt = Date.now()
    while (running?.state === 'ready') await new Promise((resolve) => setTimeout(resolve, 5))
    expect(Date.now() - diedAt, 'noticed before any heartbeat is missed').toBeLessThan(900)
    hub = await HandHub.bind(endpoint.url, 'handhub002')
    const { from } = await hub.next('hello')
    expect(from).toBe(id)
    await hub.send(id, { type: 'challenge', version: 1, nonce: new Uint8Array(32), epoch: 'handhub002' })
    expect(await hub.next('ready')).toMatchObject({ workerEpoch: 2, held: [] })
    const body = Buffer.from('{"refused":[]}')
    await hub.send(id, { type: 'welcome', epoch: 'handhub002', now: Date.now(), trusted: true, body })
    await hub.send(id, hub.request(1, 'greet', { name: 'Bob' }))
    expect(await hub.next('response')).toMatchObject({ id: 'handhub002-1', outcome: 'result' })
  })

  test('a worker that starts before its hub signs in when it comes', async () => {
    await hub[Symbol.asyncDispose]()
    const starting = greeter().start({ endpoint: endpoint.url, logLevel: 'silent' })
    await new Promise((resolve) => setTimeout(resolve, 150))
    hub = await HandHub.bind(endpoint.url)
    await hub.signIn()
    running = await starting
  })

  test('a drain finishes what is held, says BYE and waits for the BYE of the hub', async () => {
    const id = await signIn()
    await hub.send(id, hub.request(1, 'wait'))
    await vi.waitFor(() => expect(waiting).toBe(1))
    const closed = running!.stop()
    const { drainMs, epoch } = await hub.next('drain')
    expect(drainMs).toBe(2_000)
    await hub.send(id, { type: 'drain', epoch, drainMs, acknowledged: true })
    await hub.send(id, hub.request(2, 'greet', { name: 'late' }))
    expect(await hub.next('response')).toMatchObject({ id: 'handhub001-2', outcome: 'not_started', reason: 'draining' })
    await hub.send(id, { type: 'cancel', id: 'handhub001-1', reason: 'cancelled' })
    expect(await hub.next('response')).toMatchObject({ id: 'handhub001-1', isError: true })
    await hub.next('bye')
    expect(running?.state).toBe('draining')
    await hub.send(id, { type: 'bye', epoch })
    await closed
    expect(running?.state).toBe('closed')
    await running?.closed
  })

  test('a refusal for good rejects start() and closed', async () => {
    const starting = greeter().start({ endpoint: endpoint.url, logLevel: 'silent' })
    const { from } = await hub.next('hello')
    await hub.send(from, { type: 'reject', code: 'service_conflict', message: 'one is enough' })
    await expect(starting).rejects.toThrow('The hub refused the worker "greeter": one is enough (service_conflict)')
  })

  test('aborting the signal of run() ends it', async () => {
    const stop = new AbortController()
    const ended = greeter().run({ endpoint: endpoint.url, logLevel: 'silent', signal: stop.signal })
    const id = await hub.signIn()
    stop.abort()
    const { epoch } = await hub.next('drain')
    await hub.send(id, { type: 'drain', epoch, drainMs: 0, acknowledged: true })
    await hub.next('bye')
    await hub.send(id, { type: 'bye', epoch })
    await ended
  })

  test('a full socket delays messages, keeps their order and loses none', async () => {
    await hub[Symbol.asyncDispose]()
    const router = new Router({ receiveHighWaterMark: 1, linger: 0 })
    await router.bind(endpoint.url)
    const faults: string[] = []
    const link = new DealerLink({ endpoint: endpoint.url, routingId: 'w', onFault: (message) => faults.push(message) })
    await new Promise<void>((linkUp) => link.open({ linkUp, linkLost: () => {}, received: () => {} }))
    // A turn of the loop each, so that none shares a batch until the queues are full; nobody reads yet.
    const count = highWaterMark * 3
    for (let n = 0; n < count; n++) {
      link.send({ type: 'response', id: `handhub001-${n}`, outcome: 'result', body: new Uint8Array(1_000) })
      await nextTurn()
    }
    const ids: string[] = []
    while (ids.length < count) {
      const [, ...frames] = await router.receive()
      for (const message of decodeMessages(frames).messages) if ('id' in message) ids.push(message.id ?? '')
    }
    expect(ids).toEqual(Array.from({ length: count }, (_, n) => `handhub001-${n}`))
    expect(faults).toEqual([])
    await link.close()
    router.close()
  })

  test('a worker comes back after a frame that is too large, for which libzmq ends the connection for good', async () => {
    const id = await signIn()
    await hub.next('heartbeat')
    await hub.sendRaw(id, Buffer.alloc(1), Buffer.alloc(frameBytesMax + 1))
    expect((await hub.next('hello')).from).toBe(id)
    const epoch = hub.epoch
    await hub.send(id, { type: 'challenge', version: 1, nonce: new Uint8Array(32).fill(2), epoch })
    expect(await hub.next('ready')).toMatchObject({ workerEpoch: 2 })
    const body = Buffer.from('{"refused":[]}')
    await hub.send(id, { type: 'welcome', epoch, now: Date.now(), trusted: true, body })
    await hub.send(id, hub.request(1, 'greet', { name: 'Ada' }))
    expect(await hub.next('response')).toMatchObject({ id: 'handhub001-1', outcome: 'result' })
  })

  test('a link that stays lost gets a new socket each period, one at a time, without what waited for the old one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const notices: string[] = []
      let wake = () => {}
      const notice = (what: string) => {
        notices.push(what)
        wake()
      }
      const noticed = async (count: number) => {
        while (notices.length < count) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
      const link = new DealerLink({ endpoint: endpoint.url, routingId: 'w', onFault: notice })
      link.open({ linkUp: () => notice('up'), linkLost: () => notice('lost'), received: () => {} })
      await noticed(1)
      expect(vi.getTimerCount(), 'nothing is due while the link is up').toBe(0)
      link.send({ type: 'bye', epoch: hub.epoch })
      await hub.next('bye')
      await hub[Symbol.asyncDispose]()
      await noticed(2)
      link.send({ type: 'event', kind: 'resource_updated', epoch: hub.epoch, uri: 'file:///old' })
      for (let period = 0; period < 5; period++) {
        await nextTurn()
        vi.advanceTimersByTime(socketRenewMs)
      }
      expect(notices).toEqual(['up', 'lost'])
      hub = await HandHub.bind(endpoint.url)
      await noticed(3)
      expect(vi.getTimerCount()).toBe(0)
      link.send({ type: 'bye', epoch: hub.epoch })
      expect((await hub.next('bye')).from).toBe('w')
      expect(hub.batches, 'nothing of before').toEqual([1])
      // Sockets that were given up end on libzmq's own thread, and may come by once more before.
      while (hub.connections !== 1) await nextTurn()
      await hub.sendRaw('w', Buffer.alloc(frameBytesMax + 1))
      await noticed(4)
      expect(vi.getTimerCount()).toBe(1)
      await link.close()
      expect(vi.getTimerCount(), 'no renewal after close').toBe(0)
      expect(notices).toEqual(['up', 'lost', 'up', 'lost'])
    } finally {
      vi.useRealTimers()
    }
  })

  test('start() is refused for an endpoint that is none', async () => {
    await expect(greeter().start({ endpoint: 'http://x' })).rejects.toThrow(/must start with ipc:/)
  })
})
