import { describe, expect, it } from 'vitest'
import { fullestWindow, nextFree } from '../../src/ledger/sliding-window.js'
import { seeded } from '../support/test-foundation.js'

/** Slow and obvious: the events in every window of whole milliseconds that holds `time`. */
function fullest(times: readonly number[], windowMs: number, time: number): number {
  let most = 0
  for (let end = time; end < time + windowMs; end += 1) {
    most = Math.max(most, times.filter((at) => at > end - windowMs && at <= end).length)
  }
  return most
}

describe('the next free time', () => {
  const window = { max: 2, windowMs: 10 }

  it.each([
    ['nothing happened', [], 100, 100],
    ['one place is left', [95], 100, 100],
    ['both are taken: a whole window after the older one', [95, 97], 100, 105],
    ['one is a whole window old', [90, 97], 100, 100],
    ['a later time is taken twice', [105, 106], 100, 115],
    ['two are taken, but never share a window with it', [95, 105], 100, 100],
    ['the older two are in its window, and then the younger two', [95, 103, 108], 100, 113],
    ['one after another leaves no room', [95, 96, 104, 106], 100, 114],
    ['the limit was lowered since', [95, 96, 97, 98], 100, 107],
  ])('when %s', (_, times, from, free) => {
    expect(nextFree(times, window, from)).toBe(free)
  })

  it('is never when the limit is 0', () => {
    expect(nextFree([], { max: 0, windowMs: 10 }, 100)).toBeUndefined()
  })

  it('is what trying every millisecond finds, over thousands of random histories', () => {
    const random = seeded(7)
    const upTo = (most: number) => Math.floor(random() * (most + 1))
    for (let round = 0; round < 3_000; round += 1) {
      const windowMs = 1 + upTo(12)
      const max = 1 + upTo(3)
      const times = Array.from({ length: upTo(10) }, () => 50 + upTo(40)).sort((a, b) => a - b)
      const from = 50 + upTo(40)
      const counted = times.filter((at) => at > from - windowMs)
      let free = from
      while (fullest([...times, free], windowMs, free) > max) free += 1
      expect(nextFree(counted, { max, windowMs }, from), JSON.stringify({ times, from, max, windowMs })).toBe(free)
    }
  })
})

describe('the fullest window', () => {
  it.each([
    ['holds nothing when nothing happened', [], []],
    ['holds what happened within its length', [91, 100], [91, 100]],
    ['looks ahead, too', [95, 104, 108, 109], [104, 108, 109]],
    ['ends before what can share none with now', [95, 110], [95]],
    ['of two equally full ones is the earlier', [91, 101], [91]],
  ])('%s', (_, times, held) => {
    expect(times.slice(...fullestWindow(times, 10, 100))).toEqual(held)
  })

  it('is as full as the fullest of all windows, over thousands of random histories', () => {
    const random = seeded(8)
    const upTo = (most: number) => Math.floor(random() * (most + 1))
    for (let round = 0; round < 3_000; round += 1) {
      const windowMs = 1 + upTo(12)
      const now = 60 + upTo(20)
      const times = Array.from({ length: upTo(10) }, () => 50 + upTo(40)).sort((a, b) => a - b)
      const counted = times.filter((at) => at > now - windowMs)
      const [from, to] = fullestWindow(counted, windowMs, now)
      expect(to - from, JSON.stringify({ times, now, windowMs })).toBe(fullest(times, windowMs, now))
    }
  })
})
