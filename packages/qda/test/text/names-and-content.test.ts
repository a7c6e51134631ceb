import { expect, test } from 'vitest'
import { codeNameKey, sourceNameKey } from '../../src/text/name-key.js'
import { nameProblem } from '../../src/text/name-problem.js'
import { normalizeContent } from '../../src/text/normalize-content.js'
import { textHash } from '../../src/text/text-hash.js'

test('content keeps everything but a mark at its start and the kind of its line ends', () => {
  expect(normalizeContent('\ufeffa\r\nb\rc\n\ufeff')).toEqual({ text: 'a\nb\nc\n\ufeff', changed: true })
  expect(normalizeContent('e\u0301 \u2029😀')).toEqual({ text: 'e\u0301 \u2029😀', changed: false })
})

test('NUL and half a pair are refused with their position', () => {
  for (const content of ['😀\0', '😀\ud800', '😀\udc00\ud800']) {
    expect(() => normalizeContent(content)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONTENT', extras: { details: { position: 1 } } }),
    )
  }
})

test('the hash is that of the UTF-8', () => {
  expect(textHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(textHash('é')).not.toBe(textHash('e\u0301'))
})

test('names are compared without regard to case and composition', () => {
  expect(sourceNameKey('CAFÉ.txt')).toBe(sourceNameKey('cafe\u0301.TXT'))
  expect(sourceNameKey('ΟΔΟΣ')).toBe(sourceNameKey('οδοσ'))
  expect(sourceNameKey('a  b')).not.toBe(sourceNameKey('a b'))
  expect(codeNameKey(' A \t b ')).toBe(codeNameKey('a B'))
})

test('what can not be a name', () => {
  const problem = (name: string) => nameProblem(name, { lengthMax: 3, slashes: 'refused' })
  expect([' abc ', '😀😀😀'].map(problem)).toEqual([undefined, undefined])
  expect(problem('  ')).toMatch(/empty/)
  expect([problem('😀😀😀😀'), problem('abcdefgh')]).toEqual(Array(2).fill(expect.stringMatching(/longer than 3/)))
  expect(['a\nb', 'a\u007f', 'a\u2028b', 'a\0'].map(problem)).toEqual([
    expect.stringMatching(/control/),
    expect.stringMatching(/control/),
    expect.stringMatching(/control/),
    expect.stringMatching(/control/),
  ])
  expect([problem('a/b'), problem('a\\b')]).toEqual(Array(2).fill(expect.stringMatching(/contain \//)))
  expect(nameProblem('a/b', { lengthMax: 3, slashes: 'allowed' })).toBeUndefined()
  expect(problem('\ud800')).toMatch(/surrogate/)
})
