import { beforeEach, describe, expect, it } from 'vitest'
import { text } from '../mcp/fake-hub.js'
import { TestFront } from './front.js'

const origin = 'https://app.example'
const preflight = (headers: Record<string, string> = {}) => ({
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type,mcp-protocol-version,mcp-param-region',
  ...headers,
})
const corsHeaders = (headers: object) => Object.keys(headers).filter((name) => name.startsWith('access-control'))

describe('pages of a listed origin', () => {
  let front: TestFront
  beforeEach(async () => {
    front = await TestFront.listen({ origins: [origin] })
    front.hub.tool('t', () => text('x'))
  })

  it.each(['/mcp', '/', '/tools', '/tools/t'])('are told that they may use %s', async (path) => {
    const answer = await front.send('OPTIONS', path, preflight({ 'access-control-request-private-network': 'true' }))
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'content-type,mcp-protocol-version,mcp-param-region',
      'access-control-allow-private-network': 'true',
      vary: 'Origin, Access-Control-Request-Headers',
    })
  })

  it('may read every answer, and the id of their session', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'p', version: '1' } }
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params }
    for (const answer of [
      await front.post('/mcp', initialize, { origin }),
      await front.post('/mcp', initialize, { origin, accept: 'text/event-stream, application/json' }),
      await front.post('/mcp', '{"half', { origin }),
      await front.post('/tools/t', {}, { origin }),
      await front.post('/tools/t', {}, { origin, authorization: 'Bearer bad' }),
    ]) {
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': expect.stringContaining('Mcp-Session-Id'),
        vary: 'Origin',
      })
    }
  })

  it('get back no header names that are none', async () => {
    const answer = await front.send('OPTIONS', '/mcp', preflight({ 'access-control-request-headers': 'a:b' }))
    expect(answer.headers).not.toHaveProperty('access-control-allow-headers')
  })

  it.each(['http://localhost:3000', 'https://other.example', 'null'])('are not those of %s', async (other) => {
    const asked = await front.send('OPTIONS', '/mcp', preflight({ origin: other }))
    expect(asked.status).toBe(other.startsWith('http://localhost') ? 405 : 403)
    const answer = await front.post('/tools/t', {}, { origin: other })
    for (const { headers } of [asked, answer]) expect(corsHeaders(headers)).toEqual([])
  })

  it('are no concern of who sends no Origin', async () => {
    expect(corsHeaders((await front.post('/tools/t', {})).headers)).toEqual([])
    expect((await front.send('OPTIONS', '/mcp')).status).toBe(405)
  })
})

it('without a list there are no CORS headers', async () => {
  const front = await TestFront.listen()
  const asked = await front.send('OPTIONS', '/mcp', preflight({ origin: 'http://localhost:3000' }))
  expect([asked.status, corsHeaders(asked.headers)]).toEqual([405, []])
})
