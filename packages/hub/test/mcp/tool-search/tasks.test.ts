import { duplexPair } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serveLines } from '../../../src/mcp/mcp-lines.js'
import type { McpFront } from '../../../src/mcp/mcp-server.js'
import type { CatalogueView } from '../../../src/port.js'
import { FakeHub, frontOf, identity, type Loose, parsed, text } from '../fake-hub.js'
import { LinePeer } from '../line-peer.js'

/** Tools that are found by search, and run as tasks. */

const view: CatalogueView = { filters: [], mode: 'search', searchAboveTokens: 0, pinned: [] }
const support = (taskSupport: string) => ({ execution: { taskSupport } })
const through = (name: string, args: object = {}) => ({ name: 'call_tool', arguments: { name, arguments: args } })

let hub: FakeHub
let front: McpFront
let peer: LinePeer

beforeEach(() => {
  hub = new FakeHub()
  for (const [name, execution] of [
    ['must', support('required')],
    ['may', support('optional')],
    ['plain', {}],
  ] as const) {
    hub.tool(name, ({ body }) => text(`${name} ${JSON.stringify(parsed(body).arguments)}`), execution)
  }
  front = frontOf(hub)
  const [ours, theirs] = duplexPair()
  serveLines(front, { ...identity, view }, { input: ours, output: ours })
  peer = new LinePeer(theirs)
})
afterEach(() => {
  front.tasks.close()
  peer.stream.destroy()
})

let serial = 0
async function ask(method: string, params: object): Promise<Loose> {
  const id = ++serial
  peer.write({ jsonrpc: '2.0', id, method, params })
  for (;;) {
    const answer = await peer.read()
    if (answer.id === id) return answer
  }
}

describe('of 2025-11-25', () => {
  beforeEach(() => peer.initialize())

  const outcome = async (params: object) => {
    const { result, error } = await ask('tools/call', { ...params, task: {} })
    if (error !== undefined) return error
    return (await ask('tasks/result', { taskId: result.task.taskId })).result.content[0].text
  }

  it('are called by their own name, or through call_tool', async () => {
    const { tools } = (await ask('tools/list', {})).result
    expect(tools.map(({ name, execution }: Loose) => [name, execution?.taskSupport])).toEqual([
      ['search_tools', undefined],
      ['call_tool', 'optional'],
    ])
    for (const name of ['must', 'may']) {
      expect(await outcome({ name, arguments: { a: 1 } })).toBe(`${name} {"a":1}`)
      expect(await outcome(through(name, { a: 2 }))).toBe(`${name} {"a":2}`)
    }
  })

  it('may be any, through call_tool, which is a task then', async () => {
    expect(await outcome(through('plain'))).toBe('plain {}')
    expect(await outcome({ name: 'plain' })).toMatchObject({ code: -32601 })
  })

  it('are no ordinary calls where they require a task', async () => {
    for (const params of [{ name: 'must' }, through('must')]) {
      const message = 'must runs as a task only: call it with params.task'
      expect((await ask('tools/call', params)).error).toEqual({ code: -32601, message })
    }
    expect((await ask('tools/call', through('may'))).result.content[0].text).toBe('may {}')
    expect(hub.calls).toHaveLength(1)
  })

  it('are refused in words when call_tool is called wrongly, or finds nothing', async () => {
    const wrong = { name: 'call_tool', arguments: { tool: 'may' } }
    expect(await outcome(wrong)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('unknown argument tool'),
    })
    expect(await outcome(through('none'))).toMatchObject({ code: -32602, message: 'Unknown tool: none' })
    expect(hub.calls).toEqual([])
  })
})

describe('of 2026-07-28', () => {
  const call = (params: object, extensions: object = { 'io.modelcontextprotocol/tasks': {} }) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    }
    return ask('tools/call', { ...params, _meta })
  }

  it.each([
    ['must', 'task', -32021],
    ['may', 'task', 'complete'],
    ['plain', 'complete', 'complete'],
  ])('%s is a task, or not, whichever way it is called', async (name, declared, undeclared) => {
    for (const params of [{ name }, through(name)]) {
      expect((await call(params)).result.resultType).toBe(declared)
      const { result, error } = await call(params, {})
      expect(error?.code ?? result.resultType).toBe(undeclared)
    }
  })

  it('a call of call_tool that is wrong is an ordinary failure', async () => {
    const { result } = await call({ name: 'call_tool', arguments: { tool: 'may' } })
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
  })
})
