import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { eventsIn } from '../client/event-stream.js'
import { HttpCarrier } from '../client/http-carrier.js'
import { Lines } from '../client/lines.js'

it('lines are cut wherever chunks end', () => {
  const lines = new Lines()
  const chunks = ['{"a', '":1}', '\n{"b":2}\n{"c', '":3}\n', '{"d":4}\n{"e":5}\n']
  expect(chunks.map((chunk) => lines.push(Buffer.from(chunk)))).toEqual([
    [],
    [],
    ['{"a":1}', '{"b":2}'],
    ['{"c":3}'],
    ['{"d":4}', '{"e":5}'],
  ])
})

it('events have their kind and their data; comments and empty ones are none', () => {
  expect(
    eventsIn('event: endpoint\ndata: /messages?id=1\n\n: ping\n\nid: 7\ndata: \n\nevent: message\r\ndata: {}\r\n\r\n'),
  ).toEqual([
    { event: 'endpoint', data: '/messages?id=1' },
    { event: 'message', data: '{}' },
  ])
})

it('reads JSON and event streams, of known length and in chunks, and asks again what a closed connection lost', async () => {
  const text = (id: string) => JSON.stringify({ jsonrpc: '2.0', id, result: 'x'.repeat(100_000) })
  const sessions: unknown[] = []
  const server = createServer((request, response) => {
    sessions.push(request.headers['mcp-session-id'])
    const answer = text(`${sessions.length}`)
    const kind = sessions.length % 2 === 1 ? 'application/json' : 'text/event-stream'
    response.writeHead(200, {
      'content-type': kind,
      'mcp-session-id': 'one',
      ...(sessions.length === 1 && { 'content-length': answer.length }),
    })
    response.end(kind === 'application/json' ? answer : `event: message\ndata: ${answer}\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const told: ((messages: readonly string[]) => void)[] = []
  const events = {
    deliver: (messages: readonly string[]) => told.shift()!(messages),
    fail: (problem: string) => expect.fail(problem),
  }
  const carrier = new HttpCarrier(url, { era: 'legacy', tool: 'echo' }, events)
  onTestFinished(() => carrier.close())
  const ask = () =>
    new Promise<readonly string[]>((resolve) => {
      told.push(resolve)
      carrier.send(['{}'])
    })
  expect(await ask()).toEqual([text('1')])
  expect(await ask()).toEqual([text('2')])
  expect(await ask()).toEqual([text('3')])
  server.closeAllConnections()
  expect(await ask()).toEqual([text('4')])
  expect(sessions).toEqual([undefined, 'one', 'one', 'one'])
})
