import { expect, it } from 'vitest'
import { triggerBodyHash } from '../../src/triggers/trigger-body.js'

it('is the same with what mail servers change', () => {
  const plain = triggerBodyHash('Caf\u00e9\n\nwork')
  expect(triggerBodyHash('Cafe\u0301  \r\n\r\nwork\t\r\n\r\n  \r\n')).toBe(plain)
  expect(triggerBodyHash('\nCaf\u00e9\n\nwork')).not.toBe(plain)
})

it('is as soon made of a body that is all line ends', () => {
  const body = `x${'\n'.repeat(99_998)}x`
  expect(triggerBodyHash(`${body}\n\n`)).toBe(triggerBodyHash(body))
  expect(triggerBodyHash('\n'.repeat(100_000))).toBe(triggerBodyHash(''))
})
