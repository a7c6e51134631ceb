import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, Installation } from '../support/installation.js'
import { HttpClient } from './http-client.js'
import { revisions } from './line-client.js'

const everything = fileURLToPath(new URL('../interop/everything-worker.mjs', import.meta.url))
const ends: (() => Promise<void>)[] = []
afterAll(() => Promise.all(ends.map((end) => end())))
let url: URL

beforeAll(async () => {
  const variables = { CALLBOARD_HTTP: `127.0.0.1:${await freePort()}`, CALLBOARD_HTTP_OPEN: '*' }
  const installation = new Installation(variables, (clean) => ends.push(clean))
  await installation.hub()
  await installation.worker(everything)
  url = await installation.httpUrl()
})

interface Garbage {
  readonly name: string
  readonly bytes: (client: HttpClient) => string | Uint8Array
  /** The client says that no more will come. */
  readonly thenEnd?: boolean
  /** All that is answered, in this order. */
  readonly replies: (client: HttpClient) => readonly unknown[]
}

const refusal = (code: number, id: unknown = null) => ({
  jsonrpc: '2.0',
  id,
  error: expect.objectContaining({ code, message: expect.stringMatching(/./) }),
})
const answered = (id: unknown) => expect.objectContaining({ jsonrpc: '2.0', id, result: expect.any(Object) })
const reply = (status: number, body: unknown = expect.anything()) => expect.objectContaining({ status, body })
/** Of HTTP itself, before anything of ours has seen it. */
const badRequest = [reply(400, '')]

const noMessages: readonly [string, string, unknown][] = [
  ['no version', '{"id":1,"method":"ping"}', 1],
  ['version 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 1],
  ['version 2, a number', '{"jsonrpc":2,"id":1,"method":"ping"}', 1],
  ['a number', '17', null],
  ['null', 'null', null],
  ['an empty object', '{}', null],
  ['the id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
  ['a fraction as its id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null],
  ['an id beyond what a number can hold', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', null],
  ['an id beyond every number', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', null],
  ['an object as its id', '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', null],
  ['a list as its params', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 1],
  ['a method and a result', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 1],
  [
    'levels without end',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    1,
  ],
]

const noJson: readonly [string, string | Uint8Array][] = [
  ['nothing', ''],
  ['half a message', '{"jsonrpc":"2.0","id":1,'],
  ['two messages', '{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"a"}'],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ['UTF-16', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}', 'utf16le')],
]

const strangeNames = ['__proto__', 'constructor', 'toString', 'x'.repeat(5_000)]

const messages: readonly Garbage[] = [
  ...noMessages.map(([name, body, id]) => ({
    name,
    bytes: (client: HttpClient) => client.post(body),
    replies: () => [reply(400, refusal(-32600, id))],
  })),
  ...noJson.map(([name, body]) => ({
    name,
    bytes: (client: HttpClient) => client.post(body),
    replies: () => [reply(400, refusal(-32700))],
  })),
  {
    name: 'an id of 1 MB',
    bytes: (client) => client.post(client.echo('i'.repeat(1_000_000))),
    replies: () => [reply(200, answered('i'.repeat(1_000_000)))],
  },
  ...[0, -1, '', '__proto__'].map((id) => ({
    name: `the id ${JSON.stringify(id)}`,
    bytes: (client: HttpClient) => client.post(client.echo(id)),
    replies: () => [reply(200, answered(id))],
  })),
  ...['notifications/none', '__proto__', 'tools/call'].map((method) => ({
    name: `the notification ${method}`,
    bytes: (client: HttpClient) =>
      client.post(JSON.stringify({ jsonrpc: '2.0', method }), client.isModern ? { 'mcp-method': method } : {}),
    replies: () => [reply(202, '')],
  })),
  ...strangeNames.flatMap((name) => [
    {
      name: `the method ${name.slice(0, 20)}`,
      bytes: (client: HttpClient) =>
        client.post(client.request(1, name), client.isModern ? { 'mcp-method': name, 'mcp-name': '' } : {}),
      replies: (client: HttpClient) => [reply(client.isModern ? 404 : 200, refusal(-32601, 1))],
    },
    {
      name: `the tool ${name.slice(0, 20)}`,
      bytes: (client: HttpClient) =>
        client.post(client.request(1, 'tools/call', { name }), client.isModern ? { 'mcp-name': name } : {}),
      replies: () => [reply(200, refusal(-32602, 1))],
    },
  ]),
  {
    name: 'a prototype among the arguments',
    bytes: (client) => client.post(client.echo(1).replace('"text":"x"', '"text":"x","__proto__":{"polluted":1}')),
    replies: () => [reply(200, answered(1))],
  },
  {
    name: 'halves of characters',
    bytes: (client) => client.post(client.echo(1).replace('"text":"x"', '"text":"\\ud800 \\udc00"')),
    replies: () => [reply(200, answered(1))],
  },
  {
    name: 'a byte order mark before the message',
    bytes: (client) => client.post(`\ufeff${client.echo(1)}`),
    replies: () => [reply(200, answered(1))],
  },
  {
    name: 'a batch',
    bytes: (client) => client.post(`[${client.echo(1)},{"jsonrpc":"1.0"},${client.echo(2)}]`),
    replies: ({ revision }) => [
      revision === '2025-03-26'
        ? reply(200, expect.arrayContaining([answered(1), refusal(-32600), answered(2)]))
        : reply(400, refusal(-32600)),
    ],
  },
  { name: 'a batch of nothing', bytes: (client) => client.post('[]'), replies: () => [reply(400, refusal(-32600))] },
]

const http: readonly Garbage[] = [
  { name: 'no HTTP at all', bytes: () => Buffer.from([0x16, 0x03, 0x01, 0x00, 0xa5]), replies: () => badRequest },
  { name: 'another HTTP', bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', replies: () => badRequest },
  {
    name: 'a method that HTTP does not have',
    bytes: (client) => client.post(client.echo(1)).toString().replace('POST', 'BREW'),
    replies: () => badRequest,
  },
  {
    name: 'a method that we do not have',
    bytes: (client) => client.post('').toString().replace('POST', 'PUT'),
    replies: () => [reply(405, refusal(-32000))],
  },
  {
    name: 'no host',
    bytes: (client) => client.post(client.echo(1), { host: '' }),
    replies: () => [reply(403, refusal(-32000))],
  },
  {
    name: 'less than it says, and then the end',
    bytes: (client) => client.post(client.echo(1), { 'content-length': '100000' }),
    thenEnd: true,
    replies: () => badRequest,
  },
  {
    name: 'headers that never end, and then the end',
    bytes: (client) => client.post('').subarray(0, 50),
    thenEnd: true,
    replies: () => badRequest,
  },
  {
    name: 'chunks that are none',
    bytes: (client) =>
      Buffer.concat([
        client.post('', { 'content-length': '', 'transfer-encoding': 'chunked' }),
        Buffer.from('zz\r\nx'),
      ]),
    replies: () => badRequest,
  },
  {
    name: 'chunks and a length',
    bytes: (client) => client.post(client.echo(1), { 'transfer-encoding': 'chunked' }),
    replies: () => badRequest,
  },
  {
    name: 'two lengths',
    bytes: (client) => client.post(client.echo(1), { 'content-length': ['10', '20'] }),
    replies: () => badRequest,
  },
  {
    name: 'a length that is no number',
    bytes: (client) => client.post(client.echo(1), { 'content-length': '-1' }),
    replies: () => badRequest,
  },
  {
    name: 'a line break in a header',
    bytes: (client) => client.post(client.echo(1), { 'x-any': 'a\nb' }),
    replies: () => badRequest,
  },
  {
    name: 'requests one after the other, without waiting',
    bytes: (client) =>
      Buffer.concat([
        client.post(client.echo(1), { connection: 'keep-alive' }),
        client.post('what?', { connection: 'keep-alive' }),
        client.post(client.echo(2)),
      ]),
    // A connection has one request at a time, and this one is cut.
    replies: () => [],
  },
  {
    name: 'a header of 20 KB',
    bytes: (client) => client.post(client.echo(1), { 'x-any': 'x'.repeat(20_000) }),
    replies: () => [reply(431, '')],
  },
  {
    name: '1,000 headers',
    bytes: (client) => client.post(client.echo(1), { 'x-any': new Array(1_000).fill('1') }),
    replies: () => [reply(200, answered(1))],
  },
  ...['', 'text/plain', 'application/json-seq', 'application/x-www-form-urlencoded', 'x'].map((type) => ({
    name: `the content type ${JSON.stringify(type)}`,
    bytes: (client: HttpClient) => client.post(client.echo(1), { 'content-type': type }),
    replies: () => [reply(415, refusal(-32000))],
  })),
  {
    name: 'a compressed body',
    bytes: (client) => client.post(gzipSync(client.echo(1)), { 'content-encoding': 'gzip' }),
    replies: () => [
      expect.objectContaining({ status: 415, headers: expect.objectContaining({ 'accept-encoding': 'identity' }) }),
    ],
  },
  {
    name: 'a body that is said to be as it is',
    bytes: (client) => client.post(client.echo(1), { 'content-encoding': 'identity' }),
    replies: () => [reply(200, answered(1))],
  },
  {
    name: 'a body that is too large',
    bytes: (client) => client.post(client.echo(1, 'x'.repeat(5 * 1024 * 1024)), { connection: 'keep-alive' }),
    thenEnd: true,
    replies: () => [reply(413, refusal(-32000))],
  },
  {
    name: 'a revision that nobody speaks',
    bytes: (client) => client.post(client.echo(1), { 'mcp-protocol-version': '2099-01-01' }),
    replies: () => [expect.objectContaining({ status: 400 })],
  },
  {
    name: 'a session that nobody has',
    bytes: (client) => client.post(client.echo(1), { 'mcp-session-id': '__proto__' }),
    // Modern clients have none, and what they say of one is nobody's business.
    replies: ({ isModern }) => [isModern ? reply(200, answered(1)) : reply(404, refusal(-32001))],
  },
]

describe.each(revisions)('garbage: HTTP: %s', (revision) => {
  let client: HttpClient
  beforeAll(async () => {
    client = await HttpClient.open(revision, url)
  })

  it.each([...messages, ...http])('$name', async ({ bytes, thenEnd = false, replies }) => {
    expect(await client.say(bytes(client), { thenEnd })).toEqual(replies(client))
    expect(await client.isServed()).toBe(true)
  })
})
