import { randomBytes } from 'node:crypto'
import { appendFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { keyProof, sharedSecret } from '@callboard/protocol'
import { defineWorker, type RunningWorker } from '@callboard/worker'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { curveKeyPair } from 'zeromq'
import { z } from 'zod'
import { parseHubConfig } from '../../src/config.js'
import { type RunningHub, startHub } from '../../src/hub.js'
import { readPublicKey } from '../../src/keys/key-files.js'
import { head, RawWorker } from '../raw-worker.js'
import { temporaryDirectory } from '../temporary.js'

interface Line {
  readonly message: string
  readonly [key: string]: unknown
}

let hub: RunningHub
let data: string
let endpoint: string
let hubKey: string
let lines: Line[]

beforeEach(async () => {
  data = await temporaryDirectory()
  await writeFile(join(data, 'authorized-workers'), '# nobody yet\n', { mode: 0o600 })
  lines = []
  const note = (fields: object, message: string) => void lines.push({ ...fields, message })
  const config = parseHubConfig({
    environment: {
      CALLBOARD_RUNTIME: await temporaryDirectory(),
      CALLBOARD_DATA: data,
      CALLBOARD_HTTP: 'off',
      CALLBOARD_LISTEN: 'tcp://127.0.0.1:*',
    },
  })
  const log = { debug: note, info: note, warn: note, error: note } as never
  hub = await startHub({ config, version: '1.0.0', log, expects: [] })
  onTestFinished(() => hub.stop())
  endpoint = hub.keyedEndpoints[0]!
  hubKey = await readPublicKey(join(data, 'hub.key'))
})

type Pair = ReturnType<typeof curveKeyPair>

const authorize = (name: string, { publicKey }: Pair, more = '') =>
  appendFile(join(data, 'authorized-workers'), `${name} ${publicKey} ${more}\n`)

const revokeAll = () => writeFile(join(data, 'authorized-workers'), '', { mode: 0o600 })

async function start(service: string, pair: Pair, tools: readonly string[] = [service]): Promise<RunningWorker> {
  const worker = defineWorker({ service, version: '1.0.0' })
  for (const tool of tools) worker.tool(tool, { description: 'x', input: z.object({}) }, () => 'done')
  const running = await worker.start({ endpoint, keys: { ...pair, hubKey }, logLevel: 'silent' })
  onTestFinished(() => running.stop())
  return running
}

const workers = () => hub.snapshot().workers
const count = (name: string) => hub.snapshot().counters[name] ?? 0

/** Through the handshake by its key; what it says then is the test's. */
function intruder(pair: Pair, service: string, routingId?: string): RawWorker {
  const keys = { curveServerKey: hubKey, curvePublicKey: pair.publicKey, curveSecretKey: pair.secretKey }
  return new RawWorker(endpoint, service, { ...(routingId === undefined ? {} : { routingId }), socket: keys })
}

function proofOf(worker: RawWorker, pair: Pair, nonce: unknown, service = worker.service): object {
  const shared = sharedSecret(pair.secretKey, hubKey)!
  const { routingId, instance, epoch } = worker
  const proof = keyProof(shared, { nonce: nonce as Uint8Array, epoch, routingId, service, instance })
  return { key: pair.publicKey, proof: Buffer.from(proof) }
}

describe('a worker with an authorized key', () => {
  it('signs in over tcp, without trust, and is known by the name of its key [CB-105]', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair)
    await start('greeter', pair)
    expect(workers()).toMatchObject([{ service: 'greeter', key: 'greeter', trusted: false, state: 'ready' }])
  })

  it('is trusted where its line says so, and may then hold a reserved name', async () => {
    const pair = curveKeyPair()
    await authorize('remote-forum', pair, 'services=forum trusted')
    await start('forum', pair)
    expect(workers()).toMatchObject([{ service: 'forum', key: 'remote-forum', trusted: true }])
  })

  it('offers what its patterns allow; the rest is refused one by one [CB-107]', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair, 'tools=greet-*')
    const { refused } = await start('greeter', pair, ['greet-all', 'format-disk'])
    expect(refused).toMatchObject([{ name: 'format-disk', message: expect.stringContaining('key of greeter') }])
    expect(hub.snapshot().services[0]?.tools).toEqual(['greet-all'])
  })

  it('is cut off when its key is revoked, and comes back when it is authorized again [CB-108]', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair)
    const running = await start('greeter', pair)
    await revokeAll()
    await vi.waitFor(() => expect(workers()).toEqual([]), 3_000)
    expect(lines).toContainEqual(expect.objectContaining({ message: 'worker was lost', reason: 'key_revoked' }))
    await authorize('greeter', pair)
    await vi.waitFor(() => expect(running.state).toBe('ready'), 9_000)
  }, 15_000)

  it('is cut off when its key expires', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair, `expires=${new Date(Date.now() + 1_500).toISOString()}`)
    await start('greeter', pair)
    await vi.waitFor(() => expect(workers()).toEqual([]), 4_000)
  })

  it('stays when another line is added', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair)
    const running = await start('greeter', pair)
    const other = curveKeyPair()
    await authorize('other', other)
    await start('other', other)
    expect(running.state).toBe('ready')
    expect(workers()).toHaveLength(2)
  })
})

describe('whoever is not let in', () => {
  it('an unknown key does not get through the handshake, and is counted and told once', async () => {
    for (let each = 0; each < 3; each++) intruder(curveKeyPair(), 'greeter')
    await vi.waitFor(() => expect(count('handshakes_refused.unknown_key')).toBe(3))
    expect(lines.filter(({ reason }) => reason === 'unknown_key')).toHaveLength(1)
  })

  it('no key: nothing is said to it', async () => {
    const stranger = new RawWorker(endpoint)
    await vi.waitFor(() => expect(count('handshakes_refused.broken_off')).toBeGreaterThan(0))
    expect(stranger.received).toEqual([])
  })

  it('another hub key than this hub has is counted', async () => {
    const keys = { ...curveKeyPair(), curveServerKey: curveKeyPair().publicKey }
    new RawWorker(endpoint, 'greeter', {
      socket: { curveServerKey: keys.curveServerKey, curvePublicKey: keys.publicKey, curveSecretKey: keys.secretKey },
    })
    await vi.waitFor(() => expect(count('handshakes_refused.wrong_hub_key')).toBeGreaterThan(0))
  })

  it('who connects and says nothing is dropped after a while', async () => {
    const socket = connect(Number(/\d+$/.exec(endpoint)![0]), '127.0.0.1').resume()
    await new Promise((resolve) => socket.on('close', resolve))
    expect(count('handshakes_refused.too_slow')).toBe(1)
  }, 8_000)

  it('a READY without a key, or by the sign-in secret alone: key_required [CB-106]', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair)
    const worker = intruder(pair, 'greeter')
    await worker.hello()
    await worker.ready({ proof: randomBytes(32) })
    expect(await worker.next('reject')).toMatchObject({ code: 'key_required' })
  })

  it.each([
    ["another key's name", (_: Pair, other: Pair) => ({ key: other.publicKey })],
    ['a proof for another service', (own: Pair) => ({ key: own.publicKey, wrong: true })],
  ])('%s: bad_proof [CB-105]', async (_, change) => {
    const [own, other] = [curveKeyPair(), curveKeyPair()]
    await authorize('greeter', own)
    await authorize('victim', other, 'services=greeter,victim')
    const worker = intruder(own, 'greeter')
    const { nonce } = await worker.hello()
    const { key, wrong } = { wrong: false, ...change(own, other) }
    await worker.ready({ ...proofOf(worker, own, nonce, wrong ? 'victim' : 'greeter'), key })
    expect(await worker.next('reject')).toMatchObject({ code: 'bad_proof' })
  })

  it('a READY that was heard on another connection: bad_proof', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair)
    const first = intruder(pair, 'greeter', 'greeter/one')
    const proof = proofOf(first, pair, (await first.hello())['nonce'])
    await first.ready(proof)
    await first.next('welcome')
    const second = intruder(pair, 'greeter', 'greeter/two')
    await second.hello()
    await second.ready({ ...proof, instance: first.instance })
    expect(await second.next('reject')).toMatchObject({ code: 'bad_proof' })
    expect(workers()).toHaveLength(1)
  })

  it('a service that the key does not list: not_authorized, and asked again later', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair)
    const worker = intruder(pair, 'kernel')
    const { nonce } = await worker.hello()
    await worker.ready(proofOf(worker, pair, nonce))
    expect(await worker.next('reject')).toMatchObject({ code: 'not_authorized', retryAfterMs: 5_000 })
    expect(lines).toContainEqual(expect.objectContaining({ message: 'sign-in refused', key: 'greeter' }))
  })

  it('a revoked key is refused at HELLO over the connection that it still has, and at the next handshake [CB-108]', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair)
    const worker = intruder(pair, 'greeter')
    const { nonce } = await worker.hello()
    await worker.ready(proofOf(worker, pair, nonce))
    await worker.next('welcome')
    await revokeAll()
    expect(await worker.next('reject')).toMatchObject({ code: 'key_refused' })
    await worker.send(head({ type: 'hello', versions: [1, 1] }))
    expect(await worker.next('reject')).toMatchObject({ code: 'key_refused' })
    intruder(pair, 'greeter')
    await vi.waitFor(() => expect(count('handshakes_refused.unknown_key')).toBe(1))
  }, 15_000)

  it('a peer of the keyed socket can not pass for one of this machine by its routing id', async () => {
    const pair = curveKeyPair()
    await authorize('greeter', pair)
    const local = await new RawWorker(hub.workerEndpoint, 'raw', { routingId: 'raw/same' }).signIn()
    const worker = intruder(pair, 'raw', 'raw/same')
    await worker.hello()
    await worker.ready()
    expect(await worker.next('reject')).toMatchObject({ code: 'key_required' })
    await local.roundTrip()
    expect(workers()).toMatchObject([{ service: 'raw' }])
  })
})
