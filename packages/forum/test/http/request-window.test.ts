import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RequestWindow, type WindowLimit } from '../../src/http/request-window.js'
import { userKeyWindows } from '../../src/limits.js'

describe('a window of requests', () => {
  test('lets so many go at once, and the next one when the first is out of the window', () => {
    const window = new RequestWindow([{ max: 3, windowMs: 1_000 }])
    for (const now of [0, 10, 20]) {
      expect(window.waitMs(now)).toBe(0)
      window.add(now)
    }
    expect(window.waitMs(20)).toBe(980)
    expect(window.waitMs(999)).toBe(1)
    expect(window.waitMs(1_000)).toBe(0)
  })

  test('tells how long one waits behind others', () => {
    const window = new RequestWindow([{ max: 2, windowMs: 1_000 }])
    window.add(0)
    expect([0, 1, 2, 3, 5].map((ahead) => window.waitMs(100, ahead))).toEqual([0, 900, 1_000, 1_900, 2_900])
  })

  test('keeps to all of several limits', () => {
    const window = new RequestWindow([
      { max: 2, windowMs: 1_000 },
      { max: 3, windowMs: 10_000 },
    ])
    for (const now of [0, 1, 1_000]) window.add(now)
    expect(window.waitMs(2_000)).toBe(8_000)
  })

  test('of a user key has no more than 2880 a day', () => {
    const window = new RequestWindow(userKeyWindows)
    for (let index = 0; index < 2_880; index += 1) window.add(index * 3_000)
    expect(window.waitMs(2_880 * 3_000)).toBe(24 * 60 * 60_000 - 2_880 * 3_000)
  })

  test('is empty when nothing counts any more', () => {
    const window = new RequestWindow([{ max: 3, windowMs: 1_000 }])
    expect(window.isEmpty(0)).toBe(true)
    window.add(0)
    expect([window.isEmpty(999), window.isEmpty(1_000)]).toEqual([false, true])
  })

  test('never has more in any window than its limits say, and never waits for nothing', () => {
    const limits: WindowLimit[] = [
      { max: 3, windowMs: 50 },
      { max: 5, windowMs: 200 },
    ]
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 60 }), (pauses) => {
        const window = new RequestWindow(limits)
        const left: number[] = []
        let now = 0
        for (const pause of pauses) {
          now += pause
          const wait = window.waitMs(now)
          const mayGo = limits.every(({ max, windowMs }) => left.filter((at) => at > now - windowMs).length < max)
          expect(wait === 0).toBe(mayGo)
          now += wait
          window.add(now)
          left.push(now)
        }
      }),
    )
  })
})
