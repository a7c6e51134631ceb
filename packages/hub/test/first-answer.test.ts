import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FirstAnswer } from '../src/first-answer.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function first(): { readonly answer: FirstAnswer; readonly isOver: () => boolean } {
  const answer = new FirstAnswer()
  let isOver = false
  void answer.over.then(() => {
    isOver = true
  })
  return { answer, isOver: () => isOver }
}

it('gives the first agent a moment for its handshake, and no other agent another one', async () => {
  const { answer, isOver } = first()
  await vi.advanceTimersByTimeAsync(200)
  answer.agentCame()
  await vi.advanceTimersByTimeAsync(49)
  expect(isOver()).toBe(false)
  answer.agentCame()
  await vi.advanceTimersByTimeAsync(1)
  expect(isOver()).toBe(true)
  answer.agentCame()
  expect(vi.getTimerCount()).toBe(0)
})

it('does not wait long for an agent that does not come', async () => {
  const { isOver } = first()
  await vi.advanceTimersByTimeAsync(249)
  expect(isOver()).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(isOver()).toBe(true)
})
