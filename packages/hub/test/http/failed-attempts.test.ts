import { expect, it } from 'vitest'
import { FailedAttempts } from '../../src/http/failed-attempts.js'
import { silent } from '../mcp/fake-hub.js'

function attempts() {
  const logged: object[] = []
  const clock = { now: 0 }
  const failed = new FailedAttempts({ ...silent, warn: (fields) => void logged.push(fields) }, () => clock.now)
  return { logged, clock, failed }
}

it('the first of a minute are answered at once, the others after a second', () => {
  const { clock, failed } = attempts()
  for (let count = 0; count < 20; count++) expect(failed.add('unknown')).toBe(0)
  expect(failed.add('unknown')).toBe(1_000)
  clock.now = 59_999
  expect(failed.add('unknown')).toBe(1_000)
  clock.now = 60_000
  expect(failed.add('unknown')).toBe(0)
})

it('the log has one line a minute, which tells how many there were before', () => {
  const { clock, failed, logged } = attempts()
  for (let count = 0; count < 30; count++) failed.add('unknown')
  clock.now = 60_000
  failed.add('expired')
  expect(logged).toEqual([
    { why: 'unknown', earlier: 0 },
    { why: 'expired', earlier: 30 },
  ])
})
