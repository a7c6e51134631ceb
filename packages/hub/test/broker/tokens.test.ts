import { expect, it } from 'vitest'
import { Tokens } from '../../src/broker/tokens.js'

const identity = { session: 'run-1', principal: 'agent:sleepy', roles: ['agent'] } as const
const grant = { identity, mintedBy: 'scheduler', expiresAt: 1_000 }

it('a token is good until its time', () => {
  const tokens = new Tokens()
  tokens.add('token', grant)
  expect(tokens.find('token', 999)).toBe(identity)
  expect(tokens.find('token', 1_000)).toBeUndefined()
  expect(tokens.find('another', 0)).toBeUndefined()
})

it('a token is revoked once, by its minter, or by the hub itself', () => {
  const tokens = new Tokens()
  tokens.add('token', grant)
  expect(tokens.revoke('token', 'kernel')).toBeUndefined()
  expect(tokens.revoke('token', 'scheduler')).toBe(grant)
  expect(tokens.revoke('token', 'scheduler')).toBeUndefined()
  tokens.add('token', grant)
  expect(tokens.revoke('token')).toBe(grant)
})

it('10,000 tokens are full', () => {
  const tokens = new Tokens()
  for (let count = 0; count < 9_999; count++) tokens.add(`token ${count}`, grant)
  expect(tokens.isFull).toBe(false)
  tokens.add('token 9999', grant)
  expect(tokens.isFull).toBe(true)
})
