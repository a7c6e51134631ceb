import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Patience } from '../../src/http/patience.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const patienceMs = 500

function waiting() {
  const patience = new Patience(patienceMs)
  const gaveUp: string[] = []
  const begin = (name: string) => {
    const one = { giveUp: () => gaveUp.push(name) }
    patience.begin(one)
    return one
  }
  return { patience, gaveUp, begin }
}

it('ends for each after its own time', () => {
  const { gaveUp, begin } = waiting()
  begin('first')
  vi.advanceTimersByTime(patienceMs / 2)
  begin('second')
  vi.advanceTimersByTime(patienceMs / 2 - 1)
  expect(gaveUp).toEqual([])
  vi.advanceTimersByTime(1)
  expect(gaveUp).toEqual(['first'])
  vi.advanceTimersByTime(patienceMs / 2)
  expect(gaveUp).toEqual(['first', 'second'])
})

it('does not end for whoever waits no more', () => {
  const { patience, gaveUp, begin } = waiting()
  patience.end(begin('answered'))
  begin('waiting')
  vi.advanceTimersByTime(patienceMs)
  expect(gaveUp).toEqual(['waiting'])
})

it('takes one timer for all, and none when nobody waits', () => {
  const { patience, begin } = waiting()
  const all = [begin('first'), begin('second'), begin('third')]
  expect(vi.getTimerCount()).toBe(1)
  for (const one of all) patience.end(one)
  vi.advanceTimersByTime(patienceMs)
  expect(vi.getTimerCount()).toBe(0)
})

it('begins anew for whoever begins after the others have ended', () => {
  const { gaveUp, begin } = waiting()
  begin('first')
  vi.advanceTimersByTime(patienceMs)
  begin('second')
  vi.advanceTimersByTime(patienceMs - 1)
  expect(gaveUp).toEqual(['first'])
  vi.advanceTimersByTime(1)
  expect(gaveUp).toEqual(['first', 'second'])
})
