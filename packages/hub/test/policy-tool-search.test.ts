import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createHubLog, parseHubConfig, startHub } from '../src/index.js'
import { RawWorker } from './raw-worker.js'
import { SocketAgent } from './socket-agent.js'
import { temporaryDirectory } from './temporary.js'

const offers = (...names: string[]) => ({
  tools: names.map((name) => ({ name, description: `Opens a ${name} window.`, inputSchema: { type: 'object' } })),
})

/** Finds its tools by search, as all of this hub do. */
interface Searcher {
  readonly agent: SocketAgent
  search(wish: object): Promise<string>
  use(name: string): Promise<string>
}

let socket: string

/** `secret` is a service of which all is hidden from ada, `glass` one of which something is. */
beforeEach(async () => {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  const rules = [
    { who: ['agent:ada'], services: ['secret'], do: 'hide' },
    { who: ['agent:ada'], tools: ['glass:stained'], do: 'hide' },
    { who: ['agent:ada'], tools: ['glass:barred'], do: 'show' },
  ]
  await writeFile(join(data, 'policy.json'), JSON.stringify({ rules }))
  const environment = { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: 'off' }
  const log = createHubLog('silent', process.stderr)
  const config = parseHubConfig({ environment, file: { agents: { ada: {}, ben: {} } } })
  const hub = await startHub({ config, version: '0.0.0', log, expects: [] })
  onTestFinished(() => hub.stop())
  const services = { glass: offers('clear', 'stained', 'barred'), secret: offers('hidden') }
  for (const [service, definitions] of Object.entries(services)) {
    const worker = new RawWorker(hub.workerEndpoint, service).answerAll()
    await worker.hello()
    await worker.ready({}, definitions)
    await worker.next('welcome')
  }
  socket = hub.mcpSocketPath
})

async function searcher(name: string): Promise<Searcher> {
  const agent = await SocketAgent.attach(socket, { as: name, mode: 'search' })
  expect(agent.greeting).toHaveProperty('attached')
  const ask = async (tool: string, given: object) => {
    const { result, error } = await agent.ask('tools/call', { name: tool, arguments: given })
    return JSON.stringify({ result, error })
  }
  return {
    agent,
    search: (wish) => ask('search_tools', wish),
    use: (tool) => ask('call_tool', { name: tool, arguments: {} }),
  }
}

const found = (answer: string): string[] => [...answer.matchAll(/\\"name\\":\\"(\w+)\\"/g)].map(([, name]) => name!)

describe('who finds tools by search', () => {
  it.each([
    ['words', { query: 'open a window' }],
    ['the name of the service', { service: 'glass' }],
    ['names', { names: ['clear', 'stained', 'barred', 'hidden'] }],
  ])('does not find by %s what is hidden from it, and others do', async (_, wish) => {
    const [ada, ben] = [await searcher('ada'), await searcher('ben')]
    const all = ['barred', 'clear', 'stained', ...('service' in wish ? [] : ['hidden'])]
    expect(found(await ben.search(wish)).sort()).toEqual(all.sort())
    expect(found(await ada.search(wish)).sort()).toEqual(['barred', 'clear'])
  })

  it('gets the answer of what never was for names and services that are hidden from it', async () => {
    const { search, use } = await searcher('ada')
    const as = (text: string, name: string) => text.replaceAll(name, '?')
    const isSame = async (ask: (name: string) => Promise<string>, hidden: string, never: string) =>
      expect(as(await ask(hidden), hidden)).toBe(as(await ask(never), never))
    await isSame((name) => search({ names: [name] }), 'hidden', 'neverxyz')
    await isSame((service) => search({ service }), 'secret', 'nevery')
    await isSame(use, 'hidden', 'neverxyz')
  })

  it('is not told of a service of which all is hidden from it', async () => {
    const listOf = async ({ agent }: Searcher) => JSON.stringify((await agent.ask('tools/list', {})).result)
    expect(await listOf(await searcher('ada'))).toContain('glass')
    expect(await listOf(await searcher('ada'))).not.toContain('secret')
    expect(await listOf(await searcher('ben'))).toContain('secret')
  })

  it('finds what is shown, and is refused its use', async () => {
    expect(await (await searcher('ada')).use('barred')).toContain('lets you see barred, and not use it')
  })
})
