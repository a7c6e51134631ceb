import { expect, test } from 'vitest'
import { canonicalJson, hashOfJson } from '../src/canonical-json.js'

test('the order of keys is no part of a value', () => {
  expect(canonicalJson({ b: { d: [1, 2], c: null }, a: 1 })).toBe('{"a":1,"b":{"c":null,"d":[1,2]}}')
  expect(hashOfJson({ a: 1, b: { d: [1, 2], c: null } })).toBe(hashOfJson({ b: { c: null, d: [1, 2] }, a: 1 }))
})

test('all else is', () => {
  const others = [{ a: 1 }, { a: '1' }, { a: [1] }, { a: [1, 2] }, { a: [2, 1] }, { a: null }, {}, []]
  expect(new Set(others.map(hashOfJson)).size).toBe(others.length)
})
