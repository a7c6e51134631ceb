import { draftsPerUserMax } from '../limits.js'
import type { User } from './entities.js'

export interface Draft {
  readonly key: string
  readonly username: string
  /** JSON, as its editor keeps it. */
  readonly data: string
  readonly sequence: number
  readonly updatedAt: number
}

/**
 * Drafts as core keeps them. The sequence of a key outlives its draft; a first save neither checks nor advances it, each later
 * one does both.
 */
export class Drafts {
  /** How many one user may have. */
  perUserMax = draftsPerUserMax
  readonly #now: () => number
  readonly #drafts = new Map<string, Draft>()
  readonly #sequences = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  get all(): readonly Draft[] {
    return [...this.#drafts.values()]
  }

  sequence({ username }: User, key: string): number {
    return this.#sequences.get(idOf(username, key)) ?? 0
  }

  find({ username }: User, key: string): Draft | undefined {
    return this.#drafts.get(idOf(username, key))
  }

  /** Newest first. */
  of({ username }: User): readonly Draft[] {
    return this.all.filter((draft) => draft.username === username).toReversed()
  }

  /** The sequence to save with next, or why nothing was saved. */
  save(user: User, key: string, sequence: number, data: string): number | 'out of sequence' | 'too many' {
    if (user.bot) return 0
    const id = idOf(user.username, key)
    const isThere = this.#drafts.has(id)
    const current = this.sequence(user, key)
    if (isThere && current !== sequence) return 'out of sequence'
    if (!isThere && this.of(user).length >= this.perUserMax) return 'too many'
    const next = isThere ? current + 1 : current
    if (isThere) this.#sequences.set(id, next)
    this.#drafts.delete(id)
    this.#drafts.set(id, { key, username: user.username, data, sequence: next, updatedAt: this.#now() })
    return next
  }

  /** Does nothing for a wrong sequence. */
  delete(user: User, key: string, sequence: number): void {
    if (this.sequence(user, key) === sequence) this.#drafts.delete(idOf(user.username, key))
  }

  /** What was a draft is posted. */
  advance(user: User, key: string): number {
    if (user.bot) return 0
    const next = this.sequence(user, key) + 1
    this.#sequences.set(idOf(user.username, key), next)
    this.#drafts.delete(idOf(user.username, key))
    return next
  }
}

const idOf = (username: string, key: string): string => JSON.stringify([username, key])
