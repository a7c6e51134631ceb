import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeMessages, encodeBatch, type FromHub, type Message, type Request } from '@callboard/protocol'
import { Router } from 'zeromq'
import { encodeJson } from '../src/json-body.js'

/** A bare ROUTER that plays the hub by hand: it says nothing that the test doesn't say, but echoes heartbeats. */
export class HandHub implements AsyncDisposable {
  readonly endpoint: string
  readonly epoch: string
  /** How many messages each received ZeroMQ message held. */
  readonly batches: number[] = []
  /** Open now. */
  connections = 0
  readonly #router = new Router({ mandatory: true, handover: true, sendTimeout: 0, linger: 0 })
  readonly #received: { readonly from: string; readonly message: Message }[] = []
  #wake: (() => void) | undefined

  private constructor(endpoint: string, epoch: string) {
    this.endpoint = endpoint
    this.epoch = epoch
  }

  static async bind(endpoint: string, epoch = 'handhub001'): Promise<HandHub> {
    const hub = new HandHub(endpoint, epoch)
    hub.#router.events.on('accept', () => {
      hub.connections += 1
    })
    hub.#router.events.on('disconnect', () => {
      hub.connections -= 1
    })
    await hub.#router.bind(endpoint)
    void hub.#receive()
    return hub
  }

  /** The next message of a type; all before it are dropped. */
  async next<Type extends Message['type']>(
    type: Type,
  ): Promise<Extract<Message, { type: Type }> & { readonly from: string }> {
    for (;;) {
      const found = this.#received.shift()
      if (found?.message.type === type)
        return { ...(found.message as Extract<Message, { type: Type }>), from: found.from }
      if (found === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }

  async send(to: string, ...messages: FromHub[]): Promise<void> {
    await this.#router.send([to, ...encodeBatch(messages)])
  }

  async sendRaw(to: string, ...frames: Uint8Array[]): Promise<void> {
    await this.#router.send([to, ...frames])
  }

  /** Signs the next worker in and returns its routing id. */
  async signIn(): Promise<string> {
    const { from } = await this.next('hello')
    await this.send(from, { type: 'challenge', version: 1, nonce: new Uint8Array(32).fill(1), epoch: this.epoch })
    await this.next('ready')
    const body = encodeJson({ refused: [] })
    await this.send(from, { type: 'welcome', epoch: this.epoch, now: Date.now(), trusted: true, body })
    return from
  }

  request(serial: number, name: string, args: object = {}): Request {
    const id = `${this.epoch}-${serial}`
    return {
      type: 'request',
      id,
      method: 'tools/call',
      name,
      deadline: Date.now() + 30_000,
      idempotencyKey: id,
      caller: { session: 's', principal: 'agent:main', roles: ['agent'], depth: 0 },
      client: { generation: 'modern', input: [], progress: true },
      body: encodeJson({ name, arguments: args }),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#router.closed) this.#router.close()
  }

  async #receive(): Promise<void> {
    for await (const [id, ...frames] of this.#router) {
      const from = id!.toString()
      const { messages, faults } = decodeMessages(frames)
      if (faults.length > 0) throw new Error(faults[0]!.message)
      this.batches.push(messages.length)
      for (const message of messages) {
        if (message.type === 'heartbeat') {
          const { serial, sentAt } = message
          // The test may close the hub while a heartbeat is being read.
          if (this.#router.closed) return
          await this.send(from, { type: 'heartbeat_echo', serial, sentAt, now: Date.now() })
        }
        this.#received.push({ from, message })
      }
      this.#wake?.()
    }
  }
}

export interface Endpoint extends AsyncDisposable {
  readonly url: string
}

export async function temporaryEndpoint(): Promise<Endpoint> {
  const directory = await mkdtemp(join(tmpdir(), 'callboard-worker-'))
  return {
    url: `ipc://${join(directory, 'worker.sock')}`,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  }
}
