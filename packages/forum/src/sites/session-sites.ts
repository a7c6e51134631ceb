import type { Clock } from '@callboard/worker/clock'
import { sessionIdleMs, sessionsMax } from '../limits.js'
import type { Selection } from './selection.js'

interface Entry {
  readonly selection: Selection
  usedAt: number
}

/** Which forum each session has selected. `dropped` hears of selections that ended without a word of the session. */
export class SessionSites {
  readonly #clock: Clock
  readonly #dropped: (session: string) => void
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>()
  readonly #turns = new Map<string, Promise<void>>()

  constructor(clock: Clock, dropped: (session: string) => void) {
    this.#clock = clock
    this.#dropped = dropped
  }

  get(session: string): Selection | undefined {
    this.#dropIdle()
    const entry = this.#entries.get(session)
    if (entry === undefined) return undefined
    entry.usedAt = this.#clock.monotonic()
    this.#entries.delete(session)
    this.#entries.set(session, entry)
    return entry.selection
  }

  set(session: string, selection: Selection): void {
    this.#entries.delete(session)
    this.#entries.set(session, { selection, usedAt: this.#clock.monotonic() })
    this.#dropIdle()
  }

  /** The session is over. */
  end(session: string): void {
    this.#entries.delete(session)
  }

  /** Selections of one session take effect in the order in which they were asked for. */
  async inTurn<Result>(session: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(session) ?? Promise.resolve()
    const run = before.then(work)
    const ended = run.then(nothing, nothing)
    this.#turns.set(session, ended)
    try {
      return await run
    } finally {
      if (this.#turns.get(session) === ended) this.#turns.delete(session)
    }
  }

  #dropIdle(): void {
    const oldest = this.#clock.monotonic() - sessionIdleMs
    for (const [session, { usedAt }] of this.#entries) {
      if (usedAt > oldest && this.#entries.size <= sessionsMax) return
      this.#entries.delete(session)
      this.#dropped(session)
    }
  }
}

const nothing = () => {}
