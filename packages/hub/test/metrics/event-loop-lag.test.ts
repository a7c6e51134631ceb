import { afterEach, expect, it, vi } from 'vitest'
import { EventLoopLag } from '../../src/metrics/event-loop-lag.js'
import { eventLoopWindowMs } from '../../src/metrics/limits.js'

afterEach(() => {
  vi.useRealTimers()
})

function block(ms: number): void {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt);
}

/** The monitor has to have run before there is something to be late for. */
async function stalled(lag: EventLoopLag): Promise<void> {
  await vi.waitFor(() => {
    block(100)
    expect(lag.read().maxMs).toBeGreaterThan(50)
  })
}

it('tells of nothing before there is something', () => {
  using lag = new EventLoopLag()
  expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 0, maxMs: 0 })
})

it('tells every reader of a stall, until a window has passed in which there was none', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  using lag = new EventLoopLag()
  await stalled(lag)
  const { maxMs } = lag.read()
  expect(lag.read().maxMs).toBeGreaterThanOrEqual(maxMs)
  vi.advanceTimersByTime(eventLoopWindowMs)
  expect(lag.read().maxMs).toBeGreaterThan(50)
  vi.advanceTimersByTime(eventLoopWindowMs)
  expect(lag.read().maxMs).toBe(0)
})

it('ends with its hub, also twice', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const lag = new EventLoopLag()
  lag[Symbol.dispose]()
  lag[Symbol.dispose]()
  expect(vi.getTimerCount()).toBe(0)
})
