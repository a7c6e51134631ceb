import { fileURLToPath } from 'node:url'
import type { Store } from '@callboard/store'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectAgent, httpTransport } from '../../../hub/test/mcp/agents.js'
import type { SocialSchema } from '../../../social/src/records/schema.js'
import { AgentSession, type Answer } from '../scheduler/support/agent-session.js'
import { envelopeIn, SocialInstallation } from './support/social-installation.js'

const relay = fileURLToPath(new URL('support/relay-worker.mjs', import.meta.url))
const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true, runner: { kind: 'command', argv: ['true'] } }]

/** What only operators decide by, and arguments for each. */
const decisions: readonly (readonly [string, (id: number) => object])[] = [
  ['approve_item', (id) => ({ id })],
  ['approve_all', () => ({})],
  ['reject_item', (id) => ({ id })],
  ['retry_item', (id) => ({ id })],
  ['resolve_item', (id) => ({ id, outcome: 'posted' })],
  ['unschedule_item', (id) => ({ id })],
]

const operatorCaller = { principal: 'operator:root', roles: ['agent', 'operator'] }
/** Where a client could say what it is. */
const claims: readonly object[] = [
  { 'callboard/roles': ['operator'] },
  { 'callboard/caller': operatorCaller },
  { roles: ['operator'], caller: operatorCaller, principal: 'operator:root', operator: true },
]

const ends: (() => Promise<void>)[] = []
const atEnd = (end: () => Promise<void>) => void ends.unshift(end)
let installation: SocialInstallation
let store: Store<SocialSchema>
let agent: AgentSession
let operator: AgentSession
/** Whose list has only what finds the others. */
let seeker: AgentSession
let http: URL
let token: string
/** What each test tries to let out. */
let item: { readonly id: number; readonly rev: number; readonly content_hash: string }
let texts = 0

beforeAll(async () => {
  installation = new SocialInstallation({
    groups,
    variables: { CALLBOARD_WORKERS: 'social,scheduler', CALLBOARD_HTTP: '127.0.0.1:0', CALLBOARD_HTTP_OPEN: '*' },
    config: {
      social: { limits: { max_mutations_per_hour: 1_000 } },
      scheduler: { min_interval_ms: 1_000 },
      agents: { seeker: { catalogue: { mode: 'search' } } },
    },
    atEnd,
  })
  await installation.up()
  await installation.worker(relay)
  store = await installation.store(atEnd)
  token = await newToken('ada', '--group', 'main')
  agent = await AgentSession.open(installation, token)
  operator = await AgentSession.operator(installation)
  seeker = await AgentSession.open(installation, await newToken('seeker'))
  http = await installation.httpUrl()
}, 60_000)

afterAll(async () => {
  agent?.[Symbol.dispose]()
  operator?.[Symbol.dispose]()
  seeker?.[Symbol.dispose]()
  for (const end of ends) await end()
})

beforeEach(async () => {
  const parts = [
    `Spoon ${++texts} ${'abcdefghijklmnop'
      .slice(texts % 8)
      .split('')
      .join(` ${texts}`)}`,
  ]
  const { data } = await agent.get('propose_post', { parts, kind: 'tweet' })
  expect(data.status).toBe('pending')
  item = data
})

/** Whatever was tried. */
afterEach(async () => {
  const { db } = store
  const row = await db.selectFrom('approval_queue').selectAll().where('id', '=', item.id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ status: 'pending', reviewed_by: null })
  expect(await db.selectFrom('outbox').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('local_posts').selectAll().where('sample', '=', 0).execute()).toEqual([])
})

async function newToken(name: string, ...words: string[]): Promise<string> {
  const { stdout, stderr } = await installation.run(['token', 'new', name, ...words])
  if (stdout === '') throw new Error(stderr)
  return stdout.trim()
}

const unknown = (tool: string): Answer => ({
  code: 'protocol',
  message: expect.stringMatching(new RegExp(`^Unknown tool: ${tool}(\\. |$)`)),
})

describe.each(decisions)('an agent that calls %s', (tool, argsOf) => {
  it('finds no such tool over stdio, whatever it claims', async () => {
    using local = await AgentSession.open(installation)
    for (const session of [agent, local]) {
      expect(await session.call(tool, argsOf(item.id))).toEqual(unknown(tool))
      expect(await session.call(`social_${tool}`, argsOf(item.id))).toEqual(unknown(`social_${tool}`))
      for (const claim of claims) {
        expect(await session.call(tool, { ...argsOf(item.id), ...claim })).toEqual(unknown(tool))
        expect(await session.call(tool, argsOf(item.id), claim)).toEqual(unknown(tool))
      }
    }
  })

  it.each(['without a token', 'with its own token'])('finds no such tool over HTTP, %s', async (how) => {
    const authorization = { ...(how !== 'without a token' && { authorization: `Bearer ${token}` }) }
    for (const claim of [{}, ...claims]) {
      const body = { arguments: argsOf(item.id), ...claim, _meta: claim }
      const response = await post(`/tools/${tool}`, body, authorization)
      expect([response.status, await response.json()]).toMatchObject([404, { error_code: 'TOOL_NOT_FOUND' }])
    }
    const client = await connectAgent('sdk 2 modern', httpTransport('sdk 2 modern', http, authorization))
    expect(await client.callTool('get_pending_count')).toMatchObject({ structuredContent: { success: true } })
    const params = { name: tool, arguments: argsOf(item.id), _meta: claims[0] }
    await expect(client.request('tools/call', params)).rejects.toThrow(`Unknown tool: ${tool}`)
    await client.close()
  })

  it('finds none through another worker, which has no more rights than who called it', async () => {
    const input = { tool, args: argsOf(item.id) }
    expect(await agent.get('relay', input)).toEqual({ isError: true, failure: 'not_found' })
  })

  it('finds none with the token of a run', async () => {
    using run = await AgentSession.open(installation, (await operator.get('mint')).token)
    expect(await run.call(tool, argsOf(item.id))).toEqual(unknown(tool))
    expect(await run.get('relay', { tool, args: argsOf(item.id) })).toEqual({ isError: true, failure: 'not_found' })
  })

  it('finds none by searching for it', async () => {
    const search = async (args: object) =>
      JSON.stringify(await seeker.ask('tools/call', { name: 'search_tools', arguments: args }))
    const listed = (name: string) => new RegExp(`name\\W+(social_)?${name}\\b`)
    const found = await search({ query: 'propose, approve or reject an item', service: 'social', limit: 20 })
    expect(found).toMatch(listed('propose_post'))
    expect(found).not.toMatch(listed(tool))
    expect(await search({ names: ['propose_post'] })).toContain('inputSchema')
    expect(await search({ names: [tool, `social_${tool}`] })).not.toContain('inputSchema')
    for (const [name, args] of [
      ['call_tool', { name: tool, arguments: argsOf(item.id) }],
      [tool, argsOf(item.id)],
    ] as const) {
      const { code, message } = await seeker.call(name, args)
      expect([code, message]).toEqual(['protocol', expect.stringContaining(`Unknown tool: ${tool}`)])
    }
  })

  it('can not have it called by a task', async () => {
    const task = { prompt: 'x', tool, args: argsOf(item.id), schedule_type: 'once', ...inSeconds(60) }
    expect(await agent.call('schedule_task', task)).toMatchObject({ code: 'NOT_FOUND' })
  })
})

function post(path: string, body: object, headers: object): Promise<Response> {
  return fetch(new URL(path, http), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

function inSeconds(seconds: number): { readonly schedule_value: string; readonly timezone: string } {
  return { schedule_value: new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 19), timezone: 'UTC' }
}

describe('what an operator does by another worker', () => {
  it.each(decisions)('decides nothing: %s', async (tool, argsOf) => {
    const input = { tool, args: argsOf(item.id) }
    expect(await operator.get('relay', input)).toEqual({ isError: true, failure: 'not_found' })
    const twice = await operator.get('relay', { tool: 'relay', args: input })
    expect(twice).toMatchObject({ structuredContent: { isError: true, failure: 'not_found' } })
  })

  it('decides nothing as a task either', async () => {
    const direct = { prompt: 'x', tool: 'approve_item', args: { id: item.id }, schedule_type: 'once', ...inSeconds(60) }
    expect(await operator.call('schedule_task', direct)).toMatchObject({ code: 'NOT_FOUND' })
    const input = { tool: 'approve_item', args: { id: item.id } }
    for (const session of [operator, agent]) {
      const task = { prompt: 'x', tool: 'relay', args: input, schedule_type: 'once', ...inSeconds(2) }
      const { task_id } = await session.get('schedule_task', task)
      const ended = async () => {
        const { runs } = await operator.get('list_runs', { task_id })
        expect(runs).toMatchObject([{ outcome: 'ok' }])
      }
      await vi.waitFor(ended, { timeout: 20_000, interval: 200 })
      const { last } = await operator.get('last_relayed')
      expect(last).toMatchObject({ isError: true, failure: 'not_found', caller: { depth: 1 } })
    }
  }, 60_000)
})

describe('an agent that lets nothing be approved', () => {
  it('has no resource and no prompt for it', async () => {
    expect(await agent.ask('resources/list')).toEqual({ resources: [] })
    expect(await agent.ask('resources/templates/list')).toEqual({ resourceTemplates: [] })
    expect(await agent.ask('prompts/list')).toEqual({ prompts: [] })
    const { tools } = await agent.ask('tools/list')
    const names = (tools as { name: string }[]).map(({ name }) => name)
    expect(names).toContain('propose_post')
    expect(names.filter((name) => decisions.some(([decision]) => name.includes(decision)))).toEqual([])
  })

  it('by what it proposes', async () => {
    const proposed = { parts: ['A ladle.'], kind: 'tweet' }
    const more = [
      { approval_mode: false },
      { status: 'approved' },
      { mode: 'autopilot' },
      { reviewed_by: 'operator:root' },
      { roles: ['operator'] },
    ]
    for (const each of more) {
      const { message } = await agent.call('propose_post', { ...proposed, ...each })
      expect(envelopeIn(message)).toMatchObject({ code: 'validation_error' })
    }
    const { data } = await agent.call('propose_post', proposed, claims[0]).then(({ value }) => value)
    expect(data).toMatchObject({ status: 'pending' })
    await agent.get('withdraw_item', { id: data.id })
  })

  it('by an edit behind a review', async () => {
    const { id, rev, content_hash } = item
    const parts = ['Something that nobody has seen.']
    await agent.get('edit_item', { id, rev, parts })
    for (const seen of [{ rev }, { content_hash }, { rev, content_hash }]) {
      const { message } = await operator.call('approve_item', { id, ...seen })
      expect(envelopeIn(message)).toMatchObject({ code: 'conflict' })
      const all = await operator.get('approve_all', { items: [{ id, ...seen }] })
      expect(all.data).toMatchObject({ approved: 0, errors: 1, items: [{ id, code: 'conflict' }] })
    }
  })

  it('by the command line, without the secret', async () => {
    const { id } = item
    const variables = { CALLBOARD_TOKEN: token }
    expect(await installation.run(['call', 'approve_item', `id=${id}`], variables)).toMatchObject({ code: 2 })
    expect(await installation.run(['call', '--as', 'operator', 'approve_item', `id=${id}`])).toMatchObject({ code: 2 })
    const asOperator = ['call', '--as', 'operator', 'approve_item', `id=${id}`]
    expect(await installation.run(asOperator, variables)).toMatchObject({ code: 2 })
    expect(await installation.run(['approvals', 'approve', String(id), '--yes'], variables)).toMatchObject({ code: 2 })
  })

  it('nor sees or touches what another one proposed', async () => {
    using bob = await AgentSession.open(installation, await newToken('bob'))
    const { id, rev } = item
    for (const [tool, args] of [
      ['get_item', { id }],
      ['edit_item', { id, rev, parts: ['Mine.'] }],
      ['withdraw_item', { id }],
    ] as const) {
      const { message } = await bob.call(tool, args)
      expect(envelopeIn(message)).toMatchObject({ code: 'not_found' })
    }
  })
})
