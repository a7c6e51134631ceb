import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  ApiError,
  type FakeAccount,
  type FakeMedia,
  type FakeNotification,
  type FakeStatus,
  type FakeStatusOptions,
  MastodonInstance,
} from './mastodon-instance.js'
import { type Answered, type Asked, answer, type MastodonBehaviour, openPaths } from './mastodon-routes.js'

export type { FakeAccount, FakeStatus } from './mastodon-instance.js'

export interface MastodonServerOptions extends Partial<MastodonBehaviour> {
  /** Default: the system's. */
  readonly clock?: { now(): number }
  /** Of our account. */
  readonly username?: string
  readonly token?: string
  /** A server that never heard of `Idempotency-Key`: false. */
  readonly keepsKeys?: boolean
  /** Requests in 5 minutes. */
  readonly requestsMax?: number
}

/** What happens to a request instead of, or after, what it asked for. */
export type MastodonFault = {
  /** `POST /api/v1/statuses`; default: whatever comes next. */
  readonly on?: RegExp
  /** Default 1. */
  readonly times?: number
} & (
  | {
      readonly kind: 'status'
      readonly status: number
      readonly error?: string
      readonly headers?: Record<string, string>
    }
  /** Answers that, as it is; nothing else is done. */
  | {
      readonly kind: 'body'
      readonly body: string
      readonly status?: number
      readonly type?: string
      readonly headers?: Record<string, string>
    }
  | { readonly kind: 'too-many'; readonly resetInMs: number }
  /** Does what was asked, and cuts the connection instead of answering. */
  | { readonly kind: 'cut' }
  /** Cuts the connection without doing anything. */
  | { readonly kind: 'drop' }
  /** Does what was asked, and does not answer before {@link MastodonServer.release}. */
  | { readonly kind: 'hold' }
)

export interface SeenRequest extends Asked {
  /** `POST /api/v1/statuses`. */
  readonly call: string
}

export async function startMastodonServer(options: MastodonServerOptions = {}): Promise<MastodonServer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return new MastodonServer(server, options)
}

const windows = [
  { covers: /^(POST) \/api\/v\d\/media$/, max: 30, ms: 30 * 60_000 },
  { covers: /^DELETE \/api\/v1\/statuses\//, max: 30, ms: 30 * 60_000 },
]

/** A Mastodon server with one signed-in account, over real HTTP on the loopback. */
export class MastodonServer implements AsyncDisposable {
  readonly url: string
  readonly token: string
  readonly requests: SeenRequest[] = []
  readonly #server: ReturnType<typeof createServer>
  readonly #instance: MastodonInstance
  readonly #behaviour: MastodonBehaviour
  readonly #now: () => number
  readonly #requestsMax: number
  readonly #counts = new Map<string, number>()
  readonly #held: (() => void)[] = []
  #faults: { fault: MastodonFault; left: number }[] = []
  #arrived: (() => void)[] = []

  constructor(server: ReturnType<typeof createServer>, options: MastodonServerOptions) {
    const { clock, characters = 500, fullText = false, instanceV2 = true, mediaPolls = 0 } = options
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.token = options.token ?? 'mastodon-token-9f31c7'
    this.#now = () => clock?.now() ?? Date.now()
    this.#requestsMax = options.requestsMax ?? 300
    this.#behaviour = { characters, fullText, instanceV2, mediaPolls }
    this.#instance = new MastodonInstance({
      url: this.url,
      now: this.#now,
      characters,
      keepsKeys: options.keepsKeys ?? true,
      username: options.username ?? 'callboard',
    })
    server.on('request', (request, response) => void this.#serve(request, response))
  }

  /** All living posts, oldest first. */
  get statuses(): readonly FakeStatus[] {
    return this.#instance.statuses
  }

  /** Of our account. */
  get own(): readonly FakeStatus[] {
    return this.statuses.filter(({ account }) => account === this.me)
  }

  get media(): readonly FakeMedia[] {
    return this.#instance.media
  }

  get me(): FakeAccount {
    return this.#instance.me
  }

  /** `host` of those who live elsewhere. */
  addAccount(options: { username: string; host?: string; followers?: number; following?: number }): FakeAccount {
    return this.#instance.addAccount(options)
  }

  findAccount(acct: string): FakeAccount | undefined {
    return this.#instance.findAccount(acct)
  }

  /** A stranger's post, unless `by` says otherwise; a mention of us notifies us. */
  addStatus(options: FakeStatusOptions = {}): FakeStatus {
    return this.#instance.addStatus(options)
  }

  notify(type: FakeNotification['type'], status: FakeStatus, account: FakeAccount): void {
    this.#instance.notify(type, status, account)
  }

  contentOf(status: FakeStatus): string {
    return this.#instance.contentOf(status)
  }

  removeStatus({ id }: FakeStatus): void {
    this.#instance.statuses.splice(
      this.#instance.statuses.findIndex((each) => each.id === id),
      1,
    )
  }

  /** Faults wait in a row, each for the first request that it is about. */
  fault(next: MastodonFault): void {
    this.#faults.push({ fault: next, left: next.times ?? 1 })
  }

  clearFaults(): void {
    this.#faults = []
  }

  calls(pattern: RegExp): SeenRequest[] {
    return this.requests.filter(({ call }) => pattern.test(call))
  }

  /** Its answer as it is, to our account. */
  async ask(pathAndQuery: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.token}` }
    return await (await fetch(`${this.url}${pathAndQuery}`, { headers })).json()
  }

  /** Resolves when the next request has been dealt with, answered or not. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#arrived.push(resolve))
  }

  /** Held answers go out. */
  release(): void {
    for (const go of this.#held.splice(0)) go()
  }

  /** Connections are refused. */
  async down(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async up(): Promise<void> {
    const port = Number(new URL(this.url).port)
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.down()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await readRequest(request)
    this.requests.push(asked)
    const fault = this.#takeFault(asked.call)
    try {
      await this.#act(asked, fault, response)
    } finally {
      for (const tell of this.#arrived.splice(0)) tell()
    }
  }

  async #act(asked: SeenRequest, fault: MastodonFault | undefined, response: ServerResponse): Promise<void> {
    const rate = this.#rateHeaders(asked.call)
    switch (fault?.kind) {
      case 'drop':
        response.socket?.destroy()
        return
      case 'status':
        return send(
          response,
          { status: fault.status, body: { error: fault.error ?? 'Fault' } },
          { ...rate, ...fault.headers },
        )
      case 'body':
        response.writeHead(fault.status ?? 200, {
          'content-type': fault.type ?? 'application/json',
          connection: 'close',
          ...fault.headers,
        })
        response.end(fault.body)
        return
      case 'too-many':
        return send(response, tooMany, { ...rate, ...exhausted(this.#now() + fault.resetInMs) })
      default: {
        const answered = await this.#answer(asked, rate)
        if (fault?.kind === 'cut') response.socket?.destroy()
        else if (fault?.kind === 'hold') this.#held.push(() => send(response, answered, rate))
        else send(response, answered, rate)
      }
    }
  }

  async #answer(asked: SeenRequest, rate: Record<string, string>): Promise<Answered> {
    try {
      const isOpen = openPaths.test(asked.path)
      if (!isOpen && asked.headers['authorization'] !== `Bearer ${this.token}`)
        throw new ApiError(401, 'The access token is invalid')
      if (Number(rate['X-RateLimit-Remaining']) < 0) return tooMany
      return await answer(this.#instance, this.#behaviour, asked)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { status: error.status, body: { error: error.message } }
    }
  }

  #takeFault(call: string): MastodonFault | undefined {
    const found = this.#faults.find(({ fault }) => fault.on?.test(call) ?? true)
    if (found === undefined) return undefined
    found.left--
    if (found.left <= 0) this.#faults = this.#faults.filter((each) => each !== found)
    return found.fault
  }

  /** Of the limit that is nearest; below 0 when it is passed. */
  #rateHeaders(call: string): Record<string, string> {
    const covering = [...windows.filter(({ covers }) => covers.test(call)), { max: this.#requestsMax, ms: 5 * 60_000 }]
    const states = covering.map(({ max, ms }) => {
      const start = this.#now() - (this.#now() % ms)
      const name = `${ms}/${max}/${start}`
      const count = (this.#counts.get(name) ?? 0) + 1
      this.#counts.set(name, count)
      return { max, left: max - count, resetsAt: start + ms }
    })
    const nearest = states.reduce((one, other) => (other.left < one.left ? other : one))
    return {
      'X-RateLimit-Limit': String(nearest.max),
      'X-RateLimit-Remaining': String(nearest.left),
      'X-RateLimit-Reset': resetText(nearest.resetsAt),
    }
  }
}

const tooMany: Answered = { status: 429, body: { error: 'Too many requests' } }

function exhausted(resetsAt: number): Record<string, string> {
  return { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': resetText(resetsAt) }
}

/** With six digits, as Ruby writes it. */
function resetText(time: number): string {
  return new Date(time).toISOString().replace('Z', '000Z')
}

async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = 'GET', url = '/', headers } = request
  const { pathname, searchParams } = new URL(url, 'http://server')
  return {
    call: `${method} ${pathname}`,
    method,
    path: pathname,
    query: searchParams,
    headers,
    body: Buffer.concat(chunks),
  }
}

/** Connections are not kept: a test that takes the server down then sees a refusal, never a half-closed one. */
function send(response: ServerResponse, { status, body, link }: Answered, rate: Record<string, string>): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
    ...rate,
    ...(Number(rate['X-RateLimit-Remaining']) < 0 && { 'X-RateLimit-Remaining': '0' }),
    ...(link !== undefined && { Link: link }),
  })
  response.end(JSON.stringify(body))
}
