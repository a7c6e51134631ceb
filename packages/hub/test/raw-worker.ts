import { randomUUID } from 'node:crypto'
import { Packr } from 'msgpackr'
import { onTestFinished } from 'vitest'
import { Dealer, type SocketOptions } from 'zeromq'

// Not the codec of the product: what is wrong with that must not hide here.
const packr = new Packr({ useRecords: false })

/** A message as it came: the head's keys, and the body as text. */
export interface RawMessage {
  readonly type: string
  readonly [key: string]: unknown
}

export const head = (value: object): Buffer => packr.pack(value)
export const body = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const timeoutMs = 5_000

/** A bare DEALER with frames made by hand. */
export class RawWorker {
  readonly service: string
  readonly instance: string
  readonly routingId: string
  readonly #socket: Dealer
  readonly #received: RawMessage[] = []
  #wake: () => void = () => undefined
  #epoch = ''
  #workerEpoch = 0
  #serial = 0
  #answering = false

  constructor(
    endpoint: string,
    service = 'raw',
    { routingId = `${service}/${randomUUID()}`, instance = randomUUID(), socket = {} as SocketOptions<Dealer> } = {},
  ) {
    this.service = service
    this.routingId = routingId
    this.instance = instance
    this.#socket = new Dealer({ routingId, linger: 0, sendTimeout: 0, reconnectInterval: 20, ...socket })
    this.#socket.connect(endpoint)
    void this.#receive()
    onTestFinished(() => this.close())
  }

  get epoch(): string {
    return this.#epoch
  }

  close(): void {
    this.#socket.close()
  }

  /** Any frames at all. */
  async send(...frames: (Buffer | string)[]): Promise<void> {
    await this.#socket.send(frames as [Buffer, ...Buffer[]])
  }

  /** The next message of that type; those before it are skipped. */
  async next(type: string): Promise<RawMessage> {
    const expired = AbortSignal.timeout(timeoutMs)
    for (;;) {
      const index = this.#received.findIndex((message) => message.type === type)
      if (index >= 0) return this.#received.splice(0, index + 1).at(-1)!
      await this.#news(expired, type)
    }
  }

  /** What has come and was not skipped yet. */
  get received(): readonly string[] {
    return this.#received.map(({ type }) => type)
  }

  async hello(versions: unknown = [1, 1]): Promise<RawMessage> {
    await this.send(head({ type: 'hello', versions }))
    const challenge = await this.next('challenge')
    this.#epoch = challenge['epoch'] as string
    return challenge
  }

  ready(
    overrides: object = {},
    definitions: unknown = { tools: [{ name: this.service, inputSchema: { type: 'object' } }] },
  ) {
    const value = {
      type: 'ready',
      epoch: this.#epoch,
      service: this.service,
      version: '1.0.0',
      instance: this.instance,
      workerEpoch: ++this.#workerEpoch,
      concurrency: 4,
      heartbeatMs: 60_000,
      replicas: 'many',
      affinity: 'none',
      held: [],
      ...overrides,
    }
    return this.send(head(value), body(definitions))
  }

  async signIn(overrides: object = {}): Promise<this> {
    await this.hello()
    await this.ready(overrides)
    await this.next('welcome')
    return this
  }

  /** Answers every request from now on with its own service's name. */
  answerAll(): this {
    this.#answering = true
    return this
  }

  respond(id: unknown, value: unknown = { content: [{ type: 'text', text: this.service }] }): Promise<void> {
    return this.send(head({ type: 'response', id, outcome: 'result' }), body(value))
  }

  /** Everything sent before has been handled when this resolves. */
  async roundTrip(): Promise<void> {
    const serial = ++this.#serial
    await this.send(head({ type: 'heartbeat', epoch: this.#epoch, serial, sentAt: 0, load: 0 }))
    while ((await this.next('heartbeat_echo'))['serial'] !== serial);
  }

  /** Resolves when ZeroMQ has lost the connection and has another. */
  async reconnected(): Promise<void> {
    for (const event of ['disconnect', 'handshake'] as const) {
      await new Promise((resolve) => this.#socket.events.on(event, resolve))
    }
  }

  async #receive(): Promise<void> {
    for await (const [first, second] of this.#socket) {
      const heads = [packr.unpack(first!)].flat() as RawMessage[]
      let start = 0
      for (const each of heads) {
        const length = (each['bytes'] as number | undefined) ?? (heads.length === 1 ? second?.byteLength : 0) ?? 0
        this.#take({ ...each, text: second?.subarray(start, start + length).toString() })
        start += length
      }
    }
  }

  #take(message: RawMessage): void {
    if (this.#answering && message.type === 'request') {
      void this.respond(message['id'])
      return
    }
    this.#received.push(message)
    this.#wake()
  }

  #news(expired: AbortSignal, wanted: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wake = resolve
      const fail = () => reject(new Error(`no ${wanted} came; there is ${this.received.join(', ') || 'nothing'}`))
      if (expired.aborted) fail()
      expired.addEventListener('abort', fail, { once: true })
    })
  }
}
