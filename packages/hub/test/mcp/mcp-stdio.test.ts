import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { serveMcpStdio } from '../../src/mcp/mcp-stdio.js'
import { connectAgent, lineTransport } from './agents.js'
import { FakeHub, frontOf, identity, text } from './fake-hub.js'

it('serves until EOF and leaves the output open', async () => {
  const hub = new FakeHub()
  hub.tool('t', () => text('x'))
  const input = new PassThrough()
  const output = new PassThrough()
  const served = serveMcpStdio(frontOf(hub), { identity, input, output })
  const agent = await connectAgent('sdk 1', lineTransport(output, input))
  expect((await agent.callTool('t')).content[0].text).toBe('x')
  input.end()
  await served.closed
  expect(hub.live).toEqual([])
  expect(output.writableEnded).toBe(false)
})
