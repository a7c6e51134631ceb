// biome-ignore-all lint/suspicious/noExplicitAny: what comes over the wire is read freely here
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client as ClientOfSdk2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as TransportOfSdk2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientOfSdk1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as TransportOfSdk1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it, vi } from 'vitest'
import { binary, Installation } from './support/installation.js'

const info = { name: 'test', version: '1' }

const clients = {
  'SDK 1': () => new ClientOfSdk1(info),
  'SDK 2 legacy': () => new ClientOfSdk2(info),
  'SDK 2 modern': () => new ClientOfSdk2(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
}

type Kind = keyof typeof clients

/** Through a started `callboard stdio`, which starts a hub when there is none. */
async function connect(kind: Kind, installation: Installation, options: readonly string[] = []): Promise<any> {
  const Transport = kind === 'SDK 1' ? TransportOfSdk1 : TransportOfSdk2
  const client: any = clients[kind]()
  const parameters = {
    command: process.execPath,
    args: [binary, 'stdio', ...options],
    env: installation.environment,
    stderr: 'inherit' as const,
  }
  await client.connect(new Transport(parameters) as any)
  return client
}

/** What a client writes first. */
const initialize = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info },
})}\n`

const evaluate = async (client: any, code: string) =>
  (await client.callTool({ name: 'weave_eval', arguments: { code } })).structuredContent?.result

describe.each(Object.keys(clients) as Kind[])('callboard stdio with %s', (kind) => {
  it('starts a hub, lists and calls, and outlives the hub', async () => {
    const installation = new Installation()
    const client = await connect(kind, installation)
    const names = (await client.listTools()).tools.map((tool: { name: string }) => tool.name)
    expect(names).toContain('weave_eval')
    expect(await evaluate(client, '1 + 1')).toBe('2')

    const hub = installation.find(' up')
    process.kill(hub, 'SIGKILL')
    await vi.waitFor(() => expect(installation.find(' up')).not.toBe(hub), { timeout: 10_000 })
    expect(await evaluate(client, '2 + 2')).toBe('4')

    await client.close()
    expect((await installation.run(['down'])).code).toBe(0)
    // The guardian of a hub that was killed gives its workers a moment.
    await vi.waitFor(() => expect(installation.processes()).toEqual([]))
  })
})

describe('callboard stdio that saves context', () => {
  const names = async (client: any) => (await client.listTools()).tools.map(({ name }: any) => name)

  it('lists only the tools that --tools names, also from the next hub', async () => {
    const installation = new Installation()
    const client = await connect('SDK 2 modern', installation, ['--tools', 'kernel:*_eval, forum:*'])
    expect(await names(client)).toEqual(['weave_eval'])
    expect((await installation.run(['down'])).code).toBe(0)
    expect(await names(client)).toEqual(['weave_eval'])
    await expect(client.callTool({ name: 'weave_help', arguments: {} })).rejects.toThrow(/Unknown tool: weave_help/)
    await client.close()
    expect((await installation.run(['down'])).code).toBe(0)
  })

  it('finds and calls tools by search with --search', async () => {
    const installation = new Installation()
    const client = await connect('SDK 1', installation, ['--search'])
    expect(await names(client)).toEqual(['search_tools', 'call_tool'])
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'run Python code' } })
    expect(JSON.parse(found.content[0].text).tools[0].name).toBe('weave_eval')
    const called = { name: 'weave_eval', arguments: { code: '1 + 1' } }
    expect(await client.callTool({ name: 'call_tool', arguments: called })).toMatchObject({
      structuredContent: { result: '2' },
    })
    await client.close()
    expect((await installation.run(['down'])).code).toBe(0)
  })

  it('says what is wrong with a pattern, and exits 2', async () => {
    const installation = new Installation()
    const hub = await connect('SDK 1', installation)
    const { code, stderr } = await installation.run(['stdio', '--tools', 'no pattern'], {}, initialize)
    expect([code, stderr]).toEqual([2, expect.stringContaining('"no pattern" is no pattern')])
    await hub.close()
    expect((await installation.run(['down'])).code).toBe(0)
  })
})

describe('one agent beside others', () => {
  it('hears progress, and cancels the call: Python goes on, until it is stopped, and keeps what it had', async () => {
    const client = await connect('SDK 2 modern', new Installation())
    const abort = new AbortController()
    const heard: string[] = []
    const onprogress = ({ message }: { message?: string }) => {
      heard.push(message ?? '')
      abort.abort()
    }
    const code = 'import time\nkept = 7\nprint("begun", flush=True)\ntime.sleep(60)\nkept = 8'
    const request = { name: 'weave_eval', arguments: { code } }
    await expect(client.callTool(request, { onprogress, signal: abort.signal })).rejects.toThrow()
    expect(heard.join()).toContain('begun')
    const stopped = await client.callTool({ name: 'weave_interrupt', arguments: {} })
    expect(stopped.structuredContent).toMatchObject({ outcome: 'interrupted', state_preserved: true })
    expect(await evaluate(client, 'kept')).toBe('7')
    await client.close()
  })

  it("sees neither another's names nor its output, while both run at once", async () => {
    const installation = new Installation()
    const [one, other] = [await connect('SDK 1', installation), await connect('SDK 2 modern', installation)]
    const run = async (client: any, mine: string) => {
      const code = `import time\nname = "${mine}"\nfor _ in range(20):\n    print(name, flush=True)\n    time.sleep(0.005)`
      return (await client.callTool({ name: 'weave_eval', arguments: { code } })).structuredContent.stdout
    }
    const outputs = await Promise.all([run(one, 'mine'), run(other, 'yours')])
    expect(outputs).toEqual(['mine\n'.repeat(20), 'yours\n'.repeat(20)])
    await evaluate(one, 'secret = 1')
    expect([await evaluate(one, 'name'), await evaluate(other, 'name')]).toEqual(["'mine'", "'yours'"])
    expect(await evaluate(other, '"secret" in globals()')).toBe('False')
    await Promise.all([one.close(), other.close()])
  })
})

describe('callboard stdio', () => {
  it('comes back after "down" when the client needs it', async () => {
    const installation = new Installation()
    const client = await connect('SDK 1', installation)
    expect(await evaluate(client, '1 + 1')).toBe('2')
    await installation.run(['down'])
    expect(() => installation.find(' up')).toThrow()
    expect(await evaluate(client, '3 + 3')).toBe('6')
    await client.close()
  })

  it('answers what was running when the hub was killed', async () => {
    const installation = new Installation()
    const client = await connect('SDK 1', installation)
    await client.listTools()
    const code = 'import time\nprint("on", flush=True)\ntime.sleep(60)'
    await new Promise<void>((resolve, reject) => {
      const onprogress = () => process.kill(installation.find(' up'), 'SIGKILL')
      const call = client.callTool({ name: 'weave_eval', arguments: { code } }, undefined, { onprogress })
      expect(call)
        .rejects.toMatchObject({ code: -32000, data: { code: 'outcome_unknown' } })
        .then(resolve, reject)
    })
    await client.close()
  })

  it('uses the hub that runs, and many starting at once use one', async () => {
    const installation = new Installation()
    const all = await Promise.all([1, 2, 3].map(() => connect('SDK 1', installation)))
    expect(await Promise.all(all.map((client) => evaluate(client, '5')))).toEqual(['5', '5', '5'])
    const listed = JSON.parse((await installation.run(['ls', '--json'])).stdout)
    expect(listed.snapshot.connections).toBe(3)
    expect(readFileSync(join(installation.runtime, 'started-on-demand'), 'utf8').trim()).toBe(`${listed.hub.pid}`)
    await Promise.all(all.map((client) => client.close()))
  })

  it('answers what was piped into it', async () => {
    const installation = new Installation()
    await installation.up()
    const lines = [
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'weave_eval', arguments: { code: '40 + 2' } } },
    ]
    const input = lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join('')
    const { code, stdout } = await installation.run(['stdio'], {}, initialize + input)
    expect(code).toBe(0)
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.find(({ id }) => id === 2).result.structuredContent.result).toBe('42')
  })

  it('starts no hub for a client that says nothing', async () => {
    const installation = new Installation()
    expect(await installation.run(['stdio'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(installation.processes()).toEqual([])
    expect(existsSync(installation.runtime)).toBe(false)
  })

  it('says why no hub can be started', async () => {
    const installation = new Installation()
    const { code, stderr } = await installation.run(['stdio'], { CALLBOARD_WORKERS: 'kernl' }, initialize)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^callboard: The hub could not be started: .*CALLBOARD_WORKERS: there is no worker kernl \(did you mean kernel\?\)/,
      ),
    })
  })

  it('ends with the refusal of the hub', async () => {
    const installation = new Installation()
    await installation.up()
    const { code, stderr } = await installation.run(['stdio', '--as', 'nobody'], {}, initialize)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^callboard: There is no agent nobody/)
  })
})
