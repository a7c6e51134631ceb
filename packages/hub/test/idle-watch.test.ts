import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { IdleWatch, idleEndMs, isNeeded } from '../src/idle-watch.js'
import type { BrokerSnapshot } from '../src/index.js'

type Needs = Partial<Pick<BrokerSnapshot, 'connections' | 'calls' | 'holdUntil'>>
const snapshot = (needs: Needs): BrokerSnapshot =>
  ({ connections: 0, calls: [], ...needs }) as unknown as BrokerSnapshot
const call = {} as BrokerSnapshot['calls'][number]

it.each<[string, Needs, boolean]>([
  ['nobody', {}, false],
  ['an agent', { connections: 1 }, true],
  ['a call', { calls: [call] }, true],
  ['a worker, until later', { holdUntil: 1_001 }, true],
  ['a worker, until now', { holdUntil: 1_000 }, false],
])('needed by %s: %j', (_, needs, expected) => {
  expect(isNeeded(snapshot(needs), 1_000)).toBe(expected)
})

describe('an idle hub', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
  afterEach(() => void vi.useRealTimers())

  /** A watch over what `needs` says at each moment; and how often it called. */
  function watched(needs: () => Needs) {
    const onIdle = vi.fn()
    const watch = new IdleWatch(() => snapshot(needs()), onIdle)
    onTestFinished(() => watch.close())
    return { watch, onIdle }
  }

  it('ends after ten minutes', () => {
    const { onIdle } = watched(() => ({}))
    vi.advanceTimersByTime(idleEndMs)
    expect(onIdle).not.toHaveBeenCalled()
    vi.advanceTimersByTime(5_000)
    expect(onIdle).toHaveBeenCalledOnce()
  })

  it('has ten minutes anew after each need', () => {
    let needs: Needs = {}
    const { onIdle } = watched(() => needs)
    vi.advanceTimersByTime(idleEndMs - 10_000)
    needs = { connections: 1 }
    vi.advanceTimersByTime(5_000)
    needs = {}
    vi.advanceTimersByTime(idleEndMs)
    expect(onIdle).not.toHaveBeenCalled()
    vi.advanceTimersByTime(10_000)
    expect(onIdle).toHaveBeenCalled()
  })

  it('lives at least until the latest holdUntil, and ten minutes more', () => {
    const holdUntil = 1_000_000 + 24 * 3_600_000
    const { onIdle } = watched(() => ({ holdUntil }))
    vi.advanceTimersByTime(24 * 3_600_000 + idleEndMs - 5_000)
    expect(onIdle).not.toHaveBeenCalled()
    vi.advanceTimersByTime(10_000)
    expect(onIdle).toHaveBeenCalled()
  })

  it('is not watched after close', () => {
    const { watch, onIdle } = watched(() => ({}))
    watch.close()
    vi.advanceTimersByTime(10 * idleEndMs)
    expect(onIdle).not.toHaveBeenCalled()
  })
})
