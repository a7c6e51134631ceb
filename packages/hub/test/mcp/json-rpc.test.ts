import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLine } from '../../src/mcp/json-rpc.js'
import { LineSplitter } from '../../src/mcp/line-splitter.js'
import type { Loose } from './fake-hub.js'

const parse = (text: string | Buffer) => parseLine({ kind: 'line', bytes: Buffer.from(text) })

describe('parseLine', () => {
  it('is total', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void parse(Buffer.from(bytes))))
    fc.assert(fc.property(fc.json(), (text) => void parse(text)))
    const members = {
      jsonrpc: fc.constantFrom('2.0', 2),
      id: fc.jsonValue(),
      method: fc.jsonValue(),
      params: fc.jsonValue(),
    }
    fc.assert(fc.property(fc.record(members, { requiredKeys: [] }), (value) => void parse(JSON.stringify(value))))
  })

  it('passes requests, notifications, results and errors', () => {
    for (const value of [
      { jsonrpc: '2.0', id: 0, method: 'ping' },
      { jsonrpc: '2.0', id: 'a', method: 'ping', params: {} },
      { jsonrpc: '2.0', method: 'notifications/x', params: { a: 1 } },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
      { jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } },
    ]) {
      expect(parse(JSON.stringify(value))).toEqual({ kind: 'message', message: value })
    }
  })

  it.each<[line: string, code: number, id: number | null]>([
    ['not json', -32700, null],
    ['{"jsonrpc":"2.0","id":1,"method":"half', -32700, null],
    ['3', -32600, null],
    ['{"id":1,"method":"x"}', -32600, 1],
    ['{"jsonrpc":"2.0","id":null,"method":"x"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"x"}', -32600, null],
    ['{"jsonrpc":"2.0","id":2,"method":4}', -32600, 2],
    ['{"jsonrpc":"2.0","id":3,"method":"x","params":[1]}', -32600, 3],
    ['{"jsonrpc":"2.0","id":4}', -32600, 4],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}', -32600, null],
    ['{"jsonrpc":"2.0","id":null,"method":"x","error":{}}', -32600, null],
    ['{"jsonrpc":"2.0","id":5,"method":"x","result":{}}', -32600, 5],
    ['{"jsonrpc":"2.0","id":5,"method":"x","error":{"code":1,"message":"x"}}', -32600, 5],
    ['{"jsonrpc":"2.0","id":5,"result":{},"error":{"code":1,"message":"x"}}', -32600, null],
    ['{"jsonrpc":"2.0","id":6,"method":"x","params":{"_meta":null}}', -32600, 6],
    ['{"jsonrpc":"2.0","id":6,"method":"x","params":{"_meta":[]}}', -32600, 6],
    ['{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"progressToken":null}}}', -32600, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"progressToken":{}}}}', -32600, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"progressToken":[1]}}}', -32600, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"progressToken":1.5}}}', -32600, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"progressToken":true}}}', -32600, 7],
    ['{"jsonrpc":"2.0","method":"x","params":{"_meta":null}}', -32600, null],
  ])('refuses %s', (line, code, id) => {
    expect(parse(line)).toMatchObject({ kind: 'fault', code, id })
  })

  it('refuses what is not UTF-8', () => {
    expect(parse(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ kind: 'fault', code: -32700 })
  })

  it('leaves out members that JSON-RPC does not know', () => {
    expect(parse('{"jsonrpc":"2.0","id":1,"method":"x","more":1,"__proto__":{"a":1}}')).toEqual({
      kind: 'message',
      message: { jsonrpc: '2.0', id: 1, method: 'x' },
    })
    expect(parse('{"jsonrpc":"2.0","id":1,"result":{"a":1},"more":1}')).toEqual({
      kind: 'message',
      message: { jsonrpc: '2.0', id: 1, result: { a: 1 } },
    })
  })

  it.each([127, 100_000])('says clearly that %i levels in params are too many', (levels) => {
    const nested = (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`
    const line = (count: number) => `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${nested(count)}}}`
    expect(parse(line(126))).toMatchObject({ kind: 'message' })
    const message = 'Invalid request: nested deeper than 128 levels'
    expect(parse(line(levels))).toEqual({ kind: 'fault', code: -32600, message, id: 1 })
  })

  it('keeps a key named __proto__ as a key', () => {
    const parsed = parse('{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":{"polluted":true}}}')
    const { params } = (parsed as Loose).message
    expect(Object.keys(params)).toEqual(['__proto__'])
    expect(params.polluted).toBeUndefined()
  })

  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"', '"}}', 7],
    ['{"method":"x","params":{"a":"', '"},"jsonrpc":"2.0","id":"k"}', 'k'],
    ['{"method":"x","params":{"a":"', '"},"id":9,"jsonrpc":"2.0"}', 9],
    ['{"method":"x","params":{"a":"', '","id":9}}', null],
  ])('finds the id of a request that is too long: %s…%s', (head, tail, id) => {
    const line = Buffer.from(`${head}${'x'.repeat(5000)}${tail}\n`)
    const splitter = new LineSplitter(1000)
    splitter.push(line)
    expect(parseLine(splitter.next()!)).toMatchObject({ kind: 'fault', code: -32600, id })
  })
})
