import { describe, expect, it } from 'vitest'
import { bucketsMax } from '../../src/policy/limits.js'
import { RateBuckets } from '../../src/policy/rate-buckets.js'

const limit = { key: 'k', calls: 6, perMs: 60_000, burst: 2, each: 'principal' } as const

describe('calls in a time', () => {
  it('as many at once as the burst, then one as each becomes due', () => {
    const rates = new RateBuckets()
    const at = (ms: number) => rates.take(limit, 'ada', ms)
    expect([at(0), at(0), at(0)]).toEqual([undefined, undefined, 10_000])
    expect([at(4_000), at(10_000), at(10_000)]).toEqual([6_000, undefined, 10_000])
  })

  it('no more than the burst is saved up', () => {
    const rates = new RateBuckets()
    for (const _ of [1, 2]) rates.take(limit, 'ada', 0)
    expect([1, 2, 3].map(() => rates.take(limit, 'ada', 3_600_000))).toEqual([undefined, undefined, 10_000])
  })

  it('of each by itself, and a clock that goes back gives nothing', () => {
    const rates = new RateBuckets()
    for (const _ of [1, 2]) rates.take(limit, 'ada', 1_000)
    expect(rates.take(limit, 'ben', 1_000)).toBeUndefined()
    expect(rates.take(limit, 'ada', 0)).toBe(10_000)
  })
})

describe('memory', () => {
  it('is bounded, and nobody gets a new bucket by coming as many', () => {
    const rates = new RateBuckets()
    for (const _ of [1, 2]) rates.take(limit, 'ada', 0)
    for (let each = 0; each < bucketsMax + 50; each++) rates.take(limit, `s${each}`, 0)
    expect(rates.size).toBeLessThanOrEqual(bucketsMax + 1)
    expect(rates.take(limit, 'ada', 0)).toBe(10_000)
    expect(rates.take(limit, 'one more', 0)).toBe(10_000)
  })

  it('is given back by those who have made no calls for long', () => {
    const rates = new RateBuckets()
    for (let each = 0; each < bucketsMax; each++) rates.take(limit, `s${each}`, 0)
    rates.take(limit, 'late', 60_000)
    expect(rates.size).toBe(1)
  })

  it('is given back also where the first who came goes on making calls', () => {
    const rates = new RateBuckets()
    for (let each = 0; each < bucketsMax; each++) rates.take(limit, `s${each}`, 0)
    rates.take(limit, 's0', 59_000)
    rates.take(limit, 'late', 60_000)
    expect(rates.size).toBe(2)
  })

  it('is kept over a reload for limits that are still there', () => {
    const rates = new RateBuckets()
    for (const _ of [1, 2]) rates.take(limit, 'ada', 0)
    rates.keep([limit])
    expect(rates.take(limit, 'ada', 0)).toBe(10_000)
    rates.keep([])
    expect(rates.take(limit, 'ada', 0)).toBeUndefined()
  })
})
