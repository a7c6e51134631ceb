import { uriLengthMax } from '@callboard/protocol'
import { expect, it } from 'vitest'
import { parseLine } from '../../src/mcp/json-rpc.js'
import { watchedCharactersMax, watchedUrisMax } from '../../src/mcp/limits.js'
import { urisToWatch, watchProblem } from '../../src/mcp/watched-uris.js'
import { FakeHub, frontOf } from './fake-hub.js'
import { LinePeer } from './line-peer.js'

const many = (count: number, length = 8) =>
  Array.from({ length: count }, (_, index) => `x:${index}`.padEnd(length, '.'))

it('lets a client watch as much as it may, and no more', () => {
  expect(watchProblem([])).toBeUndefined()
  expect(watchProblem(many(watchedUrisMax))).toBeUndefined()
  expect(watchProblem(many(watchedUrisMax + 1))).toContain(String(watchedUrisMax))
  expect(watchProblem(many(1, uriLengthMax))).toBeUndefined()
  expect(watchProblem(many(1, uriLengthMax + 1))).toContain(String(uriLengthMax))
  expect(watchProblem(many(watchedCharactersMax / uriLengthMax, uriLengthMax))).toBeUndefined()
  expect(watchProblem(many(watchedCharactersMax / uriLengthMax + 1, uriLengthMax))).toContain('together')
})

it.each([undefined, null, [], {}, { notifications: 1 }, { notifications: { resourceSubscriptions: {} } }])(
  'takes no URIs from %j',
  (params) => {
    expect(urisToWatch(params)).toEqual([])
  },
)

it('refuses a subscription before anybody keeps what it names', () => {
  const listen = (uris: readonly unknown[]) => {
    const params = { notifications: { resourceSubscriptions: uris } }
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
    return parseLine({ kind: 'line', bytes: Buffer.from(text) })
  }
  expect(listen(many(2)).kind).toBe('message')
  expect(listen(many(watchedUrisMax + 1))).toMatchObject({ kind: 'fault', code: -32602, id: 1 })
  expect(listen(['x:'.padEnd(uriLengthMax + 1, '.')])).toMatchObject({ kind: 'fault', code: -32602, id: 1 })
})

it('counts what a legacy client watches already', async () => {
  const hub = new FakeHub()
  const peer = LinePeer.to(frontOf(hub))
  await peer.initialize()
  const ask = async (method: string, uri: string) => {
    peer.write({ jsonrpc: '2.0', id: uri.length, method: `resources/${method}`, params: { uri } })
    return peer.read()
  }
  const error = { error: { code: -32602 } }
  expect(await ask('subscribe', 'x:'.padEnd(uriLengthMax + 1, '.'))).toMatchObject(error)
  const [first, ...others] = many(watchedCharactersMax / uriLengthMax, uriLengthMax)
  for (const uri of [first!, ...others]) expect(await ask('subscribe', uri)).toMatchObject({ result: {} })
  expect(await ask('subscribe', others[0]!)).toMatchObject({ result: {} })
  expect(await ask('subscribe', 'x:more')).toMatchObject(error)
  expect(await ask('unsubscribe', first!)).toMatchObject({ result: {} })
  expect(await ask('subscribe', 'x:more')).toMatchObject({ result: {} })
  await peer.served.close()
})
