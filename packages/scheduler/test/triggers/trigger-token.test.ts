import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { triggerBodyHash } from '../../src/triggers/trigger-body.js'
import { readTriggerToken, signTrigger, type TriggerPayload } from '../../src/triggers/trigger-token.js'

const key = 'k'.repeat(32)
const payload: TriggerPayload = { v: 1, id: 'trg_x', src: 'lab', dst: 'main', depth: 2, iat: 5, exp: 10, body: 'abc' }

it('is the payload and its HMAC, both in base64url', () => {
  const [claim = '', signature] = signTrigger(payload, key).split('.')
  expect(JSON.parse(Buffer.from(claim, 'base64url').toString())).toEqual(payload)
  expect(signature).toBe(createHmac('sha256', key).update(claim).digest('base64url'))
})

it('is read again, also folded over several lines', () => {
  const token = signTrigger(payload, key)
  expect(readTriggerToken(token, key)).toEqual({ kind: 'valid', payload })
  expect(readTriggerToken(` ${token.slice(0, 60)}\r\n\t${token.slice(60)}`, key)).toEqual({ kind: 'valid', payload })
})

it('is forged under another key, with another claim, and with another signature', () => {
  const [claim = '', signature = ''] = signTrigger(payload, key).split('.')
  const deeper = Buffer.from(JSON.stringify({ ...payload, depth: 1 })).toString('base64url')
  expect(readTriggerToken(`${claim}.${signature}`, 'x'.repeat(32))).toEqual({ kind: 'forged' })
  expect(readTriggerToken(`${deeper}.${signature}`, key)).toEqual({ kind: 'forged' })
  expect(readTriggerToken(`${claim}.${'A'.repeat(43)}`, key)).toEqual({ kind: 'forged' })
})

it('is malformed where the key signed something else', () => {
  const sign = (text: string) => {
    const claim = Buffer.from(text).toString('base64url')
    return `${claim}.${createHmac('sha256', key).update(claim).digest('base64url')}`
  }
  for (const text of [
    '',
    'null',
    '{}',
    JSON.stringify({ ...payload, v: 2 }),
    JSON.stringify({ ...payload, more: 1 }),
  ]) {
    expect(readTriggerToken(sign(text), key)).toEqual({ kind: 'malformed' })
  }
})

it('reads any text without throwing, and believes none', () => {
  const token = signTrigger(payload, key)
  const almost = fc.tuple(fc.nat(token.length), fc.string()).map(([at, text]) => token.slice(0, at) + text)
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), almost), (text) => {
      const reading = readTriggerToken(text, key)
      expect(reading.kind === 'valid').toBe(text.replaceAll(/\s+/g, '') === token)
    }),
  )
})

it('carries any payload', () => {
  const payloads = fc.record({
    v: fc.constant(1 as const),
    id: fc.string(),
    src: fc.string(),
    dst: fc.string(),
    depth: fc.integer({ min: 1 }),
    iat: fc.maxSafeNat(),
    exp: fc.maxSafeNat(),
    body: fc.string(),
  })
  fc.assert(
    fc.property(payloads, (any) => {
      expect(readTriggerToken(signTrigger(any, key), key)).toEqual({ kind: 'valid', payload: any })
    }),
  )
})

it('names the same body after what mail servers do to it', () => {
  const hash = triggerBodyHash('caf\u00e9\n\n  indented\nend')
  expect(triggerBodyHash('cafe\u0301\r\n\r\n  indented  \r\nend\t\r\n\r\n\r\n')).toBe(hash)
  expect(triggerBodyHash('caf\u00e9\n  indented\nend')).not.toBe(hash)
  expect(triggerBodyHash('caf\u00e9\n\nindented\nend')).not.toBe(hash)
})
