import { describe, expect, it } from 'vitest'
import { isBack, leftovers, type Sample, trendChecks, trends } from '../soak-samples.js'

const mebibyte = 2 ** 20
const everyMs = 5_000

const sample = (index: number, more: Partial<Sample> = {}): Sample => ({
  at: index * everyMs,
  residentBytes: 90 * mebibyte,
  heapUsedBytes: 30 * mebibyte,
  handles: 30,
  resources: 25,
  sessions: 1,
  connections: 0,
  calls: 0,
  queued: 0,
  conversations: 0,
  timers: 5,
  ...more,
})
/** Half an hour, with something that swings from sample to sample. */
const halfAnHour = (at: (index: number) => Partial<Sample>) =>
  Array.from({ length: 360 }, (_, index) => sample(index, at(index)))
const swing = (index: number) => ((index * 7919) % 13) * mebibyte

describe('what a hub holds after a soak', () => {
  it('is back when nothing is more than at the start', () => {
    expect(isBack(sample(0), sample(9, { residentBytes: 200 * mebibyte, timers: 4 }))).toBe(true)
    expect(isBack(sample(0), sample(9, { timers: 6 }))).toBe(false)
  })

  it('is told by what was left over', () => {
    const missed = leftovers(sample(0), sample(9, { sessions: 3, handles: 29 })).filter(({ isMet }) => !isMet)
    expect(missed).toMatchObject([{ measured: '2', examples: ['1 became 3'] }])
  })

  it('misses its goal with a leak of 2 MiB a minute in the second half, and one of a handle a minute', () => {
    const checks = trendChecks(
      trends(
        halfAnHour((index) => {
          const minutes = Math.max(0, index - 180) / 12
          return {
            residentBytes: 90 * mebibyte + swing(index) + minutes * 2 * mebibyte,
            handles: 30 + Math.floor(minutes),
          }
        }),
      ),
    )
    expect(checks.map(({ isMet }) => isMet)).toEqual([false, false])
    expect(checks[0]?.measured).toMatch(/^1[12]\d\.\d\d ± .* MiB\/h: rising$/)
  })

  it('meets it with swings, and with whatever grew in the first half', () => {
    const checks = trendChecks(
      trends(halfAnHour((index) => ({ residentBytes: Math.min(index, 180) * mebibyte + swing(index) }))),
    )
    expect(checks.map(({ isMet }) => isMet)).toEqual([true, true])
  })

  it('meets nothing in a time that is too short, and says why', () => {
    const checks = trendChecks(trends(halfAnHour(() => ({})).slice(0, 60)))
    expect(checks[0]).toMatchObject({ isMet: false, about: 'time', measured: '2 minutes are too few to say' })
  })
})
