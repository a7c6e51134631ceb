import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { EventLoopLag } from '../../src/metrics/event-loop-lag.js'
import { eventLoopResolutionMs, eventLoopWindowMs } from '../../src/metrics/limits.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Timers can't ring meanwhile: the clock goes on without them. */
function stall(ms: number): void {
  const reads = vi.spyOn(performance, 'now')
  const began = performance.now()
  reads.mockImplementation(() => began + eventLoopResolutionMs + ms)
  vi.advanceTimersByTime(eventLoopResolutionMs)
  reads.mockRestore()
}

it('tells of nothing before there is something', () => {
  using lag = new EventLoopLag()
  expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 0, maxMs: 0 })
})

it('tells how late timers rang: most on time, one not', () => {
  using lag = new EventLoopLag()
  vi.advanceTimersByTime(9 * eventLoopResolutionMs)
  stall(150)
  expect(lag.read().p50Ms).toBeLessThan(1)
  expect(lag.read().p99Ms).toBeCloseTo(150, 0)
  expect(lag.read().maxMs).toBeCloseTo(150, 0)
})

it('tells every reader of a stall, until a window has passed in which there was none', () => {
  using lag = new EventLoopLag()
  stall(100)
  expect(lag.read().maxMs).toBeCloseTo(100, 0)
  vi.advanceTimersByTime(eventLoopWindowMs + eventLoopResolutionMs)
  expect(lag.read().maxMs).toBeCloseTo(100, 0)
  vi.advanceTimersByTime(eventLoopWindowMs + eventLoopResolutionMs)
  expect(lag.read().maxMs).toBeLessThan(1)
})

it('ends with its hub, also twice', () => {
  const lag = new EventLoopLag()
  lag[Symbol.dispose]()
  lag[Symbol.dispose]()
  expect(vi.getTimerCount()).toBe(0)
})
