import { expect, it } from 'vitest'
import { Heartbeats } from '../src/heartbeats.js'

const intervalMs = 1_000

/** When the next ones are due, each sent a little late, as timers are. */
function dueAfter(start: number, count: number): number[] {
  const heartbeats = new Heartbeats(intervalMs, start)
  heartbeats.start(start)
  return Array.from({ length: count }, () => {
    heartbeats.next(heartbeats.dueAt + 3)
    return heartbeats.dueAt
  })
}

it('fall on quarters of the interval, whenever a worker came, so that those of several come together', () => {
  for (const start of [1_000_000, 1_000_001, 1_000_249, 1_000_251.75, 1_000_999]) {
    expect(dueAfter(start, 5).map((at) => at % 250)).toEqual([0, 0, 0, 0, 0])
  }
})

it('are never further apart than the interval', () => {
  for (const start of [1_000_000, 1_000_247, 1_000_998]) {
    const [first, ...later] = dueAfter(start, 5)
    expect(first! - start).toBeGreaterThan(0)
    expect(first! - start).toBeLessThanOrEqual(intervalMs + 3)
    expect(later.map((at, index) => at - [first!, ...later][index]!)).toEqual([1_000, 1_000, 1_000, 1_000])
  }
})
