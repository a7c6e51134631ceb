import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { directEnvelope } from '../../src/mcp/direct-envelope.js'

const line = (text: string) => Buffer.from(text)
const found = (text: string) => {
  const envelope = directEnvelope(line(text))
  return envelope && { id: envelope.id, params: envelope.params.toString() }
}

describe('directEnvelope', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}', '7'],
    ['{"method":"tools/call","params":{"name":"t"},"jsonrpc":"2.0","id":7}', '7'],
    ['{"jsonrpc":"2.0","id":"a b","method":"tools/call","params":{"name":"t"}}', '"a b"'],
    ['{"method":"tools/call","params":{"name":"t"},"jsonrpc":"2.0","id":-1}', '-1'],
    ['{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"t"}}', '0'],
  ])('finds the params and the id as it is written: %s', (text, id) => {
    expect(found(text)).toEqual({ id, params: '{"name":"t"}' })
  })

  it.each([
    ['another method', '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"name":"t"}}'],
    ['a notification', '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}'],
    ['no params', '{"jsonrpc":"2.0","id":7,"method":"tools/call"}'],
    ['params that are no object', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}'],
    ['spaces', '{"jsonrpc": "2.0","id":7,"method":"tools/call","params":{"name":"t"}}'],
    ['another version', '{"jsonrpc":"1.0","id":7,"method":"tools/call","params":{"name":"t"}}'],
    ['an id with a leading zero', '{"jsonrpc":"2.0","id":07,"method":"tools/call","params":{"name":"t"}}'],
    ['minus zero', '{"jsonrpc":"2.0","id":-0,"method":"tools/call","params":{"name":"t"}}'],
    ['a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"t"}}'],
    [
      'an id beyond safe integers',
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"t"}}',
    ],
    ['an escape in the id', String.raw`{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"name":"t"}}`],
    ['an id that is not ASCII', '{"jsonrpc":"2.0","id":"é","method":"tools/call","params":{"name":"t"}}'],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"t"}}'],
    ['nothing', ''],
    ['a batch', '[{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}]'],
  ])('leaves %s to others', (_, text) => {
    expect(found(text)).toBeUndefined()
  })

  it('never reads a line otherwise than JSON.parse does', () => {
    const piece = fc.constantFrom(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":',
      '{"method":"tools/call","params":',
      ',"jsonrpc":"2.0","id":2}',
      '{"name":"t"}',
      '{"name":"t","arguments":{"a":"',
      '"}',
      '"}}',
      '}',
      '{',
      ',"id":9',
      ',"params":{}',
      '"x":',
      ',',
      '\\"',
      String.raw`\u007d`,
      '[',
      ']',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join('')
        const envelope = directEnvelope(line(text))
        const params = envelope && parsed(envelope.params.toString())
        if (envelope === undefined || params === undefined) return
        const { id } = envelope
        expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: JSON.parse(id), method: 'tools/call', params })
      }),
      { numRuns: 20_000 },
    )
  })

  it('finds every call that is written as SDKs write it', () => {
    const id = fc.oneof(fc.integer(), fc.stringMatching(/^[ !#-[\]-~]{0,64}$/))
    fc.assert(
      fc.property(id, fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (id, params, isIdFirst) => {
        const [jsonrpc, method] = ['2.0', 'tools/call']
        const message = isIdFirst ? { jsonrpc, id, method, params } : { method, params, jsonrpc, id }
        expect(found(JSON.stringify(message))).toEqual({ id: JSON.stringify(id), params: JSON.stringify(params) })
      }),
    )
  })
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
