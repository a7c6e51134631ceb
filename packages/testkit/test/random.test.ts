import { expect, test } from 'vitest'
import { Random } from '../src/index.js'

test('the same seed gives the same numbers, another seed others', () => {
  const draw = (seed: number) => {
    const random = new Random(seed)
    return Array.from({ length: 5 }, () => random.integer(0, 1_000_000))
  }
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
})

test('whole numbers reach both ends, evenly', () => {
  const random = new Random(3)
  const counts = [0, 0, 0, 0]
  for (let count = 0; count < 8_000; count++) counts[random.integer(0, 3)]! += 1
  for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(200)
})

test('a fault that is off draws no number', () => {
  const one = new Random(4)
  const other = new Random(4)
  expect(one.chance(0)).toBe(false)
  expect(one.next()).toBe(other.next())
})

test('what a fork draws does not shift its parent', () => {
  const one = new Random(5)
  const other = new Random(5)
  const fork = one.fork()
  other.fork()
  fork.next()
  expect(one.next()).toBe(other.next())
})
