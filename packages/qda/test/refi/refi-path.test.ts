import { expect, test } from 'vitest'
import { readRefiPath, refiPathText } from '../../src/refi/refi-path.js'

test.each([
  ['internal://a.txt', 'internal', 'a.txt'],
  ['INTERNAL://a.txt', 'internal', 'a.txt'],
  ['relative:///folder/a.mp4', 'relative', '/folder/a.mp4'],
  ['absolute://C:/a.mp4', 'absolute', 'C:/a.mp4'],
  ['file:///a.mp4', 'absolute', '/a.mp4'],
  ['a.txt', 'internal', 'a.txt'],
  ['/a.txt', 'absolute', '/a.txt'],
  ['C:\\a.txt', 'absolute', 'C:\\a.txt'],
  ['https://example.org/a', 'absolute', 'https://example.org/a'],
])('%s is %s', (text, kind, path) => expect(readRefiPath(text)).toEqual({ kind, path }))

test('an empty path is none', () => expect(readRefiPath(' ')).toBeNull())

test('a path is written with its scheme', () =>
  expect(refiPathText({ kind: 'internal', path: 'a' })).toBe('internal://a'))
