import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { keyProof, sharedSecret } from '@callboard/protocol'
import { expect, onTestFinished, vi } from 'vitest'
import { curveKeyPair } from 'zeromq'
import { parseHubConfig, type RunningHub, startHub } from '../../../src/index.js'
import { readPublicKey } from '../../../src/keys/key-files.js'
import { RawWorker } from '../../raw-worker.js'
import { SocketAgent } from '../../socket-agent.js'
import { temporaryDirectory } from '../../temporary.js'

export type Pair = ReturnType<typeof curveKeyPair>

export interface LogLine {
  readonly message: string
  readonly [field: string]: unknown
}

/** A hub that workers reach by key, and the worker `canary` there, which must be served whatever else comes in. */
export class BesiegedHub {
  readonly hub: RunningHub
  readonly agent: SocketAgent
  readonly lines: readonly LogLine[]
  readonly #list: string
  readonly #hubKey: string

  private constructor(hub: RunningHub, agent: SocketAgent, lines: readonly LogLine[], list: string, hubKey: string) {
    this.hub = hub
    this.agent = agent
    this.lines = lines
    this.#list = list
    this.#hubKey = hubKey
  }

  static async start(): Promise<BesiegedHub> {
    const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
    const list = join(data, 'authorized-workers')
    await writeFile(list, '# who may come in\n', { mode: 0o600 })
    const environment = {
      CALLBOARD_RUNTIME: runtime,
      CALLBOARD_DATA: data,
      CALLBOARD_HTTP: 'off',
      CALLBOARD_LISTEN: 'tcp://127.0.0.1:*',
    }
    const lines: LogLine[] = []
    const note = (fields: object, message: string) => void lines.push({ ...fields, message })
    const log = { debug: note, info: note, warn: note, error: note } as never
    const hub = await startHub({ config: parseHubConfig({ environment }), version: '0.0.0', log, expects: [] })
    onTestFinished(() => hub.stop())
    const hubKey = await readPublicKey(join(data, 'hub.key'))
    const besieged = new BesiegedHub(hub, await SocketAgent.attach(hub.mcpSocketPath), lines, list, hubKey)
    ;(await besieged.signedIn('canary', await besieged.newKey('canary'))).answerAll()
    return besieged
  }

  /** A pair whose public half is in the list. */
  async newKey(name: string, more = ''): Promise<Pair> {
    const pair = curveKeyPair()
    await appendFile(this.#list, `${name} ${pair.publicKey} ${more}\n`)
    return pair
  }

  /** Takes its line out of the list. */
  async revoke(pair: Pair): Promise<void> {
    const kept = (await readFile(this.#list, 'utf8')).split('\n').filter((line) => !line.includes(pair.publicKey))
    await writeFile(this.#list, kept.join('\n'))
  }

  /** Connected by its key, and not signed in. */
  peer(service: string, { publicKey, secretKey }: Pair, routingId?: string): RawWorker {
    const socket = { curveServerKey: this.#hubKey, curvePublicKey: publicKey, curveSecretKey: secretKey }
    return new RawWorker(this.endpoint, service, { ...(routingId !== undefined && { routingId }), socket })
  }

  async signedIn(service: string, pair: Pair, routingId?: string): Promise<RawWorker> {
    const worker = this.peer(service, pair, routingId)
    await this.signIn(worker, pair)
    return worker
  }

  async signIn(worker: RawWorker, pair: Pair): Promise<void> {
    await worker.hello()
    await worker.ready(this.proof(worker, pair))
    await worker.next('welcome')
  }

  /** The fields of READY for what the hub has challenged this worker with. */
  proof(worker: RawWorker, pair: Pair, subject: { service?: string; routingId?: string } = {}): object {
    const { service, routingId, instance, epoch, nonce } = worker
    const shared = sharedSecret(pair.secretKey, this.#hubKey)!
    const proof = keyProof(shared, { nonce, epoch, routingId, service, instance, ...subject })
    return { key: pair.publicKey, proof: Buffer.from(proof) }
  }

  get endpoint(): string {
    return this.hub.keyedEndpoints[0]!
  }

  /** A connection that speaks whatever the test writes. */
  raw(): Promise<Socket> {
    const socket = connect(Number(/\d+$/.exec(this.endpoint)![0]), '127.0.0.1').resume()
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    return new Promise((resolve) => socket.once('connect', () => resolve(socket)))
  }

  count(name: string): number {
    return this.hub.snapshot().counters[name] ?? 0
  }

  counted(name: string, least = 1): Promise<void> {
    return vi.waitFor(() => expect(this.count(name), name).toBeGreaterThanOrEqual(least), 8_000)
  }

  services(): readonly string[] {
    return this.hub
      .snapshot()
      .workers.map(({ service }) => service)
      .sort()
  }

  async servesOthers(): Promise<void> {
    expect(await this.agent.call('canary')).toBe('canary')
  }
}
