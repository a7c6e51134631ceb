import { expect, it } from 'vitest'
import { nextTryAfter } from '../../src/mail/retry-schedule.js'

const minute = 60_000

it('tries after 1, 2, 5, 15 and 60 minutes, then hourly until 72 hours are over', () => {
  const times: number[] = []
  let now = 0
  for (let tries = 1; ; tries++) {
    const next = nextTryAfter(tries, now, 0)
    if (next === undefined) break
    expect(next).toBeGreaterThan(now)
    times.push(next / minute)
    now = next
  }
  expect(times.slice(0, 7)).toEqual([1, 3, 8, 23, 83, 143, 203])
  expect(times.at(-1)).toBe(72 * 60)
  expect(times).toHaveLength(76)
})

it('gives up when the window is over, however few attempts there were', () => {
  expect(nextTryAfter(1, 72 * 60 * minute, 0)).toBeUndefined()
})
