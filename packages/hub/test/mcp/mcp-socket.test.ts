import { once } from 'node:events'
import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenMcpSocket, type McpSocket, type McpSocketOptions, SocketInUseError } from '../../src/mcp/mcp-socket.js'
import { describeAgents } from './agent-contract.js'
import { connectAgent, lineTransport } from './agents.js'
import { FakeHub, frontOf, identity, text } from './fake-hub.js'
import { LinePeer } from './line-peer.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-'))
})
afterEach(() => rm(directory, { recursive: true }))

/** Reads the answer byte by byte, so that nothing of what follows is lost. */
async function attached(path: string): Promise<Socket> {
  const socket = connect(path)
  socket.write('{"callboard":1,"attach":{"key":"k"}}\n')
  for (let answer = ''; !answer.endsWith('\n'); ) {
    const byte = socket.read(1)
    if (byte !== null) answer += byte
    else if (socket.readableEnded) throw new Error(`refused: ${answer}`)
    else await Promise.race([once(socket, 'readable'), once(socket, 'end')])
  }
  return socket
}

describeAgents('socket', () => {
  let served: McpSocket
  return {
    connect: async (hub, kind) => {
      served = await listenMcpSocket(frontOf(hub), { path: join(directory, 's'), authenticate: () => identity })
      const socket = await attached(served.path)
      return connectAgent(kind, lineTransport(socket, socket))
    },
    close: () => served.close(),
  }
})

describe('listenMcpSocket', () => {
  let hub: FakeHub
  let served: McpSocket
  const seen: unknown[] = []

  async function listen(options: Partial<McpSocketOptions> = {}): Promise<string> {
    hub = new FakeHub()
    const path = join(directory, 's')
    const authenticate: McpSocketOptions['authenticate'] = (attach) => {
      seen.push(attach)
      return attach.token === 'wrong' ? { error: { code: 'bad_token', message: 'no' } } : identity
    }
    served = await listenMcpSocket(frontOf(hub), { path, authenticate, ...options })
    return path
  }
  afterEach(async () => {
    seen.length = 0
    await served.close()
  })

  const say = async (path: string, line: string) => {
    const peer = new LinePeer(connect(path))
    peer.write(line)
    return peer
  }

  it('is for its owner only', async () => {
    expect((await stat(await listen())).mode & 0o777).toBe(0o600)
  })

  it('says who the agent is, and speaks MCP from the next line on', async () => {
    const path = await listen()
    hub.tool('t', () => text('x'))
    const peer = new LinePeer(connect(path))
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'p', version: '1' } },
    }
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 't' } }
    // All at once, and the end too: what was asked is still answered.
    const attach = { callboard: 1, attach: { as: 'main', token: 't', key: 'k', unknown: 1 } }
    peer.stream.end([attach, initialize, call].map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect(await peer.read()).toMatchObject({
      callboard: 1,
      attached: { principal: 'agent:main', roles: ['agent'], group: 'main' },
    })
    expect(await peer.read()).toMatchObject({ id: 1 })
    expect(await peer.read()).toMatchObject({ id: 2, result: { content: [{ text: 'x' }] } })
    expect(await peer.read()).toBeUndefined()
    expect(seen).toEqual([{ as: 'main', token: 't', key: 'k' }])
  })

  it.each([
    ['{"callboard":1,"attach":{"key":"k","token":"wrong"}}', 'bad_token'],
    ['{"callboard":1,"attach":{}}', 'bad_attach'],
    ['{"callboard":1,"attach":{"key":"k","as":3}}', 'bad_attach'],
    ['{"callboard":2,"attach":{"key":"k"}}', 'bad_attach'],
    ['{"jsonrpc":"2.0","id":1,"method":"initialize"}', 'bad_attach'],
    ['nonsense', 'bad_attach'],
    ['', 'bad_attach'],
    ['x'.repeat(5000), 'bad_attach'],
    ['{"callboard":1,"control":{"command":"ls"}}', 'unknown_command'],
  ])('refuses %.60s', async (line, code) => {
    const peer = await say(await listen(), line)
    expect(await peer.read()).toMatchObject({ callboard: 1, error: { code, message: expect.any(String) } })
    expect(await peer.read()).toBeUndefined()
    expect(hub.connections).toEqual([])
  })

  it('refuses who says nothing', async () => {
    const path = await listen({ attachTimeoutMs: 1 })
    const peer = new LinePeer(connect(path))
    expect(await peer.read()).toMatchObject({
      error: { code: 'bad_attach', message: expect.stringContaining('too long') },
    })
    expect(await peer.read()).toBeUndefined()
  })

  it('answers commands', async () => {
    const path = await listen({ control: async (command) => ({ got: command }) })
    const peer = await say(path, '{"callboard":1,"control":{"command":"ls","x":1}}')
    expect(await peer.read()).toEqual({ callboard: 1, result: { got: { command: 'ls', x: 1 } } })
    expect(await peer.read()).toBeUndefined()
  })

  it('says why a command is refused, but not what failed inside', async () => {
    const path = await listen({
      control: async ({ command }) => {
        if (command === 'bug') throw new Error('secret')
        return { error: { code: 'forbidden', message: 'not you' } }
      },
    })
    const refused = await say(path, '{"callboard":1,"control":{"command":"down"}}')
    expect(await refused.read()).toEqual({ callboard: 1, error: { code: 'forbidden', message: 'not you' } })
    const failed = await say(path, '{"callboard":1,"control":{"command":"bug"}}')
    expect(await failed.read()).toEqual({ callboard: 1, error: { code: 'internal', message: 'internal error' } })
  })

  it('serves so many and no more', async () => {
    const path = await listen({ connectionsMax: 1 })
    const first = await attached(path)
    const second = new LinePeer(connect(path))
    expect(await second.read()).toMatchObject({ error: { code: 'too_many_connections' } })
    const closed = hub.next('close')
    first.destroy()
    await closed
    // The place is free once the server has seen the end of the socket, which comes with the connection's.
    while (served.connections > 0) await new Promise((resolve) => setImmediate(resolve))
    ;(await attached(path)).destroy()
  })

  it('takes the place of a hub that was killed, but not of one that lives', async () => {
    const path = await listen()
    await expect(listenMcpSocket(frontOf(hub), { path, authenticate: () => identity })).rejects.toThrow(
      SocketInUseError,
    )
    const stale = join(directory, 'stale')
    const dead = createServer().listen(stale)
    await once(dead, 'listening')
    await rename(stale, `${stale}.kept`)
    dead.close()
    await rename(`${stale}.kept`, stale)
    const taken = await listenMcpSocket(frontOf(hub), { path: stale, authenticate: () => identity })
    ;(await attached(stale)).destroy()
    await taken.close()
  })

  it('refuses a begun line for which there is no memory, and goes on', async () => {
    const path = await listen({ unfinishedBytesMax: 100_000 })
    const peer = new LinePeer(await attached(path))
    await peer.initialize()
    peer.write({ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 'x'.repeat(1_000_000) } })
    expect(await peer.read()).toMatchObject({ id: 1, error: { code: -32600, message: expect.stringMatching(/long/) } })
    peer.write({ jsonrpc: '2.0', id: 2, method: 'ping' })
    expect(await peer.read()).toMatchObject({ id: 2, result: {} })
    peer.stream.destroy()
  })

  it('ends its connections when it closes', async () => {
    const path = await listen()
    const socket = await attached(path)
    socket.resume()
    const silent = connect(path)
    silent.resume()
    await once(silent, 'connect')
    const ended = Promise.all([once(socket, 'close'), once(silent, 'close')])
    await served.close()
    await ended
    expect(hub.live).toEqual([])
  })
})
