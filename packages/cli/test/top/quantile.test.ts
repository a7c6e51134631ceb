import { expect, it } from 'vitest'
import { quantileMs } from '../../src/top/quantile.js'
import { bucketsMs } from './readings.js'

it.each([
  ['the middle of the one bucket', 0.5, [0, 8, 0, 0], 15],
  ['the end of a bucket', 0.5, [4, 4, 0, 0], 10],
  ['a part of the bucket in which it lies', 0.75, [4, 4, 0, 0], 15],
  ['the first bucket from 0 on', 0.5, [2, 0, 0, 0], 5],
  ['past buckets with nothing in them', 0.99, [50, 0, 50, 0], 39.6],
  ['the bucket after an empty one for all', 1, [0, 0, 1, 0], 40],
  ['beyond the last bound', 0.99, [1, 0, 0, 9], Number.POSITIVE_INFINITY],
])('is %s', (_, part, counts, expected) => {
  expect(quantileMs(part, counts, bucketsMs)).toBeCloseTo(expected, 10)
})

it('is not there where nothing was counted', () => {
  expect(quantileMs(0.5, [0, 0, 0, 0], bucketsMs)).toBe(undefined)
})
