import { cachedAnswersMax, cachedBytesMax } from '../limits.js'

/** One reading of one URL, from before it is asked for: a write meanwhile makes its answer worthless for later. */
export interface Reading {
  readonly key: string
  readonly base: string
  /** How long its answer is of use, ms. */
  readonly freshMs: number
  readonly begun: number
}

interface KeptAnswer {
  readonly base: string
  readonly text: string
  readonly bytes: number
  readonly until: number
}

/**
 * Answers that may be given again for some seconds, as text. Knows no clock: `now` is monotonic ms. What was used least recently
 * gives way.
 */
export class ResponseCache {
  readonly #kept = new Map<string, KeptAnswer>()
  readonly #open = new Set<Reading>()
  #bytes = 0

  /** Forgets what it returns undefined for. */
  find(base: string, identity: string, url: string, now: number): string | undefined {
    const key = keyOf(base, identity, url)
    const found = this.#kept.get(key)
    if (found === undefined) return undefined
    this.#drop(key)
    if (found.until <= now) return undefined
    this.#keep(key, found)
    return found.text
  }

  /** Before a URL is asked for that {@link freshMsOf} allows to keep. Each one is ended by {@link keep} or {@link giveUp}. */
  begin(base: string, identity: string, url: string, freshMs: number, now: number): Reading {
    const reading: Reading = { key: keyOf(base, identity, url), base, freshMs, begun: now }
    this.#open.add(reading)
    return reading
  }

  /** Its age counts from before it was asked for. */
  keep(reading: Reading, text: string, bytes: number): void {
    // Absent: somebody has written since.
    if (!this.#open.delete(reading) || bytes > cachedBytesMax) return
    this.#drop(reading.key)
    this.#keep(reading.key, { base: reading.base, text, bytes, until: reading.begun + reading.freshMs })
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= cachedAnswersMax && this.#bytes <= cachedBytesMax) return
      this.#drop(key)
    }
  }

  giveUp(reading: Reading): void {
    this.#open.delete(reading)
  }

  /** Somebody writes to that forum: nothing that anybody read there before is of use. */
  empty(base: string): void {
    for (const [key, kept] of this.#kept) if (kept.base === base) this.#drop(key)
    for (const reading of this.#open) if (reading.base === base) this.#open.delete(reading)
  }

  #keep(key: string, answer: KeptAnswer): void {
    this.#kept.set(key, answer)
    this.#bytes += answer.bytes
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }
}

function keyOf(base: string, identity: string, url: string): string {
  return JSON.stringify([base, identity, url])
}

const freshness: readonly (readonly [RegExp, number])[] = [
  [/^\/t\/|^\/posts\/\d+(\.json)?$/, 10_000],
  [/^\/(site|tags|groups)\.json$|^\/categories(\.json$|\/)/, 30_000],
  [/^\/about\.json$/, 60_000],
]

/** How long the answer to a path, from the base and without its query, is of use, ms; 0: not at all. */
export function freshMsOf(path: string): number {
  return freshness.find(([pattern]) => pattern.test(path))?.[1] ?? 0
}
