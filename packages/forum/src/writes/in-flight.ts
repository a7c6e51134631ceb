import { ForumFailure } from '../failure/forum-failure.js'
import type { Foundation } from '../foundation.js'
import type { Scope } from '../http/site-client.js'

interface Flight<Result> {
  readonly landed: Promise<Result>
  readonly abort: AbortController
  waiting: number
}

/**
 * Calls that are the same at the same time are one: the first one makes it, the others wait with it. Each may leave alone; when
 * the last one has left, it is aborted.
 */
export class InFlight<Result> {
  readonly #clock: Foundation['clock']
  readonly #flights = new Map<string, Flight<Result>>()

  constructor(clock: Foundation['clock']) {
    this.#clock = clock
  }

  /** Rejects as `start` does; with a ForumFailure `cancelled` or `timeout` for one who leaves it to the others. */
  async join(
    key: string,
    scope: Scope,
    start: (scope: Scope) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly isJoined: boolean }> {
    let known = this.#flights.get(key)
    // One that everybody has left is none to join: it ends soon, and the journal knows how.
    while (known?.abort.signal.aborted === true) {
      await known.landed.catch(() => undefined)
      known = this.#flights.get(key)
    }
    // No pause since it was looked up: two who come at once must find each other.
    const flight = known ?? this.#start(key, scope, start)
    flight.waiting += 1
    try {
      await this.#landingOrLeaving(flight, scope, known !== undefined)
    } finally {
      flight.waiting -= 1
    }
    const hasLeft = this.#flights.get(key) === flight
    if (hasLeft && flight.waiting > 0) throw leftAlone(scope.signal.aborted)
    if (hasLeft) flight.abort.abort(scope.signal.reason)
    return { result: await flight.landed, isJoined: known !== undefined }
  }

  #start(key: string, { deadline }: Scope, start: (scope: Scope) => Promise<Result>): Flight<Result> {
    const abort = new AbortController()
    const landed = start({ deadline, signal: abort.signal }).finally(() => this.#flights.delete(key))
    landed.catch(() => undefined)
    const flight = { landed, abort, waiting: 0 }
    this.#flights.set(key, flight)
    return flight
  }

  /** The first one's deadline is that of the whole, which ends by itself. */
  async #landingOrLeaving({ landed }: Flight<Result>, { deadline, signal }: Scope, isJoined: boolean): Promise<void> {
    const ended = new AbortController()
    const either = AbortSignal.any([signal, ended.signal])
    const leaving = isJoined ? this.#clock.sleepUntil(deadline, either) : aborted(either)
    const landing = landed.then(
      () => undefined,
      () => undefined,
    )
    await Promise.race([landing, leaving])
    ended.abort()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function leftAlone(isCancelled: boolean): ForumFailure {
  return new ForumFailure(
    isCancelled ? 'cancelled' : 'timeout',
    'The same write was under way for another call, which goes on. Do not send it again: look first whether it is there.',
    { outcome: 'unknown' },
  )
}
