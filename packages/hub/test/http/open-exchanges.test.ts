import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { OpenExchanges } from '../../src/http/open-exchanges.js'

/** More than what the system takes for a reader that does not read. */
const muchBytes = 16 * 1024 * 1024

/** Answers that are being written, each on a connection whose client reads nothing. */
async function writing(open: OpenExchanges, ...bytes: readonly number[]) {
  const responses: ServerResponse[] = []
  const clients: Socket[] = []
  const server = createServer((request, response) => {
    expect(open.begin(request, response)).toBe(true)
    response.end('x'.repeat(bytes[responses.length]!))
    responses.push(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const client of clients) client.destroy()
    server.close()
  })
  for (const _ of bytes) {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    clients.push(client)
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(server, 'request')
  }
  return responses
}

it('cuts those who take least when too much is unread', async () => {
  const open = new OpenExchanges()
  const [small, large] = await writing(open, muchBytes, 2 * muchBytes)
  open.relieve(small!.writableLength + large!.writableLength)
  expect([small!.destroyed, large!.destroyed]).toEqual([false, false])
  open.relieve(small!.writableLength)
  expect([small!.destroyed, large!.destroyed]).toEqual([false, true])
})

it('forgets an answer that is cut', async () => {
  const open = new OpenExchanges()
  const [only] = await writing(open, muchBytes)
  const closed = once(only!, 'close')
  open.relieve(0)
  await closed
  open.relieve(0)
  expect(only!.destroyed).toBe(true)
})
