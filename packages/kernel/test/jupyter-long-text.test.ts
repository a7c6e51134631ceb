import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jupyterPieceBytes, jupyterWholeBytesMax } from '../src/limits.js'
import { readContent } from '../src/runtime/jupyter/contents.js'
import { splitLongText } from '../src/runtime/jupyter/long-text.js'
import { decodeMessage, encodeMessage } from '../src/runtime/jupyter/wire.js'

const piecesOf = (json: string) => {
  const split = splitLongText(Buffer.from(json))
  return split && [...split.pieces]
}

/** With everything beyond ASCII as escapes, as some kernels write it. */
const escaped = (json: string) =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

describe('a long text in JSON', () => {
  it.each([
    ['one that fits', 'short'],
    ['letters', 'x'.repeat(3 * jupyterPieceBytes + 1)],
    ['lines', 'line\n'.repeat(jupyterPieceBytes)],
    ['quotes and backslashes', '"\\'.repeat(jupyterPieceBytes)],
    ['characters of two bytes', `x${'ä'.repeat(jupyterPieceBytes)}`],
    ['characters of three bytes', 'の'.repeat(jupyterPieceBytes)],
    ['characters of four bytes', `xx${'😀'.repeat(jupyterPieceBytes)}`],
    ['half a pair', `${'\ud83d'.repeat(jupyterPieceBytes)}x`],
  ])('comes whole in bounded pieces: %s', (_, text) => {
    for (const json of [JSON.stringify({ name: 'stdout', text }), escaped(JSON.stringify({ text, name: 'stdout' }))]) {
      const pieces = piecesOf(json)!
      expect(pieces.join('') === text).toBe(true)
      expect(pieces.every((piece) => Buffer.byteLength(piece) <= jupyterPieceBytes)).toBe(true)
      expect(splitLongText(Buffer.from(json))?.content).toEqual({ name: 'stdout', text: '' })
      // A character that was cut in two would not survive this.
      expect(pieces.every((piece) => piece === '' || !/^[\udc00-\udfff]/.test(piece))).toBe(true)
    }
  })

  it('of any object of strings is what JSON.parse says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom(undefined, 1), (text, name, spaces) => {
        const value = { name, text, other: '' }
        expect(piecesOf(JSON.stringify(value, undefined, spaces))?.join('')).toBe(text)
      }),
    )
  })

  it('is left to JSON.parse in any other object, and in what is none', () => {
    for (const json of [
      '{"name": "stdout", "text": 1}',
      '{"text": "x", "more": {}}',
      '{"name": "x"}',
      '[]',
      '',
      '{',
      '{}',
      '{"text": "x"',
      '{"text": "x"} x',
      '{"text": "x" "y"}',
      '{"\\x": "y", "text": ""}',
    ]) {
      expect(piecesOf(json)).toBeUndefined()
    }
  })

  it('that is no JSON inside ends where that begins', () => {
    expect(piecesOf(`{"text": "${'x'.repeat(jupyterPieceBytes)}\\q"}`)?.join('')).toBe('x'.repeat(jupyterPieceBytes))
  })

  it('is how a large message of output is read, after its signature was checked', () => {
    const header = { msg_id: '1', msg_type: 'stream', session: '', username: '', date: '', version: '5.3' }
    const text = 'x'.repeat(jupyterWholeBytesMax)
    const content = { name: 'stdout', text }
    const message = { identities: [], header, parentHeader: header, metadata: {}, content, buffers: [] }
    const frames = encodeMessage(message, 'key')
    expect(decodeMessage(frames, 'another key')).toEqual({ kind: 'fault', fault: 'bad_signature' })
    const decoded = decodeMessage(frames, 'key')
    if (decoded.kind === 'fault') throw new Error(decoded.fault)
    expect(decoded.message.content).toEqual({ name: 'stdout', text: '' })
    const read = readContent(decoded.message)
    expect(read).toMatchObject({ type: 'stream', name: 'stdout', parentId: '1' })
    expect(read?.type === 'stream' && [...read.pieces].join('') === text).toBe(true)
  })
})
