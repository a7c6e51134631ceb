import { describe, expect, it } from 'vitest'
import { bearerTokenOf } from '../../src/http/bearer-token.js'

describe('bearerTokenOf', () => {
  it.each([
    [undefined, undefined],
    ['Bearer t', { token: 't' }],
    ['bearer  a b', { token: 'a b' }],
    ['', 'malformed'],
    ['Bearer', 'malformed'],
    ['Bearer ', 'malformed'],
    ['Bearert', 'malformed'],
    ['Basic t', 'malformed'],
    ['Basic Bearer t', 'malformed'],
  ])('reads %j', (authorization, token) => {
    expect(bearerTokenOf(authorization === undefined ? {} : { authorization })).toEqual(token)
  })
})
