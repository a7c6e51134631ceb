import { Random } from '@callboard/testkit'
import { describe, expect, it } from 'vitest'
import { courseOf, type Point, trendOf } from '../linear-trend.js'

const mebibyte = 1024 * 1024
const everyMs = 5_000
const seeds = Array.from({ length: 200 }, (_, index) => index + 1)

/** A quarter of an hour of samples: the second half of half an hour. */
function samples(valueAt: (index: number) => number): Point[] {
  return Array.from({ length: 180 }, (_, index) => ({ at: 1_700_000_000_000 + index * everyMs, value: valueAt(index) }))
}

/** Sum of twelve even draws: as good as normal, with a standard deviation of 1. */
const normal = (random: Random): number => Array.from({ length: 12 }, () => random.next()).reduce((a, b) => a + b) - 6

/** What a process holds: 90 MiB and noise of some MiB in which neighbours are alike. */
function noisy(random: Random, memory: number): (index: number) => number {
  let drift = 0
  return () => {
    drift = memory * drift + Math.sqrt(1 - memory ** 2) * normal(random)
    return (90 + 3 * drift) * mebibyte
  }
}

/** Grows for a minute and a half, and is collected. */
const sawtooth = (random: Random, index: number) => (((index + random.integer(0, 3)) % 18) / 18) * 8 * mebibyte

const leak = (index: number, perMinute: number) => ((index * everyMs) / 60_000) * perMinute * mebibyte

const coursesOf = (valueFor: (random: Random) => (index: number) => number) =>
  seeds.map((seed) => courseOf(trendOf(samples(valueFor(new Random(seed)))), mebibyte))

const share = <Item>(items: readonly Item[], item: Item) => items.filter((each) => each === item).length / items.length

describe('the trend of what a process holds', () => {
  it('is that of the line, without an error, where there is nothing else', () => {
    const { perHour, standardErrorPerHour } = trendOf(samples((index) => leak(index, 2)))
    expect(perHour / mebibyte).toBeCloseTo(120, 6)
    expect(standardErrorPerHour / mebibyte).toBeCloseTo(0, 6)
  })

  it('finds a leak of 2 MiB a minute in noise, whatever the seed', () => {
    const courses = coursesOf((random) => {
      const noise = noisy(random, 0.8)
      return (index) => noise(index) + sawtooth(random, index) + leak(index, 2)
    })
    expect(share(courses, 'rising')).toBe(1)
  })

  it.each([0, 0.5, 0.9])(
    'calls noise flat nine times of ten, with a correlation of %s between neighbours',
    (memory) => {
      const courses = coursesOf((random) => noisy(random, memory))
      expect(share(courses, 'flat')).toBeGreaterThan(0.9)
    },
  )

  it('takes a heap that grows and is collected for flat', () => {
    expect(
      share(
        coursesOf((random) => (index) => sawtooth(random, index)),
        'flat',
      ),
    ).toBeGreaterThan(0.95)
  })

  it('sees what is given back', () => {
    expect(
      share(
        coursesOf((random) => {
          const noise = noisy(random, 0.5)
          return (index) => noise(index) - leak(index, 2)
        }),
        'falling',
      ),
    ).toBe(1)
  })

  it('lets a slope pass that matters to nobody, however sure it is', () => {
    const trend = trendOf(samples((index) => leak(index, 0.5 / 60)))
    expect(courseOf(trend, mebibyte)).toBe('flat')
    expect(courseOf(trend, mebibyte / 4)).toBe('rising')
  })

  it('says nothing of a few minutes, or of nothing', () => {
    expect(courseOf(trendOf(samples(() => mebibyte).slice(0, 40)), mebibyte)).toBe('unknown')
    expect(courseOf(trendOf([]), mebibyte)).toBe('unknown')
  })
})
