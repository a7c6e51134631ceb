import type { Clock } from '@callboard/worker/clock'
import { failure, type SocialFailure } from '../../envelope/failure.js'
import { blueskyLoginPauseMs, blueskyLoginPauseMsMax, blueskyLogins } from '../../limits.js'

const longestWindowMs = Math.max(...blueskyLogins.map(({ windowMs }) => windowMs))

/** Keeps logins below what the server allows the account, and a refused password from being tried again and again. */
export class LoginGate {
  readonly #clock: Clock
  #logins: number[] = []
  #refusals = 0
  #refused: { readonly until: number; readonly why: SocialFailure } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a login that is to be made now; throws why it must not be. */
  enter(): void {
    const now = this.#clock.monotonic()
    if (this.#refused !== undefined && now < this.#refused.until) throw this.#refused.why
    this.#logins = this.#logins.filter((at) => at > now - longestWindowMs)
    for (const { max, windowMs } of blueskyLogins) {
      const within = this.#logins.filter((at) => at > now - windowMs)
      if (within.length < max) continue
      const retryAfterMs = within[within.length - max]! + windowMs - now
      const message = `Too many logins at Bluesky: the next one is free in ${Math.ceil(retryAfterMs / 1_000)} s.`
      throw failure('network_rate_limited', message, { retryAfterMs, details: { network: 'bluesky' } })
    }
    this.#logins.push(now)
  }

  /** The server did not want it: until the pause is over, this is the answer to everybody. */
  refuse(why: SocialFailure): void {
    const pause = Math.min(blueskyLoginPauseMs * 2 ** this.#refusals, blueskyLoginPauseMsMax)
    this.#refusals += 1
    this.#refused = { until: this.#clock.monotonic() + (why.options.retryAfterMs ?? pause), why }
  }

  succeed(): void {
    this.#refusals = 0
    this.#refused = undefined
  }
}
