import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@callboard/worker/clock'
import { identify, requireAccess } from './auth.js'
import { type Fault, Faults } from './faults.js'
import { ForumModel } from './forum-model.js'
import { type Answer, html } from './http/answer.js'
import { faultAnswer, givenAnswer } from './http/fault-answer.js'
import { HeldAnswers } from './http/held-answers.js'
import { fromPairs, Input } from './http/input.js'
import { Refusal } from './http/refusal.js'
import { parseBody, parseJson, readBody } from './http/request-body.js'
import { sendAnswer } from './http/send-answer.js'
import { Keys } from './keys.js'
import { megaTopicPosts } from './limits.js'
import { RequestLog, type SeenRequest } from './request-log.js'
import type { Site } from './routes/route.js'
import { Router } from './routes/router.js'
import { routes } from './routes/routes.js'
import type { DemoAiTools, Setting } from './setting.js'
import { fillVillage, foundForum } from './village/village.js'

export interface ForumServerOptions {
  readonly clock?: { now(): number }
  /** `''` or `/forumA`. */
  readonly basePath?: string
  readonly port?: number
  readonly title?: string
  readonly version?: string
  readonly loginRequired?: boolean
  readonly readOnly?: boolean
  readonly chat?: boolean
  readonly tagging?: boolean
  /** `names`: as old cores have them, a tag's id is its name. */
  readonly tagIds?: 'numbers' | 'names'
  /** Whether `/user_actions.json` heeds `limit`; old cores do not. */
  readonly honoursActionsLimit?: boolean
  /** Whether a new user with a known e-mail address is told of success. */
  readonly hidesTakenEmails?: boolean
  readonly groupDirectory?: boolean
  readonly postsBefore?: 'below' | 'window'
  /** What `/ai/tools` has; without it that is 404. */
  readonly aiTools?: DemoAiTools
  readonly megaTopicPosts?: number
  /** Whether people and texts are there from the start. */
  readonly village?: boolean
  /** Whoever asks without these gets 401 from the proxy in front. */
  readonly basicAuth?: { readonly user: string; readonly password: string }
  /** The same seed gives the same keys. */
  readonly keySeed?: string
}

/** @throws Error of Node's where the port can't be had. */
export async function startForumServer(options: ForumServerOptions = {}): Promise<ForumServer> {
  const server = new ForumServer(options)
  await server.listen(options.port ?? 0)
  return server
}

/** A stand-in for Discourse on 127.0.0.1: what it answers, it answers as core does, its oddities first of all. */
export class ForumServer implements AsyncDisposable {
  readonly forum: ForumModel
  readonly keys: Keys
  readonly setting: Setting
  readonly #site: Site
  readonly #now: () => number
  readonly #basePath: string
  readonly #basicAuth: string | undefined
  readonly #log = new RequestLog()
  readonly #faults = new Faults()
  readonly #router = new Router(routes)
  readonly #server: Server
  readonly #held = new HeldAnswers()

  constructor(options: ForumServerOptions) {
    const clock = options.clock ?? systemClock
    this.#now = () => clock.now()
    this.#basePath = options.basePath ?? ''
    this.#basicAuth = options.basicAuth && basicHeader(options.basicAuth)
    this.keys = new Keys(options.keySeed)
    this.setting = settingOf(options, () => this.base)
    this.forum = new ForumModel(this.#now)
    foundForum(this.forum)
    if (options.village ?? true) fillVillage(this.forum)
    this.#site = { forum: this.forum, setting: this.setting }
    this.#server = createServer((request, response) => void this.#serve(request, response))
    this.#server.on('clientError', (_, socket) => socket.destroy())
  }

  /** Oldest first. */
  get requests(): readonly SeenRequest[] {
    return this.#log.all
  }

  /** `http://127.0.0.1:4200` */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo | null)?.port ?? 0}`
  }

  /** The origin and the base path. */
  get base(): string {
    return `${this.origin}${this.#basePath}`
  }

  /** Requests that match on `METHOD path`, oldest first. */
  seen(expression: RegExp): readonly SeenRequest[] {
    return this.#log.seen(expression)
  }

  /** Resolves when so many requests have come that match on `METHOD path`, whether or not they are answered. */
  arrived(expression: RegExp, count = 1): Promise<void> {
    return this.#log.arrived(expression, count)
  }

  forgetRequests(): void {
    this.#log.clear()
  }

  fault(fault: Fault): void {
    this.#faults.add(fault)
  }

  clearFaults(): void {
    this.#faults.clear()
  }

  /** Answers all that is held or stalled. */
  release(): void {
    this.#held.release()
  }

  /** Resolves when so many requests are held or stalled. */
  held(count = 1): Promise<void> {
    return this.#held.held(count)
  }

  /** Resolves when of those so many have nobody any more who waits for them. */
  abandoned(count = 1): Promise<void> {
    return this.#held.abandoned(count)
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    this.release()
    await closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request)
      await this.#answer(request, response, body)
    } catch (error) {
      sendAnswer(request, response, error instanceof Refusal ? error.answer : brokenAnswer(error))
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const seen = this.#note(request, body)
    const answer = () => this.#answerOf(request, seen, body)
    const fault = this.#faults.take(`${seen.method} ${seen.path}`)
    if (fault === undefined) return sendAnswer(request, response, await answer())
    const instead = faultAnswer(fault, request.headers, this.#now())
    if (instead !== undefined) return sendAnswer(request, response, instead)
    if (fault.kind === 'drop') return void response.destroy()
    if (fault.kind === 'stall') {
      await this.#held.hold(response)
      // Nobody waits for it any more.
      if (response.destroyed) return
    }
    const real = await answer()
    if (fault.kind === 'cut') return void response.destroy()
    if (fault.kind === 'hold') await this.#held.hold(response)
    sendAnswer(
      request,
      response,
      fault.kind === 'done-then-status' ? givenAnswer(fault) : real,
      fault.kind === 'cut-body',
    )
  }

  #note(request: IncomingMessage, body: Buffer): SeenRequest {
    const url = request.url ?? '/'
    const inside = this.#basePath === '' || url === this.#basePath || url.startsWith(`${this.#basePath}/`)
    const text = body.toString('utf8')
    const seen = {
      method: request.method ?? 'GET',
      path: inside ? url.slice(this.#basePath.length) : url,
      inside,
      headers: request.headers,
      body: text,
      json: String(request.headers['content-type']).includes('json') ? parseJson(text) : undefined,
      at: this.#now(),
    }
    this.#log.add(seen)
    return seen
  }

  async #answerOf(request: IncomingMessage, seen: SeenRequest, body: Buffer): Promise<Answer> {
    try {
      return await this.#routed(request, seen, body)
    } catch (error) {
      if (error instanceof Refusal) return error.answer
      throw error
    }
  }

  async #routed(
    request: IncomingMessage,
    { method, path: target, inside }: SeenRequest,
    body: Buffer,
  ): Promise<Answer> {
    if (!inside) return html('<html><body>There is nothing here.</body></html>', 404)
    if (this.#basicAuth !== undefined && request.headers.authorization !== this.#basicAuth) return askForPassword
    const [path = '', query = ''] = target.split(/\?(.*)/s)
    const visitor = identify(request.headers, this.keys, this.forum)
    requireAccess(visitor, method, path, this.setting)
    const route = this.#router.find(method, path, this.#site)
    const { record, file } = await parseBody(body, String(request.headers['content-type'] ?? ''))
    const input = new Input(fromPairs(new URLSearchParams(query)), record)
    return route.answer({ method, input, file, params: route.params, visitor }, this.#site)
  }
}

function settingOf(options: ForumServerOptions, base: () => string): Setting {
  return {
    title: options.title ?? 'Millbrook Village',
    version: options.version ?? '2026.9.0',
    loginRequired: options.loginRequired ?? false,
    readOnly: options.readOnly ?? false,
    chat: options.chat ?? true,
    tagging: options.tagging ?? true,
    tagIds: options.tagIds ?? 'numbers',
    honoursActionsLimit: options.honoursActionsLimit ?? true,
    hidesTakenEmails: options.hidesTakenEmails ?? true,
    groupDirectory: options.groupDirectory ?? true,
    postsBefore: options.postsBefore ?? 'below',
    aiTools: options.aiTools,
    megaTopicPosts: options.megaTopicPosts ?? megaTopicPosts,
    base,
  }
}

const basicHeader = ({ user, password }: { readonly user: string; readonly password: string }): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const askForPassword: Answer = {
  ...html('<html><head><title>401 Authorization Required</title></head></html>', 401),
  headers: { 'www-authenticate': 'Basic realm="Restricted"' },
}

/** A mistake in the stand-in itself: whoever tests against it must see that it was one. */
const brokenAnswer = (error: unknown): Answer =>
  html(`<html><body>The stand-in failed: ${error instanceof Error ? error.stack : String(error)}</body></html>`, 500)
