import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { HttpClient, type HttpRequest } from '../../src/http/http-client.js'
import { type Answering, cut, json, quiet, redirect, serveWeb, until } from './web.js'

async function serve(answering: Answering | readonly Answering[]) {
  const web = await serveWeb(answering)
  const http = new HttpClient(web.clock)
  const send = (request: Partial<HttpRequest> = {}, signal: AbortSignal = web.stop.signal) =>
    http.send(
      { method: 'GET', url: `${web.origin}/path?token=secret`, headers: {}, timeoutMs: 15_000, ...request },
      signal,
    )
  return { ...web, send, [Symbol.asyncDispose]: web[Symbol.asyncDispose] }
}

const failed = (kind: string, message: RegExp, status?: number) => ({
  name: 'HttpTrouble',
  kind,
  status,
  message: expect.stringMatching(message),
})

const mebibyte = 1024 * 1024

describe('a request', () => {
  test('carries method, headers and body there and status, headers and text back', async () => {
    await using web = await serve((_, response, body) => response.writeHead(418, { 'x-made': 'tea' }).end(body))
    const body = new TextEncoder().encode('é')
    const answer = await web.send({ method: 'PUT', headers: { 'x-some': 'thing' }, body })
    expect(answer).toMatchObject({ status: 418, text: 'é', bytes: 2, isWhole: true })
    expect(answer.headers.get('x-made')).toBe('tea')
    expect(web.requests).toMatchObject([{ method: 'PUT', headers: { 'x-some': 'thing', 'content-length': '2' } }])
  })

  test('is not redirected', async () => {
    await using web = await serve(redirect('/elsewhere'))
    expect(await web.send()).toMatchObject({ status: 302 })
    expect(web.requests.length).toBe(1)
  })

  test.each(['POST', 'PUT', 'DELETE'] as const)('%s is sent once, also when the answer is 421', async (method) => {
    await using web = await serve(json({}, 421))
    const body = method === 'DELETE' ? {} : { body: new Uint8Array([65]) }
    expect(await web.send({ method, ...body })).toMatchObject({ status: 421 })
    expect(web.requests.length).toBe(1)
  })

  test('without a body says that it has none', async () => {
    await using web = await serve(json({}))
    await web.send({ method: 'POST' })
    expect(web.requests).toMatchObject([{ body: '', headers: { 'content-length': '0' } }])
  })

  test('understands gzip', async () => {
    await using web = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('unpacked'))
    })
    expect(await web.send()).toMatchObject({ text: 'unpacked', bytes: 8 })
  })
})

describe('the time limit', () => {
  test('ends a request that is not answered, which may have arrived', async () => {
    await using web = await serve(() => {})
    const answer = web.send({ method: 'POST' })
    await until(() => web.requests.length === 1)
    web.clock.advance(14_999)
    web.clock.advance(1)
    await expect(answer).rejects.toMatchObject(failed('late', /^the host 127\.0\.0\.1:\d+ did not answer within 15 s$/))
  })

  test('ends an answer that drips, whose status is known', async () => {
    await using web = await serve((_, response) => {
      response.writeHead(404).write('d')
      const drip = () => response.write('d') && setImmediate(drip)
      drip()
    })
    const answer = web.send({ timeoutMs: 1_000 })
    await until(() => web.requests.length === 1)
    await quiet()
    web.clock.advance(1_000)
    await expect(answer).rejects.toMatchObject(failed('late', /did not answer within 1 s/, 404))
  })

  test('leaves no timer behind', async () => {
    await using web = await serve([json({}), cut])
    await web.send()
    await expect(web.send()).rejects.toThrow()
    expect(web.clock.nextWake).toBeUndefined()
  })
})

describe('an answer that does not come', () => {
  test('from where nobody is: the request did not arrive', async () => {
    const web = await serve(() => {})
    await web[Symbol.asyncDispose]()
    await expect(web.send()).rejects.toMatchObject(failed('refused', /can not be reached \(ECONNREFUSED\)/))
    const nowhere = web.send({ url: 'http://name.invalid/' })
    await expect(nowhere).rejects.toMatchObject(failed('refused', /^The host name\.invalid can not be reached/))
    const mail = web.send({ url: 'http://127.0.0.1:25/' })
    await expect(mail).rejects.toMatchObject(failed('refused', /^The port of 127\.0\.0\.1:25 .* is never asked$/))
  })

  test('because the connection is cut: it may have arrived', async () => {
    await using web = await serve(cut)
    await expect(web.send()).rejects.toMatchObject(failed('lost', /ended before an answer came/))
  })

  test('on a connection that was kept and is dead meanwhile: nobody knows', async () => {
    await using web = await serve([json({}), cut])
    await web.send()
    await expect(web.send({ method: 'POST' })).rejects.toMatchObject(failed('lost', /ended before an answer came/))
    expect(web.requests.length).toBe(2)
  })

  const half = '{"half":'
  test.each<[string, Answering]>([
    ['shorter than it says', (_, response) => response.writeHead(200, { 'content-length': '100' }).write(half)],
    ['cut in its chunks', (_, response) => response.writeHead(200).write(half)],
    [
      'cut while it is packed',
      (_, response) => {
        const packed = gzipSync(Buffer.alloc(mebibyte, 'some text '))
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': `${packed.length}` })
        response.write(packed.subarray(0, packed.length / 2))
      },
    ],
  ])('to its end, %s: it may have arrived', async (_, begin) => {
    await using web = await serve((request, response, body) => {
      begin(request, response, body)
      setImmediate(() => request.socket.destroy())
    })
    await expect(web.send({ method: 'POST' })).rejects.toMatchObject(failed('lost', /in the middle of the answer/, 200))
  })

  test('because its headers have no end', async () => {
    await using web = await serve((request) => {
      request.socket.write('HTTP/1.1 200 OK\r\n')
      const more = () =>
        request.socket.writable && request.socket.write(`x-${'y'.repeat(1_000)}: z\r\n`, () => setImmediate(more))
      more()
    })
    await expect(web.send()).rejects.toMatchObject(failed('lost', /ended before an answer came/))
  })

  test('because it is no HTTP', async () => {
    await using web = await serve((request) => request.socket.end('SSH-2.0-nothing\r\n\r\n'))
    await expect(web.send()).rejects.toMatchObject(failed('lost', /ended before an answer came/))
  })

  test('shows neither path, query nor header', async () => {
    await using web = await serve(cut)
    for (const headers of [{ authorization: 'Bearer top\nsecret' }, {}]) {
      const error = await web.send({ headers }).catch((reason) => reason)
      expect(`${error.message} ${error.cause?.message ?? ''}`).not.toMatch(/secret|path/)
    }
    await expect(web.send({ headers: { 'x-key': 'top\nsecret' } })).rejects.toMatchObject(
      failed('refused', /could not be made/),
    )
  })
})

describe('the size limit', () => {
  test.each([
    [8 * mebibyte, true],
    [8 * mebibyte + 1, false],
  ])('%i bytes: %s', async (size, isWhole) => {
    await using web = await serve((_, response) => response.end(Buffer.alloc(size, 'x')))
    const answer = await web.send()
    expect(answer.isWhole).toBe(isWhole)
    expect(answer.text.length).toBeLessThanOrEqual(8 * mebibyte)
  })

  test('counts what is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * mebibyte))
    await using web = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const answer = await web.send()
    expect(answer.isWhole).toBe(false)
    expect(answer.bytes).toBeLessThan(9 * mebibyte)
  })

  test('holds for an answer without end, whose connection it closes', async () => {
    let isClosed = false
    await using web = await serve((request, response) => {
      request.socket.on('close', () => {
        isClosed = true
      })
      const chunk = Buffer.alloc(mebibyte)
      const more = () => !isClosed && response.write(chunk, () => setImmediate(more))
      more()
    })
    expect(await web.send()).toMatchObject({ isWhole: false })
    await until(() => isClosed)
  })
})

test('a request ends with the reason of its signal, before and during', async () => {
  await using web = await serve(() => {})
  const answer = web.send()
  await until(() => web.requests.length === 1)
  web.stop.abort(new Error('enough'))
  await expect(answer).rejects.toThrow('enough')
  await expect(web.send()).rejects.toThrow('enough')
  expect(web.requests.length).toBe(1)
  expect(web.clock.nextWake).toBeUndefined()
})
