import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from '../../../hub/test/mcp/fake-hub.js'
import { Installation } from '../support/installation.js'
import { LineClient, type LineWay, lineWays, type Revision, revisions } from './line-client.js'

const everything = fileURLToPath(new URL('../interop/everything-worker.mjs', import.meta.url))
const ends: (() => Promise<void>)[] = []
const install = (variables = {}) => new Installation(variables, (clean) => ends.push(clean))
afterAll(() => Promise.all(ends.map((end) => end())))

interface Garbage {
  readonly name: string
  /** What is sent: bytes as they are; a list is sent piece by piece. */
  readonly bytes: (client: LineClient) => string | Uint8Array | readonly (string | Uint8Array)[]
  /** All that is answered, in this order. */
  readonly answers: (client: LineClient) => readonly Loose[]
}

const refusal = (code: number, id: unknown = null, message: unknown = expect.any(String)) => ({
  jsonrpc: '2.0',
  id,
  error: expect.objectContaining({ code, message }),
})
const nothing = () => []
const line = (message: unknown) => `${JSON.stringify(message)}\n`
const answered = (id: unknown) => ({ jsonrpc: '2.0', id, result: expect.any(Object) })
const echo = (client: LineClient, id: unknown) =>
  client.request(id, 'tools/call', { name: 'echo', arguments: { text: 'x' } })
const isModern = ({ revision }: LineClient) => revision === '2026-07-28'

const refused: readonly [string, unknown, unknown][] = [
  ['no version', { id: 1, method: 'ping' }, 1],
  ['version 1.0', { jsonrpc: '1.0', id: 1, method: 'ping' }, 1],
  ['version 2, a number', { jsonrpc: 2, id: 1, method: 'ping' }, 1],
  ['a number', 17, null],
  ['null', null, null],
  ['an empty object', {}, null],
  ['the id null', { jsonrpc: '2.0', id: null, method: 'ping' }, null],
  ['a fraction as its id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, null],
  ['an object as its id', { jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }, null],
  ['a list as its id', { jsonrpc: '2.0', id: [1], method: 'ping' }, null],
  ['true as its id', { jsonrpc: '2.0', id: true, method: 'ping' }, null],
  ['a number as its method', { jsonrpc: '2.0', id: 1, method: 1 }, 1],
  ['a list as its params', { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, 1],
  ['text as its params', { jsonrpc: '2.0', id: 1, method: 'ping', params: 'x' }, 1],
  ['null as its params', { jsonrpc: '2.0', id: 1, method: 'ping', params: null }, 1],
  ['a method and a result', { jsonrpc: '2.0', id: 1, method: 'ping', result: {} }, 1],
]

const strangeMethods = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'tools/call ',
  'x'.repeat(100_000),
]

const table: readonly Garbage[] = [
  {
    name: 'a line in halves',
    bytes: (client) => [echo(client, 1).slice(0, 20), `${echo(client, 1).slice(20)}\n`],
    answers: () => [answered(1)],
  },
  {
    name: 'a letter in halves',
    bytes: (client) => {
      const whole = Buffer.from(`${client.request('ü', 'tools/call', { name: 'echo', arguments: { text: 'x' } })}\n`)
      const inside = whole.indexOf(0xbc)
      return [whole.subarray(0, inside), whole.subarray(inside)]
    },
    answers: () => [answered('ü')],
  },
  { name: 'CRLF', bytes: (client) => `${echo(client, 1)}\r\n`, answers: () => [answered(1)] },
  { name: 'empty lines', bytes: () => '\n\r\n\n', answers: nothing },
  { name: 'a blank line', bytes: () => '  \t\n', answers: () => [refusal(-32700)] },
  {
    name: 'garbage between messages',
    bytes: (client) => `what?\n${echo(client, 1)}\n{"jsonrpc":\n`,
    answers: () => [refusal(-32700), refusal(-32700), answered(1)],
  },
  {
    name: 'binary',
    bytes: () => Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x80, 0x0a]),
    answers: () => [refusal(-32700)],
  },
  ...refused.map(([name, message, id]) => ({ name, bytes: () => line(message), answers: () => [refusal(-32600, id)] })),
  {
    name: 'a result and an error',
    bytes: () => line({ jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } }),
    // The shim passes on no answer that nobody asked for, whatever is in it.
    answers: ({ way }) => (way === 'callboard stdio' ? [] : [refusal(-32600)]),
  },
  {
    name: 'an id beyond what a number can hold',
    bytes: () => '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}\n',
    answers: () => [refusal(-32600)],
  },
  {
    name: 'an id of 1 MB',
    bytes: (client) => `${echo(client, 'i'.repeat(1_000_000))}\n`,
    answers: () => [answered('i'.repeat(1_000_000))],
  },
  {
    name: 'the ids 0 and -1',
    bytes: (client) => `${echo(client, 0)}\n${echo(client, -1)}\n`,
    answers: () => [answered(0), answered(-1)],
  },
  {
    name: 'an id twice at once',
    bytes: (client) => `${echo(client, 1)}\n${echo(client, 1)}\n`,
    answers: () => [answered(1), answered(1)],
  },
  {
    name: 'members twice: the last counts',
    bytes: (client) => `{"id":7,${echo(client, 8).slice(1)}\n`,
    answers: () => [answered(8)],
  },
  {
    name: 'answers to nothing',
    bytes: () =>
      [
        { id: 99, result: {} },
        { id: 'x', error: { code: 1, message: 'no' } },
        { id: null, error: { code: 1, message: 'no' } },
      ]
        .map((answer) => line({ jsonrpc: '2.0', ...answer }))
        .join(''),
    answers: nothing,
  },
  {
    name: 'notifications that nobody knows',
    bytes: () =>
      ['notifications/none', '__proto__', 'tools/call'].map((method) => line({ jsonrpc: '2.0', method })).join(''),
    answers: nothing,
  },
  {
    name: 'a cancellation of nothing, and of nothing at all',
    bytes: () =>
      [{ requestId: 12345 }, { requestId: null }, {}]
        .map((params) => line({ jsonrpc: '2.0', method: 'notifications/cancelled', params }))
        .join(''),
    answers: nothing,
  },
  ...strangeMethods.map((method) => ({
    name: `the method ${JSON.stringify(method).slice(0, 20)}`,
    bytes: (client: LineClient) => `${client.request(1, method)}\n`,
    answers: () => [refusal(-32601, 1)],
  })),
  ...strangeMethods.slice(0, 4).map((name) => ({
    name: `the tool ${name}`,
    bytes: (client: LineClient) => `${client.request(1, 'tools/call', { name })}\n`,
    answers: () => [refusal(-32602, 1)],
  })),
  {
    name: 'a prototype among the arguments',
    bytes: (client) => `${echo(client, 1).replace('"text":"x"', '"text":"x","__proto__":{"polluted":1}')}\n`,
    answers: () => [answered(1)],
  },
  {
    name: 'a batch',
    bytes: (client) => `[${echo(client, 1)},{"jsonrpc":"1.0"},${echo(client, 2)}]\n`,
    answers: ({ revision }) =>
      revision === '2025-03-26'
        ? [[refusal(-32600), answered(1), answered(2)]]
        : [refusal(-32600, null, expect.stringContaining('batch'))],
  },
  { name: 'a batch of nothing', bytes: () => '[]\n', answers: () => [refusal(-32600)] },
  {
    name: 'a batch in a batch',
    bytes: () => '[[]]\n',
    answers: ({ revision }) => [revision === '2025-03-26' ? [refusal(-32600)] : refusal(-32600)],
  },
  {
    name: 'what is nested 100,000 levels deep',
    bytes: () =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}\n`,
    answers: () => [refusal(-32600, 1)],
  },
  {
    name: 'a line that is too long',
    bytes: () => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${'x'.repeat(11 * 1024 * 1024)}"}}\n`,
    answers: () => [refusal(-32600, 1, 'The message is too long')],
  },
  {
    name: 'a long line that is not',
    bytes: (client) =>
      `${client.request(1, 'tools/call', { name: 'echo', arguments: { text: 'x'.repeat(1_000_000) } })}\n`,
    answers: () => [answered(1)],
  },
  {
    name: 'a request without what the revision asks for',
    bytes: () => line({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    answers: (client) => [isModern(client) ? refusal(-32602, 1) : answered(1)],
  },
]

describe.each(lineWays)('garbage: %s', (way) => {
  describe.each(revisions)('%s', (revision) => {
    /** Two, for the hub answers only so much noise per second of each. */
    let clients: readonly LineClient[]
    let other: LineClient

    beforeAll(async () => {
      const installations = [install(), install()]
      clients = await Promise.all(installations.map((installation) => opened(way, revision, installation)))
      other = await LineClient.open('mcp.sock', revision, installations[0]!)
    })

    it.each(table.map((each, index) => ({ ...each, index })))('$name', async ({ bytes, answers, index }) => {
      const client = clients[index % 2]!
      const sent = bytes(client)
      for (const piece of Array.isArray(sent) ? sent : [sent]) {
        client.write(piece)
        await new Promise((resolve) => setImmediate(resolve))
      }
      const expected = answers(client)
      expect(byId(await client.wellFormed(expected.length))).toEqual(byId(expected))
      expect(await other.wellFormed()).toEqual([])
    })
  })
})

/** With a hub, and a worker that answers. */
async function opened(way: LineWay, revision: Revision, installation: Installation): Promise<LineClient> {
  const isOwnHub = way === 'callboard hub --stdio'
  if (!isOwnHub) await installation.hub()
  const client = isOwnHub ? LineClient.open(way, revision, installation) : undefined
  await installation.worker(everything)
  return client ?? LineClient.open(way, revision, installation)
}

/** Answers come in the order in which they are ready. */
function byId(answers: readonly Loose[]): Loose[] {
  const key = (answer: Loose) => (Array.isArray(answer) ? '[' : `${answer.id}`)
  return [...answers].sort((one, two) => (key(one) < key(two) ? -1 : key(one) > key(two) ? 1 : 0))
}
