import type { Clock } from '@callboard/worker/clock'
import type { ForumConfig } from '../config/forum-config.js'
import { ForumFailure } from '../failure/forum-failure.js'
import { attemptsMax, redirectsMax, retryJitterMs, retryMs, unsettledMs } from '../limits.js'
import type { Log } from '../log.js'
import { isBelow, isPrivateWay } from '../sites/base-url.js'
import { failureOfStatus, failureOfTrouble, parseJson, readSuccess } from './answer-failure.js'
import { anonymous, type Credential } from './credential.js'
import { type HttpAnswer, type HttpClient, type HttpRequest, HttpTrouble } from './http-client.js'
import { followedUrl, redirectedWrite, redirectOf, redirectsWithoutEnd } from './redirects.js'
import { requestBody } from './request-body.js'
import { actionOf, requestUrl } from './request-url.js'
import { freshMsOf, type ResponseCache } from './response-cache.js'
import type { Query, Scope, SiteClient, WriteRequest } from './site-client.js'
import type { SiteState } from './site-state.js'
import { holdAskedFor, waitAskedFor } from './wait-asked-for.js'

/** What the clients of all forums stand on. */
export interface ClientParts {
  readonly config: ForumConfig
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly http: HttpClient
  readonly cache: ResponseCache
  /** What is shared by all that ask that forum, at this moment. */
  readonly state: (base: string) => SiteState
}

/** No success; `waitMs`: how long the forum asked us to wait; `mayPass`: whether the same reading may succeed soon. */
interface Failed {
  readonly failure: ForumFailure
  readonly waitMs: number | undefined
  readonly mayPass: boolean
}

/** One forum over HTTP. */
export class HttpSiteClient implements SiteClient {
  readonly base: string
  readonly #parts: ClientParts
  readonly #credential: Credential
  /** Whether the key stays here, because the way is not encrypted. */
  readonly #isWithheld: boolean

  constructor(parts: ClientParts, base: string, credential: Credential) {
    this.base = base
    this.#parts = parts
    this.#isWithheld = credential.kind !== 'anonymous' && !isPrivateWay(base)
    this.#credential = this.#isWithheld ? anonymous : credential
  }

  async get(path: string, query: Query, scope: Scope): Promise<unknown> {
    const url = requestUrl(this.base, path, query)
    scope.signal.throwIfAborted()
    const freshMs = freshMsOf(path)
    if (freshMs === 0 || !this.#state.isSettled) return readSuccess(await this.#read(url, scope))
    const { cache, clock } = this.#parts
    const found = cache.find(this.base, this.#credential.id, url, clock.monotonic())
    if (found !== undefined) return parseJson(found)
    const reading = cache.begin(this.base, this.#credential.id, url, freshMs, clock.monotonic())
    try {
      const answer = await this.#read(url, scope)
      const body = readSuccess(answer)
      cache.keep(reading, answer.text, answer.bytes)
      return body
    } finally {
      cache.giveUp(reading)
    }
  }

  async send(request: WriteRequest, scope: Scope, onSending?: () => void): Promise<unknown> {
    const { cache } = this.#parts
    cache.empty(this.base)
    let isSent = false
    try {
      const url = requestUrl(this.base, request.path, request.query ?? [])
      if (this.#isWithheld) throw new ForumFailure('not_authenticated', 'Nothing was written.')
      const { body, headers } = await requestBody(request)
      const answer = await this.#once(
        { method: request.method, url, headers: { ...headers, ...this.#headers(url, request.actAs) }, body },
        scope,
        () => {
          isSent = true
          onSending?.()
        },
      )
      return this.#written(request, url, answer)
    } catch (error) {
      const failure = this.#failedWrite(error)
      // Of an aborted signal nobody knows more than of a lost answer.
      const outcome = failure instanceof ForumFailure ? failure.details.outcome : isSent ? 'unknown' : 'rejected'
      if (outcome === 'unknown') this.#state.isUnsettledFor(unsettledMs)
      throw failure
    } finally {
      cache.empty(this.base)
    }
  }

  get #state(): SiteState {
    return this.#parts.state(this.base)
  }

  /** A key goes to its own forum alone, however a URL came about. */
  #headers(url: string, actAs?: string): { readonly [name: string]: string } {
    return {
      accept: 'application/json',
      'user-agent': this.#parts.config.userAgent,
      ...(isBelow(this.base, url) && this.#credential.headers(actAs)),
    }
  }

  /** The answer with success; tries again what may pass. */
  async #read(url: string, scope: Scope): Promise<HttpAnswer> {
    const { clock, random } = this.#parts
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#followed(url, scope)
      if (!('failure' in result)) return result
      const { failure, waitMs, mayPass } = result
      const pause = retryMs * 2 ** (attempt - 1) + random() * retryJitterMs
      const until = clock.now() + Math.ceil(Math.max(pause, waitMs ?? 0))
      if (!mayPass || attempt === attemptsMax || until >= scope.deadline) throw this.#explained(failure)
      await clock.sleepUntil(until, scope.signal)
      scope.signal.throwIfAborted()
    }
  }

  async #followed(start: string, scope: Scope): Promise<HttpAnswer | Failed> {
    const visited = new Set<string>()
    let url = start
    for (;;) {
      visited.add(url)
      const answer = await this.#asked(url, scope)
      const location = 'failure' in answer ? undefined : redirectOf(answer.status, answer.headers)
      if ('failure' in answer || location === undefined) return 'failure' in answer ? answer : this.#judged(answer)
      const target = this.#explaining(() => followedUrl(this.base, url, location, answer.status))
      if (visited.has(target) || visited.size > redirectsMax) throw redirectsWithoutEnd(target, answer.status)
      url = target
    }
  }

  async #asked(url: string, scope: Scope): Promise<HttpAnswer | Failed> {
    try {
      return await this.#once({ method: 'GET', url, headers: this.#headers(url) }, scope)
    } catch (error) {
      if (!(error instanceof HttpTrouble)) throw error
      return { failure: failureOfTrouble(error), waitMs: undefined, mayPass: true }
    }
  }

  #judged(answer: HttpAnswer): HttpAnswer | Failed {
    const { status } = answer
    return status >= 200 && status < 300 ? answer : this.#failed(answer)
  }

  #failed({ status, headers, text }: HttpAnswer): Failed {
    const body = parseJson(text)
    const waitMs = waitAskedFor(headers, body, this.#parts.clock.now())
    const failure = failureOfStatus(status, body, text, waitMs)
    const mayPass = passing.has(status) && failure.details.hint !== 'cloudflare_challenge'
    // A forum that takes no changes does so for hours, unless it tells when it ends.
    return { failure, waitMs, mayPass: mayPass && (failure.code !== 'site_read_only' || waitMs !== undefined) }
  }

  /** Sends once, when it may. Rejects with an HttpTrouble, a ForumFailure, or `signal.reason`. */
  async #once(request: Omit<HttpRequest, 'timeoutMs'>, scope: Scope, onSending?: () => void): Promise<HttpAnswer> {
    const { http, clock, config, log } = this.#parts
    const { method, url } = request
    const state = this.#state
    const lane = state.lane(this.#credential)
    const action = actionOf(method, this.base, url)
    const release = await state.gate.enter(lane, action, scope)
    const begun = clock.monotonic()
    try {
      scope.signal.throwIfAborted()
      onSending?.()
      const timeoutMs = Math.min(config.timeoutMs, Math.max(0, scope.deadline - clock.now()))
      const answer = await http.send({ ...request, timeoutMs }, scope.signal)
      log.debug({ site: this.base, method, status: answer.status, ms: clock.monotonic() - begun }, 'request')
      // Before the slot is free: whoever waits for it may have to wait for longer.
      const hold = holdAskedFor(answer, clock.now())
      if (hold !== undefined) state.gate.hold(lane, hold.isForAll ? undefined : action, hold.ms)
      return answer
    } catch (error) {
      if (error instanceof HttpTrouble) log.debug({ site: this.base, method, trouble: error.message }, 'request')
      throw error
    } finally {
      release()
    }
  }

  #written({ method }: WriteRequest, url: string, answer: HttpAnswer): unknown {
    const location = redirectOf(answer.status, answer.headers)
    if (location !== undefined) throw redirectedWrite(this.base, url, location, answer.status)
    if (answer.status < 200 || answer.status >= 300) throw this.#failed(answer).failure
    const isDone = answer.text.trim() === '' && method !== 'POST'
    return isDone ? undefined : readSuccess(answer)
  }

  /** The failure with what became of the write. */
  #failedWrite(error: unknown): unknown {
    if (error instanceof HttpTrouble) {
      const { status } = error
      // The rest of a refusal does not matter.
      if (status !== undefined && status >= 400 && status < 500) {
        return this.#rejected(failureOfStatus(status, undefined, '', undefined))
      }
      const failure = failureOfTrouble(error)
      return error.kind === 'refused' ? this.#rejected(failure) : outcomeUnknown(failure)
    }
    if (!(error instanceof ForumFailure)) return error
    return mayHaveHappened(error) ? outcomeUnknown(error) : this.#rejected(error)
  }

  #rejected(failure: ForumFailure): ForumFailure {
    return this.#explained(failure.with({ outcome: 'rejected' }))
  }

  #explaining<Value>(body: () => Value): Value {
    try {
      return body()
    } catch (error) {
      throw error instanceof ForumFailure ? this.#explained(error) : error
    }
  }

  /** A login is missing because we have not sent it: then the address is what has to change. */
  #explained(failure: ForumFailure): ForumFailure {
    if (!this.#isWithheld || failure.code !== 'not_authenticated') return failure
    const hint =
      'There is a key for this address, but it was not sent, because http is not encrypted. Its operator has to give the https address of the forum in auth_pairs, and you to select that one.'
    return new ForumFailure(failure.code, `${failure.message} ${hint}`, { ...failure.details, hint }, failure.cause)
  }
}

const passing: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

/** Whether an answer to a write leaves that open; where there was none because it never left, it did not. */
function mayHaveHappened({ code, details: { status = 0 } }: ForumFailure): boolean {
  if (code === 'site_read_only' || code === 'redirect_refused') return false
  return status >= 500 || code === 'unexpected_response'
}

function outcomeUnknown(cause: ForumFailure): ForumFailure {
  return new ForumFailure(
    'outcome_unknown',
    `Nobody knows whether this has happened on the forum. ${cause.message} Look there before you do it again.`,
    { ...cause.details, outcome: 'unknown' },
    cause,
  )
}
