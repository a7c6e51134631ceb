import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHubLog, parseHubConfig, type RunningHub, startHub } from '../src/index.js'
import { RawWorker } from './raw-worker.js'
import { temporaryDirectory } from './temporary.js'

/** A policy through a whole hub, by every way in. */

interface Installation {
  readonly hub: RunningHub
  readonly data: string
  readonly url: string
  readonly log: string[]
}

const definitions = { tools: ['greet', 'guard'].map((name) => ({ name, inputSchema: { type: 'object' } })) }

async function install(policy: object | string | undefined, more: Record<string, string> = {}): Promise<Installation> {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  if (policy !== undefined) await put(data, policy)
  const environment = { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: '127.0.0.1:0', ...more }
  const config = parseHubConfig({ environment, file: { http: { open: ['*'] } } })
  const log: string[] = []
  const stream = new Writable({ write: (chunk, _, done) => done(void log.push(String(chunk))) })
  const hub = await startHub({ config, version: '0.0.0', log: createHubLog('info', stream), expects: [] })
  onTestFinished(() => hub.stop())
  const worker = new RawWorker(hub.workerEndpoint, 'raw').answerAll()
  await worker.hello()
  await worker.ready({}, definitions)
  await worker.next('welcome')
  return { hub, data, url: `http://127.0.0.1:${hub.httpAddresses[0]!.port}`, log }
}

/** As editors do it: there is never half a file. */
async function put(data: string, policy: object | string): Promise<void> {
  const text = typeof policy === 'string' ? policy : JSON.stringify(policy)
  await writeFile(join(data, 'policy.next'), text)
  await rename(join(data, 'policy.next'), join(data, 'policy.json'))
}

/** A legacy client on `mcp.sock`: lines as they are. */
async function lines(hub: RunningHub) {
  const socket = connect(hub.mcpSocketPath)
  onTestFinished(() => void socket.destroy())
  const waiting: [RegExp, (line: string) => void][] = []
  const seen: string[] = []
  createInterface({ input: socket }).on('line', (line) => {
    const index = waiting.findIndex(([pattern]) => pattern.test(line))
    if (index < 0) seen.push(line)
    else waiting.splice(index, 1)[0]![1](line)
  })
  const next = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      const index = seen.findIndex((line) => pattern.test(line))
      if (index < 0) waiting.push([pattern, resolve])
      else resolve(seen.splice(index, 1)[0]!)
    })
  const send = (message: object) => socket.write(`${JSON.stringify(message)}\n`)
  const ask = (method: string, params: object, id: number) => {
    send({ jsonrpc: '2.0', id, method, params })
    return next(new RegExp(`"id":${id}\\b`))
  }
  send({ callboard: 1, attach: { key: randomUUID() } })
  await next(/callboard/)
  const clientInfo = { name: 'lines', version: '1' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, 1)
  send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  let id = 100
  const listed = async () => (await ask('tools/list', {}, ++id)).match(/"name":"(\w+)"/g) ?? []
  /** Waits to be told until the list is this one. */
  const listedAs = async (names: string[]) => {
    do await next(/tools\/list_changed/)
    while (JSON.stringify(await listed()) !== JSON.stringify(names))
  }
  return { ask, listed, listedAs }
}

type Ask = (installation: Installation, tool: string) => Promise<string>

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function post(url: string, message: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(message),
  })
  const kept = [...response.headers].filter(([name]) => name !== 'date' && name !== 'mcp-session-id')
  return JSON.stringify([response.status, kept, await response.text()])
}

const ways: readonly [string, Ask][] = [
  ['mcp.sock', async ({ hub }, name) => (await lines(hub)).ask('tools/call', { name, arguments: {} }, 7)],
  [
    'mcp.sock, past the direct way',
    async ({ hub }, name) => (await lines(hub)).ask('tools/call', { name, arguments: {}, other: 1 }, 7),
  ],
  [
    'legacy HTTP',
    ({ url }, name) =>
      post(`${url}/mcp`, { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: {} } }),
  ],
  [
    'modern HTTP',
    ({ url }, name) => {
      const params = { name, arguments: {}, _meta: modernMeta }
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
      return post(`${url}/mcp`, { jsonrpc: '2.0', id: 7, method: 'tools/call', params }, headers)
    },
  ],
  ['the facade', ({ url }, name) => post(`${url}/tools/${name}`, { arguments: {} })],
]

describe.each(ways)('by %s', (_, ask) => {
  it('a hidden tool is answered to the byte as one that never was', async () => {
    const all = await install({ rules: [{ who: ['*'], tools: ['guard'], do: 'hide' }] })
    const hidden = await ask(all, 'guard')
    // As far from every name that is listed.
    const never = await ask(all, 'guarf')
    expect(hidden).toContain('guard')
    expect(hidden.replaceAll('guard', '?')).toBe(never.replaceAll('guarf', '?'))
    expect(await ask(all, 'greet')).toContain('raw')
  })

  it('one that is shown is refused', async () => {
    const all = await install({ rules: [{ who: ['*'], tools: ['guard'], do: 'show' }] })
    expect(await ask(all, 'guard')).toMatch(/lets you see guard, and not use it/)
  })

  it('one that was called too often is refused with a time', async () => {
    const all = await install({ rules: [{ who: ['*'], do: 'call', rate: { calls: 1, per: '1d', each: 'all' } }] })
    expect(await ask(all, 'greet')).toContain('raw')
    expect(await ask(all, 'greet')).toMatch(/rate_limited/i)
  })
})

describe('lists', () => {
  it('have nothing hidden, over HTTP, either', async () => {
    const all = await install({ rules: [{ who: ['agent:http'], services: ['raw'], do: 'hide' }] })
    const listed = await (await fetch(`${all.url}/tools`)).text()
    expect(listed).not.toMatch(/raw|guard|greet/)
    expect(await (await lines(all.hub)).listed()).toHaveLength(2)
  })
})

describe('a policy file that changes', () => {
  it('is in force without a restart, and whose list is another one is told', async () => {
    const { hub, data } = await install(undefined)
    const agent = await lines(hub)
    expect(await agent.listed()).toHaveLength(2)
    await put(data, { rules: [{ who: ['*'], tools: ['guard'], do: 'hide' }] })
    await agent.listedAs(['"name":"greet"'])
    await put(data, { rules: [] })
    await agent.listedAs(['"name":"greet"', '"name":"guard"'])
  })

  it.each([
    ['broken', (data: string) => put(data, { rules: [{ who: ['*'], do: 'hide', tool: ['greet'] }], colour: 1 })],
    ['gone', (data: string) => rm(join(data, 'policy.json'))],
  ])('and is %s leaves the one in force that is, and says so', async (what, change) => {
    const { hub, data, log } = await install({ rules: [{ who: ['*'], tools: ['guard'], do: 'hide' }] })
    await change(data)
    await expect.poll(() => log.join(''), { timeout: 5_000 }).toMatch(/of no use: the former stays/)
    if (what === 'broken') expect(log.join('')).toMatch(/unknown key colour.*did you mean tools/)
    expect(await (await lines(hub)).listed()).toEqual(['"name":"greet"'])
  })
})

describe('a hub does not start', () => {
  it('with a policy file of which anything is wrong', async () => {
    const starting = install({ rules: [{ who: ['*'] }], colour: 1 })
    await expect(starting).rejects.toThrow(/policy\.json: unknown key colour.\n.*rules\[0\]: do is missing\./)
  })

  it('without the one that it is told to take', async () => {
    const file = join(await temporaryDirectory(), 'mine.json')
    await expect(install(undefined, { CALLBOARD_POLICY: file })).rejects.toThrow(`There is no policy file ${file}`)
  })
})
