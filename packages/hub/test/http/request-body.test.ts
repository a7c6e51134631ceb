import { once } from 'node:events'
import { type ClientRequest, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendFacadeError, sendJson } from '../../src/http/answers.js'
import { BodyReader, parseJsonBody } from '../../src/http/request-body.js'

async function reading(bodies: BodyReader) {
  const server = createServer((incoming, response) => {
    incoming.once('data', () => server.emit('begun'))
    bodies.read(incoming, response, 100).then(
      (read) => {
        if (read.kind === 'refused') sendFacadeError(response, read.error)
        else sendJson(response, 200, { length: read.value.length })
      },
      () => server.emit('left'),
    )
  })
  server.listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const begin = (): ClientRequest => {
    const headers = { 'content-type': 'application/json' }
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false })
    return sent.on('error', () => {})
  }
  return { server, begin }
}

const statusOf = async (sent: ClientRequest) => (await once(sent, 'response'))[0].statusCode

describe('BodyReader', () => {
  it('bounds what all clients together have sent and not finished, and gives it back', async () => {
    const { server, begin } = await reading(new BodyReader(150))
    const [first, second] = [begin(), begin()]
    const begun = once(server, 'begun')
    first.write('x'.repeat(100))
    await begun
    second.end('x'.repeat(60))
    expect(await statusOf(second)).toBe(503)
    first.end()
    expect(await statusOf(first)).toBe(200)
    const third = begin()
    third.end('x'.repeat(100))
    expect(await statusOf(third)).toBe(200)
    const left = once(server, 'left')
    const leaver = begin()
    const begunAgain = once(server, 'begun')
    leaver.write('x'.repeat(100))
    await begunAgain
    leaver.destroy()
    await left
    const last = begin()
    last.end('x'.repeat(100))
    expect(await statusOf(last)).toBe(200)
  })

  it('takes a body up to its bound, whatever was said of its length', async () => {
    const { begin } = await reading(new BodyReader())
    for (const [length, status] of [
      [100, 200],
      [101, 413],
    ] as const) {
      const sent = begin()
      for (let index = 0; index < length; index++) sent.write('x')
      sent.end()
      expect(await statusOf(sent)).toBe(status)
    }
  })
})

describe('parseJsonBody', () => {
  it('is total', () => {
    expect(parseJsonBody(Buffer.from('{"a":1}'))).toEqual({ kind: 'read', value: { a: 1 } })
    for (const bytes of ['', '{', '\xff']) {
      expect(parseJsonBody(Buffer.from(bytes, 'latin1'))).toMatchObject({ kind: 'refused', error: { status: 400 } })
    }
  })
})
