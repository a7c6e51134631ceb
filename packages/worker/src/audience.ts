import type { SessionView } from '@callboard/protocol'
import { sessionsMax, subscriptionsMax, viewsMax } from './limits.js'

export interface Subscription {
  readonly uri: string
  readonly session: string
}

/** The sessions of agents as far as this worker has met them: what each sees, and what each watches. */
export class Audience {
  /** In the order in which they were last met. */
  readonly #sessions = new Set<string>()
  /** The one that was met last; most calls come from it. */
  #latest: string | undefined
  readonly #views = new Map<string, SessionView>()
  readonly #subscriptions = new Map<string, Subscription>()

  meet(session: string): void {
    if (session === this.#latest) return
    this.#latest = session
    this.#sessions.delete(session)
    this.#sessions.add(session)
    if (this.#sessions.size > sessionsMax) this.#sessions.delete(first(this.#sessions))
  }

  /** `isTold`: the hub has it. One that says nothing has to be told as well, but not repeated. */
  setView(session: string, view: SessionView, isTold: boolean): void {
    this.meet(session)
    this.#views.delete(session)
    if (isTold && Object.values(view).every((list) => list.length === 0)) return
    this.#views.set(session, view)
    if (this.#views.size > viewsMax) this.#views.delete(first(this.#views.keys()))
  }

  get views(): Iterable<readonly [string, SessionView]> {
    return this.#views
  }

  /** False: it was so already, or there are too many. */
  subscribe(uri: string, session: string): boolean {
    const key = keyOf(uri, session)
    if (this.#subscriptions.has(key) || this.#subscriptions.size >= subscriptionsMax) return false
    this.meet(session)
    this.#subscriptions.set(key, { uri, session })
    return true
  }

  unsubscribe(uri: string, session: string): boolean {
    return this.#subscriptions.delete(keyOf(uri, session))
  }

  /** The connection is lost: the hub repeats after the next sign-in what is still watched. */
  dropSubscriptions(): Subscription[] {
    const dropped = [...this.#subscriptions.values()]
    this.#subscriptions.clear()
    return dropped
  }

  /** Forgets a session and returns what it watched. */
  close(session: string): Subscription[] {
    if (session === this.#latest) this.#latest = undefined
    this.#sessions.delete(session)
    this.#views.delete(session)
    const watched = [...this.#subscriptions.values()].filter((subscription) => subscription.session === session)
    for (const { uri } of watched) this.#subscriptions.delete(keyOf(uri, session))
    return watched
  }

  without(living: ReadonlySet<string>): string[] {
    return [...this.#sessions].filter((session) => !living.has(session))
  }
}

function keyOf(uri: string, session: string): string {
  return JSON.stringify([uri, session])
}

function first(values: Iterable<string>): string {
  for (const value of values) return value
  return ''
}
