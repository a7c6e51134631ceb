import { expect, it } from 'vitest'
import { uploadBytesMax } from '../../src/limits.js'
import { bytesOfBase64 } from '../../src/uploads/base64-file.js'

it.each([
  ['YQ==', 'a'],
  ['YWI=', 'ab'],
  ['YWJj', 'abc'],
  ['YWJj\r\nYWJj\n', 'abcabc'],
])('reads %j', (data, text) => {
  expect(new TextDecoder().decode(bytesOfBase64(data))).toBe(text)
})

it('reads what it was made from', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
  expect(bytesOfBase64(Buffer.from(bytes).toString('base64'))).toEqual(bytes)
})

it.each(['', '\n', 'YQ', 'YQ=', 'Y', '====', 'YQ==YQ==', 'YW-_', 'YW j', 'data:image/png;base64,YQ==', 'ÿÿÿÿ'])(
  'refuses %j, where Node would read something',
  (data) => {
    expect(() => bytesOfBase64(data)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }))
  },
)

it('refuses what is too large', () => {
  const whole = Buffer.alloc(uploadBytesMax).toString('base64')
  expect(bytesOfBase64(whole)).toHaveLength(uploadBytesMax)
  const tooMuch = [Buffer.alloc(uploadBytesMax + 1).toString('base64'), 'A'.repeat(4 * uploadBytesMax)]
  for (const data of tooMuch) expect(() => bytesOfBase64(data)).toThrow(`${uploadBytesMax} bytes`)
})
