import { describe, expect, it } from 'vitest'
import type { RawHttp } from '../../raw-http.js'
import { callText, openHub } from './open-hub.js'

/** What it takes to be answered with these statuses, on a connection that ends then, or serves the next. */
type Case = readonly [name: string, send: (client: RawHttp) => unknown, statuses: readonly number[], isOver: boolean]

const call = callText()
const inChunks = (text: string, size: number): string =>
  (text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join('')
const chunked = (client: RawHttp, body: string, headers: Record<string, string> = {}) =>
  client.request('POST /mcp', { 'Transfer-Encoding': 'chunked', ...headers }).write(body)
/** More headers than Node keeps unless it is told to. */
const crowd = 'a:b\r\n'.repeat(2_400)
const crowded = (client: RawHttp, line: string, last: string) =>
  client.write(`${line} HTTP/1.1\r\nHost: localhost:${client.port}\r\n${crowd}${last}\r\n\r\n`)

const bodies: readonly Case[] = [
  ['a body byte by byte', (client) => chunked(client, `${inChunks(call, 1)}0\r\n\r\n`), [200], false],
  [
    'lengths with zeros before them, in capitals',
    (client) => chunked(client, `0000${call.length.toString(16).toUpperCase()}\r\n${call}\r\n000\r\n\r\n`),
    [200],
    false,
  ],
  [
    'chunks with extensions',
    (client) => chunked(client, `${call.length.toString(16)};a=b;c="d"\r\n${call}\r\n0\r\n\r\n`),
    [200],
    false,
  ],
  [
    'trailers that would be other headers',
    (client) => chunked(client, `${inChunks(call, 9)}0\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n`),
    [200],
    false,
  ],
  ['an extension without end', (client) => chunked(client, `1;${'a'.repeat(100_000)}\r\n`), [413], true],
  [
    'trailers without end',
    (client) => chunked(client, `${inChunks(call, 9)}0\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
    [431],
    true,
  ],
  ...['-1', '0x10', 'fffffffffffffffff', ' 5', ''].map(
    (length): Case => [`a chunk of ${length}`, (client) => chunked(client, `${length}\r\n${call}\r\n`), [400], true],
  ),
  ['chunks without carriage returns', (client) => chunked(client, `5\nabcde\n0\n\n`), [400], true],
  [
    'chunks that are not the last coding',
    (client) => chunked(client, '0\r\n\r\n', { 'Transfer-Encoding': 'chunked, identity' }),
    [400],
    true,
  ],
  ['a length that is too short', (client) => client.request('POST /mcp', { 'Content-Length': 10 }, call), [400], true],
  ...['+5', '5e0', '0x5', '99999999999999999999'].map(
    (length): Case => [
      `a length of ${length}`,
      (client) => client.request('POST /mcp', { 'Content-Length': length }, call),
      [400],
      true,
    ],
  ),
  ['a body that nobody reads', (client) => client.request('GET /healthz', {}, call), [200], false],
]

const expectations: readonly Case[] = [
  [
    'a large body is asked for',
    (client) => client.request('POST /mcp', { Expect: '100-continue' }, call),
    [100, 200],
    false,
  ],
  [
    'one that is too large is not',
    (client) => client.request('POST /mcp', { Expect: '100-continue', 'Content-Length': 50_000_000 }),
    [413],
    true,
  ],
  [
    'nor one from elsewhere',
    (client) => client.request('POST /mcp', { Expect: '100-continue', Host: 'evil.example' }),
    [403],
    true,
  ],
  ['something else is not expected', (client) => client.request('POST /mcp', { Expect: 'cake' }, call), [417], false],
  [
    'HTTP/1.0 has no answer before the answer',
    (client) => client.request('POST /mcp HTTP/1.0', { Expect: '100-continue' }, call),
    [200],
    true,
  ],
]

const heads: readonly Case[] = [
  ['a header of 10,000 bytes', (client) => client.request('GET /healthz', { X: 'x'.repeat(10_000) }), [200], false],
  ['one that is too long', (client) => client.request('GET /healthz', { X: 'x'.repeat(20_000) }), [431], true],
  [
    'a strange origin behind 2,400 headers',
    (client) => crowded(client, 'GET /healthz', 'Origin: http://evil.example'),
    [403],
    false,
  ],
  [
    'a wrong token behind 2,400 headers',
    (client) => crowded(client, 'GET /tools', 'Authorization: Bearer no'),
    [401],
    false,
  ],
  [
    'two origins',
    (client) =>
      client.write(
        `GET /healthz HTTP/1.1\r\nHost: localhost:${client.port}\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n\r\n`,
      ),
    [403],
    false,
  ],
  [
    'an upgrade',
    (client) => client.request('GET /healthz', { Connection: 'Upgrade', Upgrade: 'websocket' }),
    [200],
    false,
  ],
  [
    'an upgrade of a call',
    (client) => client.request('POST /mcp', { Connection: 'Upgrade', Upgrade: 'h2c' }, call),
    [200],
    false,
  ],
  ['a tunnel', (client) => client.request('CONNECT localhost:1'), [], true],
  ['a line break within a header', (client) => client.request('GET /healthz', { X: 'a\r\n b' }), [400], true],
  ['a space before a colon', (client) => client.request('GET /healthz', { 'X ': 'a' }), [400], true],
  ['empty lines before it', (client) => client.write('\r\n\r\n').request('GET /healthz'), [200], false],
]

const targets: readonly Case[] = [
  [
    'a whole URL, as for a proxy',
    (client) => client.request(`GET http://localhost:${client.port}/healthz?x`),
    [200],
    false,
  ],
  ['a call by one', (client) => client.request(`POST HTTP://LOCALHOST:${client.port}/mcp`, {}, call), [200], false],
  ['one without a path', (client) => client.request(`GET http://127.0.0.1:${client.port}`), [200], false],
  [
    'one of another host, whatever Host says',
    (client) => client.request('GET http://evil.example/healthz'),
    [403],
    false,
  ],
  [
    'one of ours, whatever Host says',
    (client) => client.request(`GET http://localhost:${client.port}/healthz`, { Host: 'evil.example' }),
    [200],
    false,
  ],
  ['one with a user', (client) => client.request(`GET http://evil@localhost:${client.port}/healthz`), [403], false],
  ...['//mcp', '/mcp/', '/./mcp', '/%6dcp', '/healthz#x', 'ftp://localhost/mcp', '*'].map(
    (path): Case => [`the path ${path}`, (client) => client.request(`POST ${path}`, {}, call), [404], false],
  ),
  [
    'OPTIONS of a page that is not listed',
    (client) =>
      client.request('OPTIONS /mcp', { Origin: 'http://localhost:3', 'Access-Control-Request-Method': 'POST' }),
    [405],
    false,
  ],
  ['TRACE', (client) => client.request('TRACE /'), [405], false],
  ['HEAD', (client) => client.request('HEAD /tools'), [200], false],
  ['HEAD of what has no GET', (client) => client.request('HEAD /mcp'), [405], false],
]

const hosts: readonly Case[] = [
  ...['LOCALHOST:PORT', '127.0.0.1:PORT', '[0:0:0:0:0:0:0:1]:PORT'].map(
    (host): Case => [host, (client) => namedAs(client, host), [200], false],
  ),
  ...[
    'localhost',
    'localhost:1',
    'localhost.:PORT',
    'localhost.evil.example:PORT',
    'evil@localhost:PORT',
    'localhost:PORT/x',
    'localhost:PORT,evil.example',
    'loc%61lhost:PORT',
    '0.0.0.0:PORT',
    '127.0.0.2:PORT',
    '[::ffff:127.0.0.1]:PORT',
    ':PORT',
    '',
  ].map((host): Case => [host || 'nothing', (client) => namedAs(client, host), [403], false]),
]

function namedAs(client: RawHttp, host: string): void {
  client.request('GET /healthz', { Host: host.replace('PORT', String(client.port)) })
}

describe.each([
  ['bodies', bodies],
  ['Expect', expectations],
  ['heads', heads],
  ['targets and methods', targets],
  ['Host', hosts],
])('%s', (_, cases) => {
  it('are answered, and the hub serves on', async () => {
    const { hub, worker, connect } = await openHub()
    worker.answerAll()
    for (const [name, send, statuses, isOver] of cases) {
      const client = await connect()
      send(client)
      if (isOver) await client.ended()
      // Whatever is left of it would be read as another request.
      else await client.until(/^HTTP\/1\.1 [2-5]/m)
      expect([name, client.statuses]).toEqual([name, statuses])
      if (!isOver) {
        await settled(client)
        expect([name, (await client.request('GET /readyz').answer()).status]).toEqual([name, 200])
      }
      client.socket.destroy()
    }
    await expect.poll(() => hub.snapshot().calls).toEqual([])
    const client = await connect()
    expect((await client.request('POST /tools/raw', {}, '{}').answer()).body).toBe('{"success":true,"data":"raw"}')
  })
})

/** The answer is here, whole, and is forgotten. */
async function settled(client: RawHttp): Promise<void> {
  if ((await client.answer()).status === 100) await client.answer()
}
