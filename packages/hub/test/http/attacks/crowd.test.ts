import { expect, it } from 'vitest'
import { callText, initializeText, openHub } from './open-hub.js'

/** What one caller, as all are who show no token, may hold. */
const placesMax = 256
const many = placesMax + 100

it('sessions that are opened and left take the place of one another, the oldest first', async () => {
  const { hub, worker, connect } = await openHub()
  worker.answerAll()
  const client = await connect()
  const ids: string[] = []
  for (let count = 0; count < many; count++) {
    const { status, head } = await client.request('POST /mcp', {}, initializeText).answer()
    expect(status).toBe(200)
    ids.push(/^mcp-session-id: (\S+)/im.exec(head)![1]!)
  }
  expect(hub.snapshot().connections).toBe(placesMax)
  const callIn = async (id: string) =>
    (await client.request('POST /mcp', { 'Mcp-Session-Id': id }, callText()).answer()).status
  expect(await callIn(ids.at(-1)!)).toBe(200)
  expect(await callIn(ids.at(-placesMax)!)).toBe(200)
  expect(await callIn(ids.at(-placesMax - 1)!)).toBe(404)
})

it('sessions that modern clients choose do, too', async () => {
  const { hub, worker, connect } = await openHub()
  worker.answerAll()
  const client = await connect()
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'raw' }
  for (let count = 0; count < many; count++) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'callboard/session': `mine-${count}`,
    }
    const body = callText(1, { params: { name: 'raw', _meta } })
    expect((await client.request('POST /mcp', headers, body).answer()).status).toBe(200)
  }
  expect(hub.snapshot().connections).toBeLessThanOrEqual(placesMax + 1)
})

it('streams that are held open keep their places, and who comes then is told so', async () => {
  const { hub, worker, connect } = await openHub()
  worker.answerAll()
  const holders = await Promise.all(
    Array.from({ length: placesMax }, async () => {
      const client = await connect()
      const { head } = await client.request('POST /mcp', {}, initializeText).answer()
      const session = { 'Mcp-Session-Id': /^mcp-session-id: (\S+)/im.exec(head)![1]! }
      await client.request('GET /mcp', { Accept: 'text/event-stream', ...session }).until(/\r\n\r\n/)
      return client
    }),
  )
  const client = await connect()
  expect(await client.request('POST /mcp', {}, initializeText).answer()).toMatchObject({
    status: 503,
    head: expect.stringMatching(/retry-after: 60/i),
  })
  // Without a session of its own it is served.
  expect((await client.request('POST /mcp', {}, callText()).answer()).status).toBe(200)
  for (const { socket } of holders) socket.destroy()
  await expect.poll(async () => (await client.request('POST /mcp', {}, initializeText).answer()).status).toBe(200)
  expect(hub.snapshot().connections).toBeLessThanOrEqual(placesMax + 1)
})
