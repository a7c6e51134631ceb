import { afterEach, expect, test, vi } from 'vitest'
import { SteadyClock } from '../src/steady-clock.js'

afterEach(() => void vi.restoreAllMocks())

/** The two clocks of the system, set by hand. */
function system(): { wall: number; steady: number } {
  const at = { wall: 1_700_000_000_000, steady: 500 }
  vi.spyOn(Date, 'now').mockImplementation(() => at.wall)
  vi.spyOn(performance, 'now').mockImplementation(() => at.steady)
  return at
}

test('time goes on as the monotonic clock does, whatever the wall clock is rounded to', () => {
  const at = system()
  const clock = new SteadyClock()
  for (let i = 0; i < 1_000; i++) {
    at.steady += 0.4
    at.wall = 1_700_000_000_000 + Math.floor(at.steady - 500)
    clock.now()
  }
  expect(clock.now()).toBeCloseTo(1_700_000_000_400)
})

test('a suspend, which only the wall clock sees, is time that has passed', () => {
  const at = system()
  const clock = new SteadyClock()
  at.wall += 60_000
  expect(clock.now()).toBe(1_700_000_060_000)
  expect(clock.toUtc(clock.now())).toBe(1_700_000_060_000)
})

test('a wall clock that is set back takes no time away, and UTC follows it', () => {
  const at = system()
  const clock = new SteadyClock()
  at.wall -= 3_600_000 - 10
  at.steady += 10
  expect(clock.now()).toBe(1_700_000_000_010)
  expect(clock.toUtc(clock.now())).toBe(1_699_996_400_010)
})
