import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { appViewCalls } from './bluesky-app-view.js'
import { BlueskyNetwork, type FakeAccount, type FakePost, gateOf, type NewPost, Refusal } from './bluesky-network.js'

// biome-ignore lint/suspicious/noExplicitAny: whatever clients send.
type Json = any

/** Once, unless it says how often; the first one that fits the request. */
export interface Fault {
  /** Of a method, e.g. `putRecord`; default: any. */
  readonly on?: string
  readonly times?: number
  readonly does:
    | {
        readonly kind: 'status'
        readonly status: number
        readonly error?: string
        readonly message?: string
        readonly headers?: Record<string, string>
      }
    | { readonly kind: 'body'; readonly text: string }
    /** Real ms before the call is carried out. */
    | { readonly kind: 'delay'; readonly ms: number }
    /** Never answers; `after`: though it was carried out. */
    | { readonly kind: 'hold'; readonly after?: boolean }
    /** Ends the connection without an answer; `after`: though it was carried out. */
    | { readonly kind: 'cut'; readonly after?: boolean }
}

export interface SeenRequest {
  /** `com.atproto.repo.putRecord`. */
  readonly method: string
  readonly query: URLSearchParams
  readonly body: Json
  readonly authorization: string | undefined
}

export interface BlueskyServerOptions {
  readonly handle?: string
  readonly appPassword?: string
  /** UTC ms, by which tokens run out; default: the system's. */
  readonly now?: () => number
}

export interface Call {
  readonly query: URLSearchParams
  readonly body: Json
  readonly bytes: Buffer
  readonly mime: string
  /** Who called, by access token. */
  readonly caller: FakeAccount | undefined
}

/**
 * A Bluesky server (PDS) and what indexes the network (AppView) behind one address, with one account that is ours. `addPost`
 * makes posts of strangers, who need no account first.
 */
export async function startBlueskyServer(options: BlueskyServerOptions = {}): Promise<BlueskyServer> {
  const server = new BlueskyServer(options)
  await server.listen()
  return server
}

export class BlueskyServer implements AsyncDisposable {
  readonly us: FakeAccount
  readonly network: BlueskyNetwork
  readonly requests: SeenRequest[] = []
  /** False: the AppView answers 502 as a server without one does. */
  hasAppView = true
  /** False: what is published from now on is not in the AppView. */
  isIndexing = true
  readonly unindexed = new Set<string>()
  readonly now: () => number
  readonly #http: Server
  readonly #access = new Map<string, { readonly did: string; readonly until: number }>()
  readonly #refresh = new Map<string, string>()
  readonly #faults: { fault: Fault; left: number }[] = []
  readonly #logins: number[] = []
  #waiting: (() => void)[] = []
  #port = 0
  #made = 0

  constructor({ handle = 'ada.test', appPassword = 'abcd-efgh-ijkl-mnop', now = Date.now }: BlueskyServerOptions) {
    this.now = now
    this.network = new BlueskyNetwork(now)
    this.us = this.network.account(handle, appPassword)
    this.#http = createServer((request, response) => void this.#answer(request, response))
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Ours, in the order in which they were stored. */
  get posts(): readonly FakePost[] {
    return [...this.network.all.values()].filter(({ did }) => did === this.us.did)
  }

  /** Everybody's. */
  get allPosts(): readonly FakePost[] {
    return [...this.network.all.values()]
  }

  addPost(post: NewPost = {}): FakePost {
    return this.network.addPost(post, this.us)
  }

  addRepost(by: string, post: FakePost): void {
    this.network.reposts.push({ did: this.network.account(by).did, uri: post.uri })
  }

  addLike(by: string, post: FakePost): void {
    post.likes += 1
    this.network.likes.push({ did: this.network.account(by).did, uri: post.uri, at: this.now() })
  }

  fault(next: Fault): void {
    this.#faults.push({ fault: next, left: next.times ?? 1 })
  }

  clearFaults(): void {
    this.#faults.length = 0
  }

  /** How often a method was called; all without a name. */
  count(method = ''): number {
    return this.requests.filter((request) => request.method.endsWith(method)).length
  }

  /** Resolves when that many requests of the method have arrived. */
  async received(count: number, method = ''): Promise<void> {
    while (this.count(method) < count) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Access tokens from before are refused from now on, as if their time had run out. */
  expireAccess(): void {
    for (const [token, { did }] of this.#access) this.#access.set(token, { did, until: 0 })
  }

  expireRefresh(): void {
    this.#refresh.clear()
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#http.address() as AddressInfo).port
  }

  /** Refuses connections until it listens again, under the same address. */
  async refuse(): Promise<void> {
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
    // Clients in this process are to see their connections end before they are asked for the next request.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.refuse()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url)
    const method = url.pathname.replace('/xrpc/', '')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const mime = request.headers['content-type'] ?? ''
    const body = mime.startsWith('application/json') ? JSON.parse(bytes.toString() || 'null') : undefined
    const { authorization } = request.headers
    const fault = this.#takeFault(method)
    this.requests.push({ method, query: url.searchParams, body, authorization })
    for (const wake of this.#waiting.splice(0)) wake()
    if (fault?.kind === 'cut' && fault.after !== true) return void response.socket?.destroy()
    if (fault?.kind === 'hold' && fault.after !== true) return
    if (fault?.kind === 'status') return send(response, fault.status, errorOf(fault), fault.headers)
    if (fault?.kind === 'body')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(fault.text)
    if (fault?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms))
    const [status, answer] = this.#carryOut(method, { query: url.searchParams, body, bytes, mime }, authorization)
    if (fault?.kind === 'cut') return void response.socket?.destroy()
    if (fault?.kind === 'hold') return
    send(response, status, answer, this.#rateHeaders(method))
  }

  #takeFault(method: string): Fault['does'] | undefined {
    const index = this.#faults.findIndex(({ fault }) => method.endsWith(fault.on ?? ''))
    const found = this.#faults[index]
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left <= 0) this.#faults.splice(index, 1)
    return found.fault.does
  }

  #carryOut(method: string, call: Omit<Call, 'caller'>, authorization: string | undefined): [number, object] {
    try {
      return [200, this.#call(method, call, authorization?.replace('Bearer ', ''))]
    } catch (error) {
      if (error instanceof Refusal) return [error.status, { error: error.error, message: error.message }]
      return [500, { error: 'InternalServerError', message: `the fake failed: ${error}` }]
    }
  }

  #call(method: string, call: Omit<Call, 'caller'>, token: string | undefined): object {
    if (method === 'com.atproto.server.createSession') return this.#createSession(call.body)
    if (method === 'com.atproto.server.refreshSession') return this.#refreshSession(token)
    if (method === 'com.atproto.identity.resolveHandle') return this.#resolveHandle(call.query.get('handle') ?? '')
    if (method.startsWith('app.bsky.') && !this.hasAppView)
      throw new Refusal(502, 'UpstreamFailure', 'Upstream service unreachable')
    const caller = this.#callerOf(token, method)
    const answer = appViewCalls[method] ?? repositoryCalls[method]
    if (answer === undefined) throw new Refusal(501, 'MethodNotImplemented', 'Method Not Implemented')
    return answer(this, { ...call, caller })
  }

  #callerOf(token: string | undefined, method: string): FakeAccount {
    if (token === undefined) throw new Refusal(401, 'AuthMissing', 'Authentication Required')
    const service = claimsOf(token)
    if (service.lxm !== undefined && service.lxm === method) return this.network.find(service.iss) ?? this.us
    const known = this.#access.get(token)
    if (known === undefined) throw new Refusal(400, 'InvalidToken', 'Token could not be verified')
    if (known.until <= this.now()) throw new Refusal(400, 'ExpiredToken', 'Token has expired')
    const caller = this.network.find(known.did)!
    const isWrite = /^com\.atproto\.repo\.(put|delete|upload)/.test(method)
    if (caller.restriction !== undefined && isWrite) throw restricted(caller)
    return caller
  }

  #createSession({ identifier, password }: Json): object {
    const now = this.now()
    while (this.#logins.length > 0 && this.#logins[0]! <= now - 5 * 60_000) this.#logins.shift()
    if (this.#logins.length >= 30) throw new Refusal(429, 'RateLimitExceeded', 'Rate Limit Exceeded')
    this.#logins.push(now)
    const account = this.network.find(String(identifier))
    if (account === undefined || account.appPassword !== password)
      throw new Refusal(401, 'AuthenticationRequired', 'Invalid identifier or password')
    if (account.restriction === 'AccountTakedown') throw restricted(account)
    return this.#session(account)
  }

  #refreshSession(token: string | undefined): object {
    const did = this.#refresh.get(token ?? '')
    if (did === undefined) throw new Refusal(400, 'ExpiredToken', 'Token has been revoked')
    return this.#session(this.network.find(did)!)
  }

  #session({ did, handle }: FakeAccount): object {
    const until = this.now() + 2 * 60 * 60_000
    const accessJwt = this.#token({ scope: 'com.atproto.appPass', sub: did, exp: Math.floor(until / 1_000) })
    const refreshJwt = this.#token({ scope: 'com.atproto.refresh', sub: did })
    this.#access.set(accessJwt, { did, until })
    this.#refresh.set(refreshJwt, did)
    return { accessJwt, refreshJwt, did, handle, active: true }
  }

  #token(claims: object): string {
    this.#made += 1
    return [{ typ: 'at+jwt', alg: 'none' }, { ...claims, jti: `token-${this.#made}` }, { signature: 'none' }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
  }

  #resolveHandle(handle: string): object {
    if (!/^([a-z0-9-]+\.)+[a-z][a-z0-9-]*$/i.test(handle))
      throw new Refusal(500, 'InternalServerError', 'Internal Server Error')
    const account = this.network.find(handle)
    if (account === undefined) throw new Refusal(400, 'InvalidRequest', 'Unable to resolve handle')
    return { did: account.did }
  }

  #rateHeaders(method: string): Record<string, string> {
    const isWrite = /^com\.atproto\.repo\.(put|delete|upload)/.test(method)
    const [limit, seconds] = isWrite ? [5_000, 3_600] : [3_000, 300]
    const reset = Math.floor(this.now() / 1_000) + seconds
    const remaining = Math.max(0, limit - this.count(method))
    return {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(reset),
      'ratelimit-policy': `${limit};w=${seconds}`,
    }
  }
}

type CallAnswer = (server: BlueskyServer, call: Call) => object

const repositoryCalls: { readonly [method: string]: CallAnswer } = {
  'com.atproto.server.getSession': (_, { caller }) => ({ did: caller!.did, handle: caller!.handle, active: true }),
  'com.atproto.server.getServiceAuth': (_, { caller, query }) => {
    const claims = { iss: caller!.did, aud: query.get('aud'), lxm: query.get('lxm'), exp: Number(query.get('exp')) }
    return { token: `service.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature` }
  },
  'com.atproto.repo.putRecord': (server, { caller, body }) => {
    if (body.repo !== caller!.did) throw new Refusal(401, 'AuthenticationRequired', 'Authentication Required')
    const answer = server.network.put(caller!.did, body) as { readonly uri: string }
    if (!server.isIndexing) server.unindexed.add(answer.uri)
    return answer
  },
  'com.atproto.repo.deleteRecord': (server, { caller, body }) => {
    if (body.repo !== caller!.did) throw new Refusal(401, 'AuthenticationRequired', 'Authentication Required')
    server.network.all.delete(`at://${body.repo}/${body.collection}/${body.rkey}`)
    return {}
  },
  'com.atproto.repo.uploadBlob': (server, { mime, bytes }) => server.network.upload(mime, bytes),
  'com.atproto.repo.getRecord': (server, { query }) => {
    const repo = server.network.find(query.get('repo') ?? '')
    if (repo === undefined) throw new Refusal(400, 'RepoNotFound', `Could not find repo: ${query.get('repo')}`)
    const uri = `at://${repo.did}/${query.get('collection')}/${query.get('rkey')}`
    const gated = server.network.all.get(uri.replace('threadgate', 'post'))
    if (uri.includes('threadgate') && gated?.gate !== undefined) return { uri, cid: gated.cid, value: gateOf(gated) }
    const post = server.network.all.get(uri)
    if (post === undefined) throw new Refusal(400, 'RecordNotFound', `Could not locate record: ${uri}`)
    return { uri, cid: post.cid, value: post.record }
  },
  'com.atproto.repo.describeRepo': (server, { query }) => {
    const repo = server.network.find(query.get('repo') ?? '')
    if (repo === undefined) throw new Refusal(400, 'RepoNotFound', 'Could not find user')
    return { handle: repo.handle, did: repo.did, didDoc: {}, collections: [], handleIsCorrect: true }
  },
}

function restricted({ restriction = '' }: FakeAccount): Refusal {
  return new Refusal(
    401,
    restriction,
    restriction === 'AccountTakedown' ? 'Account has been taken down' : 'Account is deactivated',
  )
}

function claimsOf(token: string): Json {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return {}
  }
}

function errorOf({
  status,
  error = 'InternalServerError',
  message = `status ${status}`,
}: Fault['does'] & { kind: 'status' }) {
  return { error, message }
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
