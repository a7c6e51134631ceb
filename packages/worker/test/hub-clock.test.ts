import { describe, expect, test } from 'vitest'
import { HubClock } from '../src/hub-clock.js'
import { clockSamplesMax } from '../src/limits.js'

/** An echo of a heartbeat that took `there` and `back` ms, from a hub that is `offset` ahead. */
function learn(clock: HubClock, sentAt: number, there: number, back: number, offset: number): void {
  clock.learn({ sentAt, now: sentAt + there + offset }, sentAt + there + back)
}

describe("the hub's clock", () => {
  test('is guessed from WELCOME, then known from echoes [CB-71]', () => {
    const clock = new HubClock()
    clock.guess(5_000, 1_000)
    expect(clock.toHub(1_000)).toBe(5_000)
    learn(clock, 1_000, 10, 10, 4_200)
    expect(clock.toHub(1_000)).toBe(5_200)
    expect(clock.toLocal(5_200)).toBe(1_000)
  })

  test('is taken from the round trip with the least delay only [CB-71]', () => {
    const clock = new HubClock()
    learn(clock, 0, 1, 1, 100)
    learn(clock, 1_000, 900, 0, 100)
    learn(clock, 2_000, 0, 900, 100)
    expect(clock.toHub(0)).toBe(100)
  })

  test('forgets old measurements, so a clock that was set is believed in the end [CB-71]', () => {
    const clock = new HubClock()
    learn(clock, 0, 1, 1, 100)
    for (let i = 1; i < clockSamplesMax; i++) learn(clock, i, 5, 5, 9_000)
    expect(clock.toHub(0)).toBe(100)
    learn(clock, 99, 5, 5, 9_000)
    expect(clock.toHub(0)).toBe(9_000)
  })

  test('believes the first echo after a doubt, and keeps its estimate until then', () => {
    const clock = new HubClock()
    learn(clock, 0, 1, 1, 100)
    clock.doubt()
    expect(clock.toHub(0)).toBe(100)
    learn(clock, 50, 20, 20, 3_000)
    expect(clock.toHub(0)).toBe(3_000)
  })

  test('ignores an echo from the future', () => {
    const clock = new HubClock()
    clock.learn({ sentAt: 2_000, now: 9_000 }, 1_000)
    expect(clock.toHub(0)).toBe(0)
  })
})
