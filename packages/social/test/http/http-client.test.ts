import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, test } from 'vitest'
import { HttpClient } from '../../src/http/http-client.js'
import { throughPauses } from '../support/bluesky-account.js'

async function serve(listener: RequestListener) {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const clock = new VirtualClock()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?token=secret`,
    clock,
    http: new HttpClient(clock),
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A promise that a listener resolves. */
function signalling() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

const failed = (kind: string, message: RegExp) => ({
  name: 'HttpTrouble',
  kind,
  message: expect.stringMatching(message),
})

describe('a request', () => {
  test('carries method, headers and body there and status, headers and text back', async () => {
    await using web = await serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.writeHead(418, { 'x-made': 'tea' }).end(`${request.method} ${request.headers['x-some']} ${body}`)
    })
    const answer = await web.http.send({ method: 'PUT', url: web.url, headers: { 'x-some': 'thing' }, body: 'é' })
    expect(answer).toMatchObject({ status: 418, text: 'PUT thing é', isWhole: true })
    expect(answer.headers.get('x-made')).toBe('tea')
  })

  test.each([{ body: 'a=1' }, {}])('that writes is sent once, also when the answer is 421 (%j)', async (sent) => {
    await using web = await serve((_, response) => response.writeHead(421).end())
    expect(await web.http.send({ method: 'POST', url: web.url, ...sent })).toMatchObject({ status: 421 })
    expect(web.requests()).toBe(1)
  })

  test('with a form says where its parts end', async () => {
    await using web = await serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1] ?? 'none'
      response.end(`${body.split(boundary).length} ${request.headers['content-length'] === `${body.length}`}`)
    })
    const form = new FormData()
    form.set('text', 'hello')
    expect(await web.http.send({ method: 'POST', url: web.url, body: form })).toMatchObject({ text: '3 true' })
  })

  test('is not redirected: what authorises us would go with it', async () => {
    await using web = await serve((_, response) => response.writeHead(302, { location: 'http://evil.test/' }).end())
    expect(await web.http.send({ url: web.url })).toMatchObject({ status: 302 })
    expect(web.requests()).toBe(1)
  })

  test('ends at its time limit, and may have arrived', async () => {
    const arrived = signalling()
    await using web = await serve(() => arrived.resolve())
    const answer = web.http.send({ method: 'POST', url: web.url })
    await arrived.promise
    web.clock.advance(14_999)
    web.clock.advance(1)
    await expect(answer).rejects.toMatchObject(failed('lost', /^127\.0\.0\.1:\d+ did not answer within 15 s$/))
  })

  test('ends at its time limit in the middle of the answer, too', async () => {
    const arrived = signalling()
    await using web = await serve((_, response) => {
      response.writeHead(200).write('the beginning')
      arrived.resolve()
    })
    const answer = web.http.send({ url: web.url, timeoutMs: 1_000 })
    await arrived.promise
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    web.clock.advance(1_000)
    await expect(answer).rejects.toMatchObject(failed('lost', /did not answer within 1 s/))
  })

  test('that meets nobody did not arrive', async () => {
    const web = await serve(() => {})
    await web[Symbol.asyncDispose]()
    await expect(web.http.send({ url: web.url })).rejects.toMatchObject(
      failed('refused', /can not be reached \(ECONNREFUSED\)/),
    )
    const nowhere = web.http.send({ url: 'http://name.invalid/' })
    await expect(nowhere).rejects.toMatchObject(failed('refused', /^name\.invalid can not be reached/))
  })

  test('whose connection is cut may have arrived', async () => {
    await using web = await serve((request) => request.socket.destroy())
    await expect(web.http.send({ url: web.url })).rejects.toMatchObject(failed('lost', /ended before an answer came/))
  })

  test('whose answer is cut may have arrived', async () => {
    await using web = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('the beginning')
      setImmediate(() => request.socket.destroy())
    })
    await expect(web.http.send({ url: web.url })).rejects.toMatchObject(failed('lost', /ended before an answer came/))
  })

  test('ends with the reason of its signal, before and during', async () => {
    const arrived = signalling()
    await using web = await serve(() => arrived.resolve())
    const stop = new AbortController()
    const answer = web.http.send({ url: web.url }, stop.signal)
    await arrived.promise
    stop.abort(new Error('enough'))
    await expect(answer).rejects.toThrow('enough')
    await expect(web.http.read({ url: web.url }, stop.signal)).rejects.toThrow('enough')
    expect(web.requests()).toBe(1)
  })

  test('reads four megabytes at most', async () => {
    await using web = await serve((_, response) => response.end(Buffer.alloc(5 * 1024 * 1024, 'x')))
    const { text, isWhole } = await web.http.send({ url: web.url })
    expect(isWhole).toBe(false)
    expect(text.length).toBeLessThanOrEqual(4 * 1024 * 1024)
  })

  test('never shows query, header or token in what went wrong', async () => {
    await using web = await serve((request) => request.socket.destroy())
    const bad = { url: web.url, headers: { authorization: 'Bearer top\nsecret' } }
    for (const request of [bad, { url: web.url }]) {
      const error = await web.http.send(request).catch((reason) => reason)
      expect(`${error.message} ${error.cause?.message ?? ''}`).not.toMatch(/secret|path/)
    }
    await expect(web.http.send(bad)).rejects.toMatchObject(failed('refused', /could not be made/))
    await expect(web.http.send({ url: 'nonsense' })).rejects.toMatchObject(failed('refused', /^the server can not/))
  })

  test('leaves no timer behind', async () => {
    await using web = await serve((_, response) => response.end())
    await web.http.send({ url: web.url })
    expect(web.clock.nextWake).toBeUndefined()
  })
})

describe('a read', () => {
  test.each([502, 503, 504])('is made three times while the answer is %i', async (status) => {
    await using web = await serve((_, response) => response.writeHead(status).end())
    expect(await throughPauses(web.clock, web.http.read({ url: web.url }))).toMatchObject({ status })
    expect(web.requests()).toBe(3)
  })

  test('is made again after a cut, with a pause that doubles', async () => {
    await using web = await serve((request) => request.socket.destroy())
    const begun = web.clock.now()
    await expect(throughPauses(web.clock, web.http.read({ url: web.url }))).rejects.toMatchObject({ kind: 'lost' })
    expect(web.requests()).toBe(3)
    expect(web.clock.now() - begun).toBe(1_500)
  })

  test.each([
    [500, {}],
    [429, {}],
    [404, {}],
    [503, { 'retry-after': '60' }],
  ])('is made once when the answer is %i %j', async (status, headers) => {
    await using web = await serve((_, response) => response.writeHead(status, headers as Record<string, string>).end())
    expect(await web.http.read({ url: web.url })).toMatchObject({ status })
    expect(web.requests()).toBe(1)
  })
})

test('what is sent is sent once, whatever becomes of it', async () => {
  await using web = await serve((request) => request.socket.destroy())
  await expect(web.http.send({ method: 'POST', url: web.url, body: 'x' })).rejects.toMatchObject({ kind: 'lost' })
  await expect(web.http.send({ url: web.url })).rejects.toMatchObject({ kind: 'lost' })
  expect(web.requests()).toBe(2)
})
