import { expect, it } from 'vitest'
import { likeness, triplesOf } from '../../src/policy/likeness.js'

const of = (one: string, other: string) => likeness(triplesOf(one), triplesOf(other))

it.each([
  ['a b c', 'a b c', 1],
  ['a b c', 'A, b? C!', 1],
  ['a b c', 'c b a', 0],
  ['a b c d', 'a b c e', 1 / 3],
  ['thanks', 'Thanks!', 1],
  ['thanks a lot', 'thanks', 0],
  ['', '', 0],
  ['!!!', '...', 0],
])('%j and %j are %d alike', (one, other, share) => {
  expect(of(one, other)).toBe(share)
  expect(of(other, one)).toBe(share)
})
