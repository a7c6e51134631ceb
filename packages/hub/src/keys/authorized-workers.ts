import { WatchedFile } from '../watched-file.js'
import type { AuthorizedWorker } from './allow-list.js'
import { allowListRules } from './allow-list-file.js'
import { allowListBytesMax, watchIntervalMs } from './limits.js'

export type { AuthorizedWorker } from './allow-list.js'

type ByKey = ReadonlyMap<string, AuthorizedWorker>

const nobody: ByKey = new Map()

/**
 * The allow-list as a running hub sees it. A list that can't be read in full admits nobody new; who is in stays, because
 * nothing says otherwise. No list: nobody may sign in by key.
 */
export class AuthorizedWorkers {
  readonly path: string
  readonly #file: WatchedFile<ByKey>
  readonly #now: () => number
  readonly #changeListeners: (() => void)[] = []
  readonly #problemListeners: ((problem: string) => void)[] = []
  readonly #timer: NodeJS.Timeout
  /** The last that could be read in full. */
  #lastGood: ByKey = nobody
  /** Of {@link #lastGood}, what the listeners know of. */
  #told: ByKey = nobody
  #toldAt: number
  #problem: string | undefined

  /** `now`: UTC ms. */
  constructor(path: string, now: () => number) {
    this.path = path
    this.#file = new WatchedFile(path, {
      ...allowListRules,
      bytesMax: allowListBytesMax,
      absent: nobody,
      parse: (text, file) => new Map(allowListRules.parse(text, file).map((worker) => [worker.key, worker])),
    })
    this.#now = now
    this.#toldAt = now()
    this.#read()
    this.#told = this.#lastGood
    this.#timer = setInterval(() => this.look(), watchIntervalMs)
    this.#timer.unref()
  }

  /** For whoever comes in: undefined when the key is unknown or over, or while the list can't be read in full. */
  find(key: string): AuthorizedWorker | undefined {
    return this.#read() ? this.standing(key) : undefined
  }

  /** For whoever is in: what the list said last when it could be read; undefined when the key is gone from it or over. */
  standing(key: string): AuthorizedWorker | undefined {
    const worker = this.#lastGood.get(key)
    return worker === undefined || isOver(worker, this.#now()) ? undefined : worker
  }

  /** Whether the list has the key and its time is over. */
  hasExpired(key: string): boolean {
    const worker = this.#lastGood.get(key)
    return worker !== undefined && isOver(worker, this.#now())
  }

  /** Good keys of the list as it is. */
  get count(): number {
    const now = this.#now()
    return this.#read() ? [...this.#lastGood.values()].filter((worker) => !isOver(worker, now)).length : 0
  }

  /** Within a second of a change, and of a key's end. Ask {@link standing} then for those who are in. */
  onChange(listener: () => void): void {
    this.#changeListeners.push(listener)
  }

  /** Once for each problem of the list, at once for one that it has now: a sentence for the log, with the remedy. */
  onProblem(listener: (problem: string) => void): void {
    this.#problemListeners.push(listener)
    if (this.#problem !== undefined) listener(this.#problem)
  }

  /** Tells of what has changed since the last look. A timer does it. */
  look(): void {
    this.#read()
    const now = this.#now()
    const hasNewEnd = [...this.#lastGood.values()].some(
      (worker) => isOver(worker, now) && !isOver(worker, this.#toldAt),
    )
    const hasChanged = this.#told !== this.#lastGood
    this.#told = this.#lastGood
    this.#toldAt = now
    if (hasChanged || hasNewEnd) for (const listener of this.#changeListeners) listener()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** False: the list can't be read in full. */
  #read(): boolean {
    try {
      this.#lastGood = this.#file.read()
      this.#problem = undefined
      return true
    } catch (error) {
      const { message } = error as Error
      if (message === this.#problem) return false
      this.#problem = message
      for (const listener of this.#problemListeners) listener(message)
      return false
    }
  }
}

/** Whether a key's time has come. `now`: UTC ms. */
export const isOver = ({ expiresAt }: Pick<AuthorizedWorker, 'expiresAt'>, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now
