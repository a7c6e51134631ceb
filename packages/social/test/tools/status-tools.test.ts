import { setImmediate as turn } from 'node:timers/promises'
import { StoreError } from '@callboard/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ContentWriter } from '../../src/content/content-writer.js'
import { ruleOf, take } from '../../src/ledger/rate-ledger.js'
import type { NetworkAdapter } from '../../src/networks/network-adapter.js'
import { Networks } from '../../src/networks/networks.js'
import { getCapabilitiesTool } from '../../src/tools/get-capabilities-tool.js'
import { getModeTool } from '../../src/tools/get-mode-tool.js'
import { getRateLimitsTool } from '../../src/tools/get-rate-limits-tool.js'
import { healthCheckTool } from '../../src/tools/health-check-tool.js'
import { addItem } from '../support/add-item.js'
import { brokenStore, withStore } from '../support/broken-store.js'
import { bob, type CallTool, serveForTest } from '../support/call-tool.js'
import { stubNetwork } from '../support/stub-network.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const hour = 60 * 60_000
const closed: (() => Promise<unknown>)[] = []
let foundation: TestFoundation

beforeEach(async () => {
  foundation = await openTestFoundation()
})
afterEach(async () => {
  for (const close of closed.splice(0)) await close()
  await foundation[Symbol.asyncDispose]()
})

type Writer = Pick<ContentWriter, 'hasModel' | 'check'>

const noModel: Writer = {
  hasModel: false,
  check: async () => ({ status: 'not_configured', message: 'No model is configured.' }),
}

async function serve(
  networks: readonly [NetworkAdapter, ...NetworkAdapter[]] = [stubNetwork()],
  writer: Writer = noModel,
  on = foundation,
): Promise<CallTool> {
  const { config, store, clock, random, log } = on
  const parts = { config, store, clock, random, log, networks: new Networks(networks), writer }
  const tools = [getCapabilitiesTool, getRateLimitsTool, healthCheckTool, getModeTool].map((tool) => tool(parts))
  const { call, link } = await serveForTest(tools, on)
  closed.push(async () => link.close())
  return call
}

async function configured(config: object): Promise<TestFoundation> {
  const other = await openTestFoundation({ config })
  closed.push(async () => other[Symbol.asyncDispose]())
  return other
}

const reserve = (outboxId: number, at: number, action: 'reply' | 'tweet' = 'reply', network = 'local') =>
  foundation.store.transaction((tx) =>
    take(tx, { action, network, outboxId, at }, ruleOf(foundation.config, action), foundation.clock.now()),
  )

const forever = () => new Promise<never>(() => undefined)

const hang = (signal?: AbortSignal) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))

/** Turns the event loop until somebody waits for the clock, then lets that time pass. */
async function letTimePass(ms: number): Promise<void> {
  while (foundation.clock.nextWake === undefined) await turn()
  foundation.clock.advance(ms)
}

describe('get_mode', () => {
  it('is composer and approval as it comes, and says the effective flag', async () => {
    expect((await (await serve())('get_mode')).data).toEqual({ mode: 'composer', approval_mode: true })
    const careless = await configured({ approval_mode: false })
    expect((await (await serve(undefined, undefined, careless))('get_mode')).data.approval_mode).toBe(true)
    const autopilot = await configured({ mode: 'autopilot', approval_mode: false })
    expect((await (await serve(undefined, undefined, autopilot))('get_mode')).data).toEqual({
      mode: 'autopilot',
      approval_mode: false,
    })
  })

  it('takes no parameter, not even a network', async () => {
    const { error } = await (await serve())('get_mode', { network: 'local' })
    expect(error?.message).toBe('network: there is no such parameter; this tool takes none')
  })
})

describe('get_rate_limits', () => {
  const limitOf = async (
    call: CallTool,
    action: string,
    args: object = {},
    who = undefined as typeof bob | undefined,
  ) =>
    (await call('get_rate_limits', args, who)).data.find((row: { action_type: string }) => row.action_type === action)

  it('has a row for each limit of the default network, and for the caller', async () => {
    const answer = await (await serve())('get_rate_limits')
    expect(
      answer.data.map((row: { action_type: string; max_requests: number; period_seconds: number }) => [
        row.action_type,
        row.max_requests,
        row.period_seconds,
      ]),
    ).toEqual([
      ['reply', 5, 86_400],
      ['tweet', 6, 86_400],
      ['thread', 1, 604_800],
      ['search', 300, 900],
      ['mention_check', 180, 900],
      ['mcp_mutation', 20, 3_600],
    ])
    expect(answer.data[0]).toEqual({
      action_type: 'reply',
      request_count: 0,
      max_requests: 5,
      period_start: '2026-03-01T12:00:00.000Z',
      period_seconds: 86_400,
      remaining: 5,
      reserved: 0,
      resets_at: '2026-03-02T12:00:00.000Z',
      network: 'local',
      limited_by: 'config',
    })
    expect(answer.data.at(-1)).not.toHaveProperty('network')
    expect(answer.meta).toMatchObject({ provider_backend: 'local' })
  })

  it('counts what is used and what is reserved', async () => {
    const now = foundation.clock.now()
    const call = await serve()
    await reserve(1, now)
    await reserve(2, now + hour)
    expect(await limitOf(call, 'reply')).toMatchObject({ request_count: 0, reserved: 2, remaining: 3 })
    for (const id of [3, 4, 5]) await reserve(id, now)
    expect(await limitOf(call, 'reply')).toMatchObject({
      reserved: 5,
      remaining: 0,
      period_start: '2026-03-02T12:00:00.000Z',
      resets_at: '2026-03-03T12:00:00.000Z',
    })
  })

  it('counts every caller’s own changes', async () => {
    const { store, clock, config } = foundation
    const event = { action: 'mcp_mutation', network: '', principal: 'agent:ada', at: clock.now() } as const
    await store.transaction((tx) => take(tx, event, ruleOf(config, 'mcp_mutation'), clock.now()))
    const call = await serve()
    expect(await limitOf(call, 'mcp_mutation')).toMatchObject({ request_count: 1, remaining: 19 })
    expect(await limitOf(call, 'mcp_mutation', {}, bob)).toMatchObject({ request_count: 0, remaining: 20 })
  })

  it('takes the smaller remainder: the network’s', async () => {
    const resetsAt = foundation.clock.now() + hour
    const rates = [
      { endpoint: 'write', limit: 300, remaining: 2, resetsAt },
      { endpoint: 'search', limit: 300, remaining: 0, resetsAt },
      { endpoint: 'read', limit: 300, remaining: 299, resetsAt },
    ]
    const call = await serve([stubNetwork({ rates })])
    expect(await limitOf(call, 'reply')).toMatchObject({ remaining: 2, max_requests: 5, limited_by: 'network' })
    expect(await limitOf(call, 'search')).toMatchObject({ remaining: 0, resets_at: '2026-03-02T13:00:00.000Z' })
    expect(await limitOf(call, 'mention_check')).toMatchObject({ remaining: 180, limited_by: 'config' })
    foundation.clock.advance(hour)
    expect(await limitOf(call, 'search'), 'that window has ended').toMatchObject({
      remaining: 300,
      limited_by: 'config',
    })
  })

  it('believes no network that speaks of years, or of no number', async () => {
    const rates = [
      { endpoint: 'write', limit: 1, remaining: 0, resetsAt: 9e15 },
      { endpoint: 'search', limit: 1, remaining: Number.NaN, resetsAt: foundation.clock.now() + hour },
    ]
    const call = await serve([stubNetwork({ rates })])
    expect(await limitOf(call, 'reply')).toMatchObject({ remaining: 5, limited_by: 'config' })
    expect(await limitOf(call, 'search')).toMatchObject({ remaining: 300, limited_by: 'config' })
  })

  it('asks for one network', async () => {
    await reserve(1, foundation.clock.now(), 'tweet', 'bluesky')
    const call = await serve([stubNetwork(), stubNetwork({ name: 'bluesky' })])
    expect(await limitOf(call, 'tweet')).toMatchObject({ remaining: 6, network: 'local' })
    expect(await limitOf(call, 'tweet', { network: 'bluesky' })).toMatchObject({ remaining: 5, network: 'bluesky' })
    expect((await call('get_rate_limits', { network: 'bluesky' })).meta).not.toHaveProperty('provider_backend')
  })

  it('follows the configuration; what is 0 is never free', async () => {
    const none = await configured({ limits: { max_threads_per_week: 0 } })
    const limit = await limitOf(await serve(undefined, undefined, none), 'thread')
    expect(limit).toMatchObject({ max_requests: 0, remaining: 0 })
    expect(limit).not.toHaveProperty('resets_at')
  })

  it('fails when the database does, as any tool but two', async () => {
    const broken = brokenStore(() => {
      throw new StoreError('unavailable', '/secret/path')
    })
    const answer = await (await serve(undefined, undefined, withStore(foundation, broken)))('get_rate_limits')
    expect(answer.error).toMatchObject({ code: 'db_error', retryable: true })
    expect(JSON.stringify(answer)).not.toContain('secret')
  })
})

describe('get_capabilities', () => {
  it('tells what can be done, and how much of it', async () => {
    await reserve(1, foundation.clock.now())
    const bluesky = stubNetwork({
      name: 'bluesky',
      lengthRule: { kind: 'graphemes', max: 300, bytesMax: 3_000 },
      capabilities: { canReply: false, replyRule: 'nobody' },
    })
    const x = stubNetwork({
      name: 'x',
      lengthRule: { kind: 'weighted' },
      capabilities: { tier: 'Basic', canAttach: false },
    })
    const answer = await (await serve([stubNetwork(), bluesky, x], { ...noModel, hasModel: true }))('get_capabilities')
    expect(answer.data).toMatchObject({
      tier: 'Open',
      can_post_tweets: true,
      can_reply: true,
      can_search: true,
      can_discover: true,
      approval_mode: true,
      llm_available: true,
      recommended_max_actions: { replies: 4, tweets: 6, threads: 1 },
      warnings: [],
    })
    expect(answer.data).not.toHaveProperty('tier_detected_at')
    expect(answer.data.rate_limits[0]).toEqual({ action_type: 'reply', remaining: 4, max: 5, period_seconds: 86_400 })
    expect(answer.data.rate_limits).toHaveLength(6)
    expect(answer.data.networks).toMatchObject([
      { network: 'local', tier: 'Open', limit: 500, unit: 'characters', reply_rule: 'anyone', can_post: true },
      { network: 'bluesky', limit: 300, unit: 'graphemes', reply_rule: 'nobody', can_reply: false },
      { network: 'x', tier: 'Basic', limit: 280, unit: 'weighted characters', can_attach: false },
    ])
    expect(answer.meta).toMatchObject({ provider_backend: 'local' })
  })

  it('recommends nothing of what the network does not let us do', async () => {
    const capabilities = { tier: 'Free', canReply: false, canSearch: false, canDiscover: false }
    const call = await serve([stubNetwork({ name: 'x', capabilities })])
    expect((await call('get_capabilities')).data).toMatchObject({
      tier: 'Free',
      can_reply: false,
      recommended_max_actions: { replies: 0, tweets: 6, threads: 1 },
    })
  })

  it('tells of another network, also of one that is switched off', async () => {
    const call = await serve([stubNetwork(), stubNetwork({ name: 'x', capabilities: { tier: 'Pro' } })])
    expect((await call('get_capabilities', { network: 'x' })).data).toMatchObject({ tier: 'Pro' })
    const off = await call('get_capabilities', { network: 'mastodon' })
    expect(off.data).toMatchObject({
      tier: 'unknown',
      can_post_tweets: false,
      recommended_max_actions: { replies: 0, tweets: 0, threads: 0 },
      warnings: ['mastodon is not switched on here; an operator sets social.mastodon.enabled.'],
    })
  })

  it('succeeds without a database: it says so, and recommends nothing', async () => {
    const call = await serve()
    await foundation.store.close()
    const answer = await call('get_capabilities')
    expect(answer).toMatchObject({
      success: true,
      data: {
        tier: 'Open',
        rate_limits: [],
        recommended_max_actions: { replies: 0, tweets: 0, threads: 0 },
        warnings: [expect.stringContaining('The database of this worker does not answer')],
      },
    })
    expect(answer.data.networks).toHaveLength(1)
  })

  it('succeeds where an adapter does not know what it can', async () => {
    const call = await serve([stubNetwork({ capabilities: { mediaMax: Number.NaN } })])
    const { success, data } = await call('get_capabilities')
    expect(success).toBe(true)
    expect(data).toMatchObject({ tier: 'unknown', can_post_tweets: false, networks: [] })
    expect(data.warnings).toEqual(['What local can do could not be found out.'])
  })

  it('does not wait for a database that hangs', async () => {
    const call = await serve(undefined, undefined, withStore(foundation, brokenStore(forever)))
    const answering = call('get_capabilities')
    await letTimePass(5_000)
    expect((await answering).data).toMatchObject({ tier: 'Open', rate_limits: [] })
  })
})

describe('health_check', () => {
  it('says ok of what answers', async () => {
    const { db } = foundation.store
    for (const status of ['approved', 'scheduled', 'publishing', 'posted', 'failed', 'unknown', 'unknown'] as const) {
      await addItem(db, 0, { status })
    }
    const writer: Writer = { hasModel: true, check: async () => ({ status: 'ok', message: '3 models.' }) }
    const answer = await (await serve([stubNetwork(), stubNetwork({ name: 'x' })], writer))('health_check')
    expect(answer.data).toEqual({
      database: { status: 'ok', message: 'SQLite answers.' },
      llm: { status: 'ok', message: '3 models.' },
      networks: {
        local: { status: 'ok', message: 'local answers.' },
        x: { status: 'ok', message: 'x answers.' },
      },
      outbox: { queued: 3, unknown: 2, failed: 1 },
    })
    expect(foundation.clock.nextWake, 'no timer is left').toBeUndefined()
  })

  it('tells what each of them says', async () => {
    const network = stubNetwork({ check: async () => ({ status: 'error', message: 'm'.repeat(1_000) }) })
    const { data } = await (await serve([network]))('health_check')
    expect(data.llm).toEqual({ status: 'not_configured', message: 'No model is configured.' })
    expect(data.networks.local).toEqual({ status: 'error', message: `${'m'.repeat(300)}…` })
  })

  it('succeeds when everything is dead, and tells nothing of the reasons but the kind', async () => {
    const dead = async (): Promise<never> => {
      throw new Error('secret token')
    }
    const throwing = () => {
      throw new Error('secret token')
    }
    const call = await serve([stubNetwork({ check: dead }), stubNetwork({ name: 'x', check: throwing })], {
      hasModel: true,
      check: dead,
    })
    await foundation.store.close()
    const answer = await call('health_check')
    expect(answer).toMatchObject({
      success: true,
      data: {
        database: {
          status: 'error',
          message: 'The database can not be used; an operator has to look at the log of the social worker.',
        },
        llm: { status: 'error', message: 'The LLM could not be checked.' },
        networks: {
          local: { status: 'error', message: 'local could not be checked.' },
          x: { status: 'error', message: 'x could not be checked.' },
        },
      },
    })
    expect(answer.data).not.toHaveProperty('outbox')
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  it('tells the kind of trouble that the database has, without its words', async () => {
    const broken = brokenStore(() => {
      throw new StoreError('not_writable', '/secret/path')
    })
    const answer = await (await serve(undefined, undefined, withStore(foundation, broken)))('health_check')
    expect(answer.data.database.message).toContain('can not be used (not_writable)')
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  it('waits five seconds for all of them at once, and then lets them go', async () => {
    const stopped: string[] = []
    const hanging = (name: string) => (signal?: AbortSignal) => {
      signal?.addEventListener('abort', () => stopped.push(name))
      return hang(signal)
    }
    const on = withStore(foundation, brokenStore(forever))
    const writer = { hasModel: true, check: hanging('llm') }
    const call = await serve([stubNetwork({ check: hanging('local') }), stubNetwork({ name: 'x' })], writer, on)
    const answering = call('health_check')
    await letTimePass(4_999)
    await letTimePass(1)
    const { data } = await answering
    expect(data).toMatchObject({
      database: { status: 'error', message: 'The database did not answer within 5 s.' },
      llm: { status: 'error', message: 'The LLM did not answer within 5 s.' },
      networks: { local: { status: 'error', message: 'local did not answer within 5 s.' }, x: { status: 'ok' } },
    })
    expect(stopped.sort()).toEqual(['llm', 'local'])
    expect(foundation.clock.nextWake, 'no timer is left').toBeUndefined()
  })
})
