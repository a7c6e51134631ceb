import { expect, it } from 'vitest'
import { fromNow, timeSpan } from '../../src/approvals/time-span.js'

it.each([
  [-5, '0 s'],
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [7_199_999, '119 min'],
  [7_200_000, '2 h'],
  [47.9 * 3_600_000, '47 h'],
  [48 * 3_600_000, '2 d'],
])('%d ms are %s', (ms, words) => {
  expect(timeSpan(ms)).toBe(words)
})

it('says on which side of now a time lies', () => {
  const now = Date.parse('2026-03-02T12:00:00Z')
  expect(fromNow('2026-03-02T12:05:00Z', now)).toBe('in 5 min')
  expect(fromNow('2026-03-02T11:59:30Z', now)).toBe('30 s ago')
})
