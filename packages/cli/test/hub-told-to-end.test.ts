import { once } from 'node:events'
import { expect, it } from 'vitest'
import { callText, openSession } from '../../hub/test/http/attacks/open-hub.js'
import { RawHttp } from '../../hub/test/raw-http.js'
import { RawWorker } from '../../hub/test/raw-worker.js'
import { freePort, Installation } from './support/installation.js'

const stream = { Accept: 'application/json, text/event-stream' }

it('SIGTERM with calls in flight over HTTP: each has a true answer or a clean end, and the process is gone', async () => {
  const port = await freePort()
  const installation = new Installation({ CALLBOARD_HTTP: `127.0.0.1:${port}`, CALLBOARD_HTTP_OPEN: '*' })
  const hub = await installation.hub()
  const worker = await new RawWorker(`ipc://${installation.runtime}/worker.sock`).signIn({ concurrency: 16 })
  const connect = () => RawHttp.open(port)
  const session = await openSession(await connect())
  const begin = async (...request: Parameters<RawHttp['request']>) => {
    const client = (await connect()).request(...request)
    return { client, id: (await worker.next('request'))['id'] }
  }
  const beginEach = async (id: number) => [
    await begin('POST /tools/raw', {}, '{}'),
    await begin('POST /mcp', {}, callText()),
    await begin('POST /mcp', { ...session, ...stream }, callText(id)),
  ]
  const [answered, held] = [await beginEach(1), await beginEach(2)]
  const listening = (await connect()).request('GET /mcp', { ...session, ...stream })
  await listening.until(/\r\n\r\n/)
  const idle = await connect()
  await idle.request('GET /healthz').answer()
  const half = (await connect()).request('POST /tools/raw', { 'Content-Length': 100 }, '{"a')
  const gone = once(hub, 'exit')
  hub.kill('SIGTERM')
  await worker.next('drain')
  await expect(connect()).rejects.toThrow('ECONNREFUSED')
  for (const { id } of answered) await worker.respond(id)
  expect(await gone).toEqual([0, null])
  for (const { client } of answered) expect(await client.ended()).toMatch(/^HTTP\/1\.1 200[\s\S]+raw/)
  const texts = await Promise.all(held.map(({ client }) => client.ended()))
  for (const text of texts) expect(text).toContain('outcome_unknown')
  expect(texts[0]).toMatch(/^HTTP\/1\.1 503/)
  expect(await listening.ended()).toMatch(/0\r\n\r\n$/)
  expect([await idle.ended(), await half.ended()]).toEqual(['', ''])
})
