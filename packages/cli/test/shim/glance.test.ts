// biome-ignore-all lint/suspicious/noExplicitAny: what comes over the wire is read freely here
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { glance } from '../../src/shim/glance.js'

const long = 'x'.repeat(2_000)
const seen = (message: unknown) => {
  const { kind, id, method } = glance(Buffer.from(`${JSON.stringify(message)}\n`)) as any
  return { kind, id, method }
}

describe('glance', () => {
  it.each([
    [
      { jsonrpc: '2.0', id: 7, result: { text: long } },
      { kind: 'response', id: 7 },
    ],
    [
      { result: { text: long }, jsonrpc: '2.0', id: 'a b' },
      { kind: 'response', id: 'a b' },
    ],
    [
      { method: 'tools/call', params: { long }, jsonrpc: '2.0', id: 0 },
      { kind: 'request', id: 0, method: 'tools/call' },
    ],
    [
      { jsonrpc: '2.0', id: -1, method: 'tools/call', params: { long } },
      { kind: 'request', id: -1, method: 'tools/call' },
    ],
    [
      { jsonrpc: '2.0', id: 3, method: 'resources/read', params: { long } },
      { kind: 'request', id: 3, method: 'resources/read' },
    ],
    [
      { jsonrpc: '2.0', method: 'notifications/message', params: { long, id: 3 } },
      { kind: 'notification', method: 'notifications/message' },
    ],
    [
      { result: { long, inner: { jsonrpc: '2.0', id: 9 } }, jsonrpc: '2.0', id: 1 },
      { kind: 'response', id: 1 },
    ],
    [
      { id: 1, result: { long, jsonrpc: '2.0', id: 9 } },
      { kind: 'response', id: 1 },
    ],
  ])('%#', (message, expected) => {
    expect(seen(message)).toMatchObject(expected)
  })

  it.each([
    ['a fault, which no request has', { id: null, error: { code: -32700, message: 'Parse error' } }, 'fault'],
    ['no fault: a result of nobody', { id: null, result: {} }, 'unreadable'],
    ['no fault: an error that names no id at all', { error: { code: -32700, message: 'Parse error' } }, 'unreadable'],
    ['no answer: a method that is a number', { id: 7, method: 1 }, 'unreadable'],
    ['no answer: a method that is null', { id: 7, method: null, result: {} }, 'unreadable'],
    ['no request that anybody could answer: half an id', { id: 1.5, method: 'ping' }, 'notification'],
    ['nor: an id beyond what a number can hold', { id: 2 ** 53, method: 'ping' }, 'notification'],
    ['no answer: half an id', { id: 1.5, result: {} }, 'unreadable'],
  ])('%s', (_, message, kind) => {
    expect(seen({ jsonrpc: '2.0', ...message })).toMatchObject({ kind })
    // However long it is.
    expect(seen({ jsonrpc: '2.0', ...message, long })).toMatchObject({ kind })
  })

  it('sees the same at the ends of a long line as in the whole of it', () => {
    const id = fc.oneof(fc.integer(), fc.string({ maxLength: 40 }))
    const part = fc.jsonValue({ maxDepth: 2 })
    const orders = fc.constantFrom(
      ['jsonrpc', 'id', 'result'],
      ['result', 'jsonrpc', 'id'],
      ['method', 'params', 'jsonrpc', 'id'],
      ['jsonrpc', 'id', 'method', 'params'],
    )
    fc.assert(
      fc.property(id, part, part, orders, fc.boolean(), (messageId, one, other, order, isCall) => {
        const values: Record<string, unknown> = {
          jsonrpc: '2.0',
          id: messageId,
          method: isCall ? 'tools/call' : 'x/y',
          params: { one, long, other },
          result: { one, long, other, jsonrpc: '2.0', id: 5 },
        }
        const message = Object.fromEntries(order.map((key) => [key, values[key]]))
        const { kind, id: found, method } = seen(message)
        expect(found).toEqual(messageId)
        expect(kind).toBe('method' in message ? 'request' : 'response')
        expect(method).toEqual(message['method'])
      }),
    )
  })

  it('is total', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 900 }), (bytes) => void glance(Buffer.from(bytes))))
    expect(seen(null)).toMatchObject({ kind: 'unreadable' })
    expect(seen({ id: null, method: 'x' })).toMatchObject({ kind: 'notification' })
  })
})
