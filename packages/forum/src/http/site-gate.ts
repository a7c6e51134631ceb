import type { Clock } from '@callboard/worker/clock'
import { ForumFailure } from '../failure/forum-failure.js'
import type { Lane } from './lane.js'
import type { Scope } from './site-client.js'

interface Waiter {
  readonly lane: Lane
  readonly action: string
  readonly scope: Scope
  /** Lets it through: a slot is its own now. */
  readonly admit: () => void
  readonly refuse: (reason: unknown) => void
}

/**
 * Where all requests to one forum wait: for one of its slots, and until their lane is free. They leave in the order in which they
 * came, except that nobody waits behind one whose lane is held. One that can not leave before its deadline is refused at once.
 */
export class SiteGate {
  readonly #clock: Clock
  readonly #slots: number
  #taken = 0
  #waiting: Waiter[] = []
  #timer: AbortController | undefined

  constructor(clock: Clock, slots: number) {
    this.#clock = clock
    this.#slots = slots
  }

  /** Whether nobody waits and no slot is taken. */
  get isIdle(): boolean {
    return this.#taken === 0 && this.#waiting.length === 0
  }

  /** Resolves when a request may leave, with what gives its slot back; rejects with a ForumFailure or `signal.reason`. */
  async enter(lane: Lane, action: string, scope: Scope): Promise<() => void> {
    scope.signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiter)
        scope.signal.removeEventListener('abort', abort)
      }
      const abort = () => {
        leave()
        reject(scope.signal.reason)
        this.#letThrough()
      }
      const waiter: Waiter = {
        lane,
        action,
        scope,
        admit: () => {
          leave()
          resolve()
        },
        refuse: (reason) => {
          leave()
          reject(reason)
        },
      }
      this.#waiting.push(waiter)
      scope.signal.addEventListener('abort', abort, { once: true })
      this.#letThrough()
    })
    return this.#slotReturn()
  }

  /** The forum asked one lane to wait, ms. */
  hold(lane: Lane, action: string | undefined, ms: number): void {
    lane.hold(action, ms, this.#clock.monotonic())
    this.#letThrough()
  }

  #slotReturn(): () => void {
    let isReturned = false
    return () => {
      if (isReturned) return
      isReturned = true
      this.#taken -= 1
      this.#letThrough()
    }
  }

  #letThrough(): void {
    const now = this.#clock.monotonic()
    const ahead = new Map<Lane, number>()
    let nextMs = Number.POSITIVE_INFINITY
    for (const waiter of [...this.#waiting]) {
      const { lane, action, scope } = waiter
      const leftMs = scope.deadline - this.#clock.now()
      const waitMs = lane.waitMs(action, now, ahead.get(lane) ?? 0)
      if (waitMs >= leftMs || leftMs <= 0) {
        waiter.refuse(tooLate(waitMs))
      } else if (waitMs === 0 && this.#taken < this.#slots) {
        this.#taken += 1
        lane.add(now)
        waiter.admit()
      } else {
        // One that is held takes no place in the window of those behind it.
        if (lane.heldMs(action, now) === 0) ahead.set(lane, (ahead.get(lane) ?? 0) + 1)
        nextMs = Math.min(nextMs, leftMs, waitMs > 0 ? waitMs : Number.POSITIVE_INFINITY)
      }
    }
    this.#wakeIn(nextMs)
  }

  #wakeIn(ms: number): void {
    this.#timer?.abort()
    this.#timer = undefined
    if (ms === Number.POSITIVE_INFINITY) return
    const timer = new AbortController()
    this.#timer = timer
    void this.#clock.sleepUntil(this.#clock.now() + Math.ceil(ms), timer.signal).then(() => {
      if (!timer.signal.aborted) this.#letThrough()
    })
  }
}

function tooLate(waitMs: number): ForumFailure {
  if (waitMs === 0) {
    return new ForumFailure(
      'timeout',
      'The time of this call was over before its request could leave, because other requests to this forum were under way. Try again.',
    )
  }
  const seconds = Math.ceil(waitMs / 1_000)
  return new ForumFailure(
    'rate_limited',
    `This forum takes no more requests for another ${seconds} s, which is longer than this call may take. Try again then.`,
    { retry_after_s: seconds },
  )
}
