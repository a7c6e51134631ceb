import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayPass } from '../../src/mcp/direct-result.js'

const usual = '{"content":[{"type":"text","text":"x"}]}'
const bytes = (text: string) => Buffer.from(text)
const withByte = (text: string, byte: number) => Buffer.from(text.replace('?', String.fromCharCode(byte)), 'latin1')

describe.each([true, false])('mayPass, trusted: %s', (trusted) => {
  it.each([
    usual,
    '{"content":[],"isError":true}',
    '{"content":[{"type":"text","text":"ü\\n"}],"structuredContent":{"a":[1]}}',
  ])('lets the usual results pass: %s', (text) => {
    expect(mayPass(bytes(text), trusted)).toBe(true)
  })

  it.each([
    ['a line of its own', `${usual}\n{"jsonrpc":"2.0","id":7,"result":{}}`],
    ['a line feed between members', '{"content":[],\n"isError":true}'],
    ['a carriage return between members', '{"content":[],\r"isError":true}'],
    [
      'a line of its own for those to whom a carriage return ends one',
      '{"content":[],"structuredContent":{"a":\r{"jsonrpc":"2.0","id":7,"result":{}}\r}}',
    ],
    ['no object', '[]'],
    ['nothing', ''],
    ['no content', '{}'],
    ['marks of the hub or the protocol', '{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{}}}'],
    ['the kind of result', '{"content":[],"resultType":"task"}'],
    ['structured content that is no object', '{"content":[],"structuredContent":[1]}'],
    [
      'structured content that is a list of what has some',
      '{"content":[],"structuredContent":[{"structuredContent":{}}]}',
    ],
  ])('takes apart what has %s', (_, text) => {
    expect(mayPass(bytes(text), trusted)).toBe(false)
  })
})

describe('the bytes of a worker that has proved nothing', () => {
  it.each([
    ['ends the result before', '{"content":[]},"id":7,"x":{"content":[]}'],
    ['has more behind', `${usual} {}`],
    ['is cut off', usual.slice(0, -1)],
    ['spells a mark with escapes', String.raw`{"content":[],"\u005fmeta":{"callboard/error":{}}}`],
    ['has members that nobody knows', '{"content":[],"extra":1}'],
    ['has content that is no list', '{"content":{}}'],
    ['has a part of an unknown kind', '{"content":[{"type":"x"}]}'],
    ['has a part with more in it', '{"content":[{"type":"text","text":"x","_meta":{}}]}'],
    ['has a text that is none', '{"content":[{"type":"text","text":7}]}'],
    ['has an isError that is neither', '{"content":[],"isError":"no"}'],
    ['is nested too deep', `{"content":[],"structuredContent":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`],
  ])('is taken apart when it %s', (_, text) => {
    expect(mayPass(bytes(text), false)).toBe(false)
  })

  it('is taken apart when it is not UTF-8', () => {
    expect(mayPass(withByte('{"content":[{"type":"text","text":"?"}]}', 0xff), false)).toBe(false)
  })

  it('can not be read as more than one result, whatever stands in it', () => {
    const piece = fc.constantFrom(
      '{"content":[',
      ']',
      '}',
      '{',
      ',',
      '"isError":true',
      '"id":7',
      '"x":',
      usual,
      '\\',
      '"',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('')
        if (!mayPass(bytes(text), false)) return
        const line = `{"jsonrpc":"2.0","id":1,"result":${text}}`
        expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 1, result: JSON.parse(text) })
      }),
      { numRuns: 20_000 },
    )
  })
})
