import { describe, expect, it } from 'vitest'
import { differencesOf, ratiosOf, spreadOf } from '../windows/ratios.js'
import { rotated } from '../windows/rotation.js'

describe('ratios of rounds', () => {
  it('are taken round by round, so that a slow round changes none of them', () => {
    expect(ratiosOf([200, 20, 200], [100, 10, 100])).toEqual([2, 2, 2])
  })

  it('end with the shorter of both', () => {
    expect(ratiosOf([1, 2, 3], [1])).toEqual([1])
    expect(ratiosOf([1], [])).toEqual([])
  })
})

it('differences are taken round by round, and end with the shorter of both', () => {
  expect(differencesOf([15, 115, 9], [10, 100])).toEqual([5, 15])
  expect(differencesOf([1], [])).toEqual([])
})

describe('spreadOf', () => {
  it('has the median and the quartiles, between two where they fall between two', () => {
    expect(spreadOf([4, 1, 3, 2, 5])).toEqual({ median: 3, lower: 2, upper: 4 })
    expect(spreadOf([1, 2])).toEqual({ median: 1.5, lower: 1.25, upper: 1.75 })
    expect(spreadOf([7])).toEqual({ median: 7, lower: 7, upper: 7 })
  })

  it('leaves out what is no number, and is undefined of nothing', () => {
    expect(spreadOf([Number.NaN, 1, Number.POSITIVE_INFINITY])).toEqual({ median: 1, lower: 1, upper: 1 })
    expect(spreadOf([])).toBeUndefined()
  })
})

it('no subject always comes after the same one', () => {
  const names = ['one', 'two', 'three']
  expect([0, 1, 2, 3].map((round) => rotated(names, round).join(' '))).toEqual([
    'one two three',
    'one three two',
    'three one two',
    'three two one',
  ])
  expect(rotated([], 5)).toEqual([])
})
