import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { defineWorker } from '@callboard/worker'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createHubLog, parseHubConfig, type RunningHub, startHub } from '../src/index.js'
import { body, head, RawWorker } from './raw-worker.js'
import { SocketAgent } from './socket-agent.js'
import { temporaryDirectory } from './temporary.js'

const log = createHubLog('silent', process.stderr)

async function directories() {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  return { runtime, data }
}

/** A hub, and beside whatever happens a worker `canary` that must go on serving. */
async function running() {
  const { runtime, data } = await directories()
  const environment = { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: 'off' }
  const hub = await startHub({ config: parseHubConfig({ environment }), version: '0.0.0', log, expects: [] })
  onTestFinished(() => hub.stop())
  const canary = (await new RawWorker(hub.workerEndpoint, 'canary').signIn()).answerAll()
  const agent = await SocketAgent.attach(hub.mcpSocketPath)
  const others = async () => expect(await agent.call('canary')).toBe('canary')
  return { hub, canary, agent, others, worker: (service?: string) => new RawWorker(hub.workerEndpoint, service) }
}

const counter = (hub: RunningHub, name: string): number => hub.snapshot().counters[name] ?? 0
const services = (hub: RunningHub): string[] =>
  hub
    .snapshot()
    .workers.map(({ service }) => service)
    .sort()

describe('a worker of hand-made frames', () => {
  it('signs in, is called, drains and leaves', async () => {
    const { hub, agent, worker } = await running()
    const raw = await worker().signIn()
    expect(await agent.tools()).toEqual(['canary', 'raw'])
    const called = agent.call('raw')
    const request = await raw.next('request')
    expect(request).toMatchObject({ method: 'tools/call', name: 'raw', caller: { principal: 'agent:main', depth: 0 } })
    expect(JSON.parse(request['text'] as string)).toEqual({ name: 'raw', arguments: {} })

    await raw.send(head({ type: 'drain', epoch: raw.epoch, drainMs: 5_000, acknowledged: false }))
    expect(await raw.next('drain')).toMatchObject({ acknowledged: true })
    await raw.respond(request['id'])
    expect(await called).toBe('raw')
    await raw.send(head({ type: 'bye', epoch: raw.epoch }))
    await raw.next('bye')
    expect(services(hub)).toEqual(['canary'])
    expect(await agent.tools()).toEqual(['canary', 'raw'])
  })

  it('may send several messages in one frame [CB-9]', async () => {
    const { agent, worker } = await running()
    const raw = await worker().signIn()
    const calls = [agent.call('raw'), agent.call('raw')]
    const requests = [await raw.next('request'), await raw.next('request')]
    const results = requests.map((_, index) => body({ content: [{ type: 'text', text: `answer ${index}` }] }))
    const heads = requests.map(({ id }, index) => ({
      type: 'response',
      id,
      outcome: 'result',
      bytes: results[index]!.length,
    }))
    await raw.send(head(heads), Buffer.concat(results))
    expect(await Promise.all(calls)).toEqual(['answer 0', 'answer 1'])
  })
})

describe('a result that would forge a message [CB-89]', () => {
  const good = '{"content":[{"type":"text","text":"mine"}]}'
  it.each([
    ['a second line', `${good}\n{"jsonrpc":"2.0","id":1,"result":{}}`],
    ['a second value', `${good}${good}`],
    ['an extra brace', `${good}},"id":7,"x":{`],
    ['no JSON', 'hello'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['nothing', ''],
  ])('is an internal error to the agent that called, and nothing to others: %s', async (_, bytes) => {
    const { agent, worker, others } = await running()
    const raw = await worker().signIn()
    const called = agent.call('raw')
    const { id } = await raw.next('request')
    await raw.send(head({ type: 'response', id, outcome: 'result' }), Buffer.from(bytes as string))
    expect(JSON.stringify(await called)).toContain('internal')
    await others()
  })
})

describe('whatever a peer sends, the others are served', () => {
  interface Vector {
    readonly name: string
    readonly frames: readonly (string | readonly (string | { readonly repeat: string; readonly times: number })[])[]
    readonly fault?: string
    readonly faults?: readonly string[]
  }
  const folder = new URL('../../../protocol/vectors/invalid/', import.meta.url)
  const vectors = readdirSync(folder).map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Vector)
  const framesOf = ({ frames }: Vector): Buffer[] =>
    frames.map((frame) =>
      Buffer.concat(
        [frame]
          .flat()
          .map((part) =>
            typeof part === 'string'
              ? Buffer.from(part, 'hex')
              : Buffer.alloc(part.times * (part.repeat.length / 2), part.repeat, 'hex'),
          ),
      ),
    )
  const faultsOf = ({ fault, faults = fault === undefined ? [] : [fault] }: Vector): readonly string[] => faults

  // A socket can't send no frame at all; one empty frame is a connect notice; a frame beyond the limit is ZeroMQ's affair.
  const isSent = (frames: readonly Buffer[]) =>
    frames.length > 0 &&
    !(frames.length === 1 && frames[0]!.length === 0) &&
    frames.every(({ length }) => length <= 4 * 1024 * 1024)
  const sent = vectors.map((vector) => ({ vector, frames: framesOf(vector) })).filter(({ frames }) => isSent(frames))

  it('there are vectors', () => {
    expect(sent.length).toBeGreaterThan(100)
    expect(vectors.length - sent.length).toBeLessThan(6)
  })

  it('every invalid vector before sign-in is counted, and the peer sent back to HELLO [CB-8] [CB-82]', async () => {
    const { hub, others, worker } = await running()
    for (const { vector, frames } of sent) {
      const before = hub.snapshot().counters
      const raw = worker()
      await raw.send(...frames)
      expect(await raw.next('reject'), vector.name).toMatchObject({ code: 'unknown_peer' })
      await raw.hello()
      expectCounted(hub, before, vector.name, faultsOf(vector))
      raw.close()
    }
    await others()
    expect(services(hub)).toEqual(['canary'])
  })

  it('every invalid vector after sign-in is counted, and nothing else happens [CB-8]', async () => {
    const { hub, agent, others, worker } = await running()
    const raw = (await worker().signIn()).answerAll()
    for (const { vector, frames } of sent) {
      const before = hub.snapshot().counters
      await raw.send(...frames)
      await raw.roundTrip()
      expectCounted(hub, before, vector.name, faultsOf(vector))
    }
    expect(await agent.call('raw')).toBe('raw')
    await others()
  })

  function expectCounted(
    hub: RunningHub,
    before: Readonly<Record<string, number>>,
    name: string,
    faults: readonly string[],
  ) {
    const expected: Record<string, number> = {}
    for (const code of faults) {
      const key = `frames_faulty.${code}`
      expected[key] = (expected[key] ?? before[key] ?? 0) + 1
    }
    expect(hub.snapshot().counters, name).toMatchObject(expected)
  }

  it.each([
    ['head', [Buffer.alloc(4 * 1024 * 1024 + 1)]],
    ['body', [head({ type: 'progress', id: 'x' }), Buffer.alloc(4 * 1024 * 1024 + 1)]],
  ])('a %s beyond the limit costs the peer its connection, and its calls [CB-4]', async (_, frames) => {
    const { hub, agent, others, worker } = await running()
    const raw = await worker().signIn()
    const lost = agent.call('raw')
    await raw.next('request')
    const back = raw.reconnected()
    await raw.send(...frames)
    expect(await lost).toBe('outcome_unknown')
    expect(services(hub)).toEqual(['canary'])
    await others()
    await back
    ;(await raw.signIn()).answerAll()
    expect(await agent.call('raw')).toBe('raw')
  })

  it('a body of just the limit arrives [CB-4]', async () => {
    const { agent, worker } = await running()
    const raw = await worker().signIn()
    const called = agent.call('raw')
    const { id } = await raw.next('request')
    const frame = '{"content":[{"type":"text","text":""}]}'
    const text = 'x'.repeat(4 * 1024 * 1024 - frame.length)
    await raw.respond(id, { content: [{ type: 'text', text }] })
    expect(await called).toBe(text)
  })

  it('a version that the hub does not speak is refused [CB-12]', async () => {
    const { others, worker } = await running()
    const raw = worker()
    await raw.send(head({ type: 'hello', versions: [7, 9] }))
    expect(await raw.next('reject')).toMatchObject({ code: 'unsupported_version' })
    await others()
  })

  it('a READY that nobody can read ends the attempt [CB-82]', async () => {
    const { hub, others, worker } = await running()
    const raw = worker()
    await raw.hello()
    await raw.ready({ service: 7, concurrency: 'many' })
    const reject = await raw.next('reject')
    expect(reject).toMatchObject({ code: 'protocol_error' })
    expect(reject).not.toHaveProperty('retryAfterMs')
    expect(counter(hub, 'frames_faulty.field_invalid')).toBe(1)
    await others()
  })

  it('definitions nested deep enough to exhaust a stack are refused [CB-20]', async () => {
    const { others, worker } = await running()
    const raw = worker()
    await raw.hello()
    const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    await raw.ready({}, JSON.parse('{}'))
    await raw.next('welcome')
    await raw.hello()
    const definitions = Buffer.from(`{"tools":[{"name":"deep","inputSchema":{"type":"object","x":${nested}}}]}`)
    const ready = { service: 'raw', version: '1', instance: 'i', workerEpoch: 9, concurrency: 1, heartbeatMs: 1_000 }
    const rest = { type: 'ready', epoch: raw.epoch, replicas: 'many', affinity: 'none', held: [] }
    await raw.send(head({ ...rest, ...ready }), definitions)
    expect(await raw.next('reject')).toMatchObject({ code: 'invalid_definitions' })
    await others()
  })

  it('an instance that is signed in is refused a second time [CB-15]', async () => {
    const { hub, agent, others, worker } = await running()
    const first = (await worker().signIn()).answerAll()
    const twin = worker()
    await twin.hello()
    await twin.ready({ instance: first.instance })
    expect(await twin.next('reject')).toMatchObject({ code: 'duplicate_instance' })
    expect(counter(hub, 'sign_in_refused.duplicate_instance')).toBe(1)
    expect(await agent.call('raw')).toBe('raw')
    await others()
  })

  it('a second connection under a routing id voids what the first one proved [CB-73] [CB-87]', async () => {
    const { hub, agent, others, worker } = await running()
    const first = await worker().signIn()
    const lost = agent.call('raw')
    const { id } = await first.next('request')
    const second = new RawWorker(hub.workerEndpoint, 'raw', { routingId: first.routingId })
    expect(await lost).toBe('outcome_unknown')
    await second.respond(id)
    expect(await second.next('reject')).toMatchObject({ code: 'unknown_peer' })
    ;(await second.signIn()).answerAll()
    expect(await agent.call('raw')).toBe('raw')
    await others()
  })

  it('answers to calls that it does not hold are dropped and counted [CB-43]', async () => {
    const { hub, agent, canary, worker } = await running()
    const holder = await worker('holder').signIn()
    const called = agent.call('holder')
    const { id } = await holder.next('request')
    const forger = await worker('forger').signIn()
    for (const forged of [id, `${canary.epoch}-zzz`, 'nonsense']) await forger.respond(forged, { forged: true })
    await forger.roundTrip()
    expect(counter(hub, 'frames_dropped.unknown_call')).toBe(3)
    await holder.respond(id)
    expect(await called).toBe('holder')
  })

  it('messages of a foreign epoch are dropped and counted [CB-83]', async () => {
    const { hub, agent, others, worker } = await running()
    const raw = (await worker().signIn()).answerAll()
    await raw.send(head({ type: 'bye', epoch: '0123456789abcdef' }))
    await raw.send(head({ type: 'update', epoch: '0123456789abcdef' }), body({}))
    await raw.roundTrip()
    expect(counter(hub, 'frames_dropped.foreign_epoch')).toBe(2)
    expect(await agent.call('raw')).toBe('raw')
    await others()
  })

  it('what only a hub may say is counted as a fault [CB-83]', async () => {
    const { hub, agent, others, worker } = await running()
    const raw = (await worker().signIn()).answerAll()
    await raw.send(head({ type: 'welcome', epoch: raw.epoch, now: 0, trusted: true }), body({ refused: [] }))
    await raw.send(head({ type: 'roots_changed', session: 'x' }))
    await raw.roundTrip()
    expect(counter(hub, 'frames_faulty.type_unknown')).toBe(2)
    expect(await agent.call('raw')).toBe('raw')
    await others()
  })

  it.each([
    ['an empty frame, which looks like a connection', ['']],
    ['a forged notice of a lost connection', [Buffer.from('\xc1callboard: disconnected', 'latin1')]],
  ])('%s harms its sender only', async (_, frames) => {
    const { hub, agent, others, worker } = await running()
    const raw = await worker().signIn()
    const lost = agent.call('raw')
    await raw.next('request')
    await raw.send(...frames)
    expect(await lost).toBe('outcome_unknown')
    expect(services(hub)).toEqual(['canary'])
    await others()
    ;(await raw.signIn()).answerAll()
    expect(await agent.call('raw')).toBe('raw')
  })

  it('10,000 frames of garbage, before and after sign-in [CB-8]', async () => {
    const { hub, agent, others, worker } = await running()
    const stranger = worker()
    const raw = (await worker().signIn()).answerAll()
    for (let index = 0; index < 10_000; index++) {
      const garbage = Buffer.from(Array.from({ length: 1 + (index % 40) }, (_, at) => (index * 31 + at * 97) % 256))
      // A full socket is this peer's own business, and garbage is not worth waiting for.
      await raw.send(...(index % 3 === 0 ? [garbage, garbage] : [garbage])).catch(() => undefined)
      if (index % 10 === 0) await stranger.send(garbage).catch(() => undefined)
      if (index % 1_000 === 0) await others()
    }
    await raw.roundTrip()
    const faults = Object.entries(hub.snapshot().counters).filter(([name]) => name.startsWith('frames_faulty.'))
    expect(faults.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(5_000)
    expect(await agent.call('raw')).toBe('raw')
    await others()
    expect(services(hub)).toEqual(['canary', 'raw'])
  })
})

const processFile = (name: string) => fileURLToPath(new URL(`processes/${name}`, import.meta.url))

function child(name: string, ...args: string[]): ChildProcess {
  const started = fork(processFile(name), args)
  onTestFinished(() => void started.kill('SIGKILL'))
  return started
}

const said = async (speaker: ChildProcess, wanted: string): Promise<void> => {
  for await (const [message] of on(speaker, 'message', { signal: AbortSignal.timeout(10_000) }))
    if (message === wanted) return
}

async function fileIn(directory: string, name: string): Promise<void> {
  const signal = AbortSignal.timeout(10_000)
  for await (const { filename } of watch(directory, { signal })) if (filename === name) return
}

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1]!
const inMs = (values: readonly number[]): string =>
  `median ${median(values).toFixed(1)} ms, least ${Math.min(...values).toFixed(1)}, most ${Math.max(...values).toFixed(1)}, of ${values.length}`

describe('SIGKILL', () => {
  it('of a worker in a call: the agent has outcome_unknown at once, and the tool stays', async () => {
    const { hub, agent, others } = await running()
    const took: number[] = []
    for (let count = 0; count < 20; count++) {
      const doomed = child('doomed-worker.mjs', hub.workerEndpoint)
      await said(doomed, 'welcome')
      const called = agent.call('greet')
      await said(doomed, 'request')
      const killedAt = performance.now()
      doomed.kill('SIGKILL')
      expect(await called).toBe('outcome_unknown')
      took.push(performance.now() - killedAt)
      expect(await agent.tools()).toEqual(['canary', 'greet'])
      await others()
    }
    process.stdout.write(`outcome_unknown after SIGKILL of a worker: ${inMs(took)}\n`)
    expect(median(took)).toBeLessThan(1_000)
    const next = new RawWorker(hub.workerEndpoint, 'greeter')
    await next.hello()
    await next.ready({}, { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] })
    await next.next('welcome')
    next.answerAll()
    expect(await agent.call('greet')).toBe('greeter')
  }, 60_000)

  it('of the hub: a worker of the SDK signs in again by itself, and the tools are listed at once', async () => {
    const { runtime, data } = await directories()
    const took: number[] = []
    let hub = child('hub.mjs', runtime, data)
    await said(hub, 'hub is up')
    const worker = defineWorker({ service: 'greeter', version: '1.0.0' })
    worker.tool('greet', { description: 'Greets.', input: z.object({}) }, () => 'hello')
    const kept = fileIn(data, 'catalogue.json')
    await using _running = await worker.start({ endpoint: `ipc://${runtime}/worker.sock`, logLevel: 'silent' })
    await kept
    for (let count = 0; count < 5; count++) {
      hub.kill('SIGKILL')
      await once(hub, 'exit')
      hub = child('hub.mjs', runtime, data)
      const joined = said(hub, 'worker joined')
      await said(hub, 'hub is up')
      const upAt = performance.now()
      const agent = await SocketAgent.attach(`${runtime}/mcp.sock`)
      expect(await agent.tools()).toEqual(['greet'])
      await joined
      took.push(performance.now() - upAt)
      expect(await agent.call('greet')).toBe('hello')
    }
    process.stdout.write(`signed in again after the hub was up again: ${inMs(took)}\n`)
    expect(median(took)).toBeLessThan(2_000)
  }, 60_000)
})
