import { expect, test } from 'vitest'
import { Random, VirtualClock } from '../src/index.js'

test('what is due happens in the order of time, and of its making within an instant', () => {
  const clock = new VirtualClock(100)
  const happened: string[] = []
  clock.after(20, () => happened.push(`c at ${clock.now}`))
  clock.after(10, () => happened.push(`a at ${clock.now}`))
  clock.after(10, () => happened.push(`b at ${clock.now}`))
  clock.after(30, () => happened.push('never'))
  clock.runUntil(125)
  expect(happened).toEqual(['a at 110', 'b at 110', 'c at 120'])
  expect(clock.now).toBe(125)
})

test('a cancelled alarm does not ring, and a time in the past means now', () => {
  const clock = new VirtualClock(100)
  const happened: number[] = []
  clock.after(5, () => happened.push(1)).cancel()
  clock.at(3, () => happened.push(clock.now))
  clock.runUntil(200)
  expect(happened).toEqual([100])
})

test('somebody who spins is found', () => {
  const clock = new VirtualClock(0)
  const spin = (): void => void clock.after(0, spin)
  spin()
  expect(() => clock.runUntil(1)).toThrow('time stands still')
})

test('many alarms keep their order', () => {
  const clock = new VirtualClock(0)
  const random = new Random(1)
  const times: number[] = []
  for (let count = 0; count < 1_000; count++) clock.after(random.integer(0, 300), () => times.push(clock.now))
  clock.runUntil(300)
  expect(times).toHaveLength(1_000)
  expect(times).toEqual([...times].sort((one, other) => one - other))
})
