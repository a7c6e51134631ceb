import { bucketsMax } from './limits.js'
import type { RateLimit } from './rule.js'

interface Bucket {
  /** Calls that may be made, in parts. */
  level: number
  /** UTC ms. */
  at: number
}

/** For whom no bucket is left: they share one. A caller's own begins with its principal or session. */
const everybodyElse = ''

/** How many calls may still be made, by what they are counted for. Time comes in. */
export class RateBuckets {
  readonly #byLimit = new Map<string, Map<string, Bucket>>()

  /** Counts a call, where there is room for it. Else returns the ms until there is. */
  take(limit: RateLimit, whose: string, now: number): number | undefined {
    const bucket = this.#bucket(limit, whose, now)
    bucket.level = levelOf(bucket, limit, now)
    bucket.at = now
    if (bucket.level < 1) return Math.max(1, Math.ceil(((1 - bucket.level) * limit.perMs) / limit.calls))
    bucket.level -= 1
    return undefined
  }

  /** Forgets what no limit is there for any more. */
  keep(limits: readonly RateLimit[]): void {
    const keys = new Set(limits.map(({ key }) => key))
    for (const key of [...this.#byLimit.keys()]) if (!keys.has(key)) this.#byLimit.delete(key)
  }

  get size(): number {
    return [...this.#byLimit.values()].reduce((sum, buckets) => sum + buckets.size, 0)
  }

  #bucket(limit: RateLimit, whose: string, now: number): Bucket {
    const buckets = this.#byLimit.get(limit.key) ?? new Map<string, Bucket>()
    this.#byLimit.set(limit.key, buckets)
    const known = buckets.get(whose)
    if (known !== undefined) {
      // In the order of their last use.
      buckets.delete(whose)
      buckets.set(whose, known)
      return known
    }
    if (buckets.size >= bucketsMax) dropFull(buckets, limit, now)
    const key = buckets.size < bucketsMax ? whose : everybodyElse
    const bucket = buckets.get(key) ?? { level: limit.burst, at: now }
    buckets.set(key, bucket)
    return bucket
  }
}

/** A full one says what none says. One that is not must stay, or whoever comes as many gets rid of its own. */
function dropFull(buckets: Map<string, Bucket>, limit: RateLimit, now: number): void {
  for (const [key, bucket] of buckets) {
    if (levelOf(bucket, limit, now) < limit.burst) return
    buckets.delete(key)
  }
}

function levelOf({ level, at }: Bucket, { burst, calls, perMs }: RateLimit, now: number): number {
  return Math.min(burst, level + (Math.max(0, now - at) * calls) / perMs)
}
