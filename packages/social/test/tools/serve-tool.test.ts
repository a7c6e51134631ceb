import { StoreError } from '@callboard/store'
import { describeBothDatabases } from '@callboard/store/testing'
import type { TestCallOptions } from '@callboard/worker/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { failure } from '../../src/envelope/failure.js'
import { changing, reads, type SocialTool } from '../../src/tools/social-tool.js'
import { ada, bob, type CallTool, operator, serveForTest } from '../support/call-tool.js'
import { openTestFoundation, type TestFoundation, type TestFoundationOptions } from '../support/test-foundation.js'

const hour = 60 * 60_000
const marks = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function openFoundation(options: TestFoundationOptions = {}): Promise<TestFoundation> {
  const foundation = await openTestFoundation(options)
  open.push(async () => foundation[Symbol.asyncDispose]())
  return foundation
}

async function serve(foundation: TestFoundation, ...tools: readonly SocialTool[]) {
  const served = await serveForTest(tools, foundation)
  open.push(async () => served.link.close())
  return served
}

/** A tool that only answers. */
function look(answer: () => Promise<unknown>, more: Partial<SocialTool> = {}): SocialTool {
  const tool = { name: 'look', title: 'Look', description: 'D', marks: reads, input: z.object({}), data: z.unknown() }
  return { ...tool, answer: async () => ({ data: await answer() }), ...more } as SocialTool
}

const input = z.object({
  text: z.string().trim().min(1).max(20),
  limit: z.int().min(1).max(500).default(50),
  mode: z.enum(['one', 'two']).default('one'),
  items: z.array(z.strictObject({ id: z.int().min(1) })).optional(),
  idempotency_key: z.string().min(1).max(128).optional(),
})

/** A tool with an effect: a line of the action log. */
function note({ clock }: TestFoundation, more: { prepare?: () => Promise<undefined>; afterwards?: () => void } = {}) {
  return changing({
    name: 'note',
    title: 'Note',
    description: 'D',
    marks,
    input,
    data: z.strictObject({ text: z.string(), owner: z.string() }),
    async change({ text }, { owner }, db) {
      const entry = { action_type: 'tweet', status: 'success', message: text, metadata: '{}' } as const
      await db
        .insertInto('action_log')
        .values({ ...entry, principal: owner, created_at: clock.now() })
        .execute()
      if (text === 'refuse') throw failure('conflict', 'Read again.')
      if (text === 'break') throw new Error('secret')
      return { data: { text, owner } }
    },
    ...more,
  })
}

async function notes({ store }: TestFoundation): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('action_log').select(['message', 'principal']).orderBy('id').execute()
  return rows.map(({ principal, message }) => `${principal} ${message}`)
}

const withKey = (idempotencyKey: string, who: TestCallOptions = ada): TestCallOptions => ({ ...who, idempotencyKey })

describe('every reply', () => {
  it('is one block of JSON and the same object, with all of meta', async () => {
    const foundation = await openFoundation()
    const { link } = await serve(
      foundation,
      look(async () => [1, 2]),
    )
    const answer = await link.callTool('look', {}, ada)
    expect(answer.isError).toBeUndefined()
    expect(answer.content).toEqual([{ type: 'text', text: JSON.stringify(answer.structuredContent) }])
    expect(answer.structuredContent).toEqual({
      success: true,
      data: [1, 2],
      meta: {
        tool_version: '1.0',
        elapsed_ms: 0,
        mode: 'composer',
        approval_mode: true,
        correlation_id: expect.stringMatching(uuid),
      },
    })
  })

  it('is an error where it failed, with data null', async () => {
    const foundation = await openFoundation()
    const refuse = () => Promise.reject(failure('not_found', 'There is no item 7.', { details: { id: 7 } }))
    const { link } = await serve(foundation, look(refuse))
    const answer = await link.callTool('look', {}, ada)
    expect(answer.isError).toBe(true)
    expect(answer.content).toEqual([{ type: 'text', text: JSON.stringify(answer.structuredContent) }])
    expect(answer.structuredContent).toMatchObject({
      success: false,
      data: null,
      error: { code: 'not_found', message: 'There is no item 7.', retryable: false, details: { id: 7 } },
      meta: { tool_version: '1.0', mode: 'composer', approval_mode: true, correlation_id: expect.stringMatching(uuid) },
    })
  })

  it('tells how long it took, by a clock that nobody sets', async () => {
    const foundation = await openFoundation()
    const { call } = await serve(
      foundation,
      look(async () => {
        foundation.clock.advance(250)
        foundation.clock.set(0)
        return null
      }),
    )
    expect((await call('look')).meta.elapsed_ms).toBe(250)
  })

  it.each([
    [{ mode: 'composer', approval_mode: false }, true],
    [{ mode: 'composer', approval_mode: true }, true],
    [{ mode: 'autopilot', approval_mode: false }, false],
    [{ mode: 'autopilot', approval_mode: true }, true],
  ] as const)('tells the effective flag of %j: %s', async (config, effective) => {
    const foundation = await openFoundation({ config })
    const { call } = await serve(
      foundation,
      look(async () => null),
    )
    expect((await call('look')).meta).toMatchObject({ mode: config.mode, approval_mode: effective })
  })

  it('has an id of its own', async () => {
    const { call } = await serve(
      await openFoundation(),
      look(async () => null),
    )
    const [one, other] = [await call('look'), await call('look')]
    expect(one.meta.correlation_id).not.toBe(other.meta.correlation_id)
  })
})

describe('what went wrong here', () => {
  it('is an internal error, whose words stay in the log', async () => {
    const foundation = await openFoundation()
    const { call } = await serve(
      foundation,
      look(() => Promise.reject(new TypeError('secret token'))),
    )
    const answer = await call('look')
    expect(answer.error).toMatchObject({ code: 'internal_error', retryable: false })
    expect(JSON.stringify(answer)).not.toContain('secret')
    expect(foundation.logged).toContainEqual({
      level: 'error',
      message: 'tool failed',
      details: expect.objectContaining({ err: new TypeError('secret token'), tool: 'look' }),
    })
  })

  it('is one also when it is no Error at all', async () => {
    const { call } = await serve(
      await openFoundation(),
      look(() => Promise.reject('secret')),
    )
    expect((await call('look')).error?.code).toBe('internal_error')
  })

  it('is one also when the answer can not be written as JSON', async () => {
    const { call } = await serve(
      await openFoundation(),
      look(async () => ({ count: 1n })),
    )
    expect((await call('look')).error?.code).toBe('internal_error')
  })

  it('is an answer that does not fit its schema: in the envelope, too', async () => {
    const foundation = await openFoundation()
    const data = z.strictObject({ count: z.int() })
    const { call } = await serve(
      foundation,
      look(async () => ({ count: 'secret' }), { data } as Partial<SocialTool>),
    )
    const answer = await call('look')
    expect(answer).toMatchObject({ data: null, error: { code: 'serialization_error', retryable: false } })
    expect(JSON.stringify(answer)).not.toContain('secret')
    expect(foundation.logged).toMatchObject([{ level: 'error', message: 'tool failed' }])
  })

  it.each([
    ['locked', true],
    ['unavailable', true],
    ['not_writable', false],
    ['corrupt', false],
    ['newer', false],
    ['invalid_url', false],
  ] as const)('is a database error that is %s; may it be tried again: %s', async (code, retryable) => {
    const { call } = await serve(
      await openFoundation(),
      look(() => Promise.reject(new StoreError(code, 'secret /path/of/database'))),
    )
    const answer = await call('look')
    expect(answer.error).toMatchObject({ code: 'db_error', retryable })
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  it('is a database error for a change, too, when the database is closed', async () => {
    const foundation = await openFoundation()
    const { call } = await serve(
      foundation,
      note(foundation, { prepare: async () => void (await foundation.store.close()) }),
    )
    expect((await call('note', { text: 'a' })).error).toMatchObject({ code: 'db_error', retryable: true })
  })
})

describe('input', () => {
  const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown
  const storable = 'must be valid Unicode without NUL, nested at most 64 deep'

  it.each<[object, string]>([
    [{}, 'text: required; must be text'],
    [{ text: 5 }, 'text: must be text (got 5)'],
    [{ text: null }, 'text: must be text (got null)'],
    [{ text: '   ' }, 'text: must not be empty (got "   ")'],
    [{ text: 'x'.repeat(200) }, `text: must have at most 20 characters (got "${'x'.repeat(79)}…)`],
    [{ text: 'a', limit: '50' }, 'limit: must be a number (got "50")'],
    [{ text: 'a', limit: 1.5 }, 'limit: must be a whole number (got 1.5)'],
    [{ text: 'a', limit: 501 }, 'limit: must be at most 500 (got 501)'],
    [{ text: 'a', mode: 'three' }, 'mode: must be one of one, two (got "three")'],
    [{ text: 'a', items: [{ id: 0 }] }, 'items[0].id: must be at least 1 (got 0)'],
    [{ text: 'a', items: [{ id: 1, rv: 2 }] }, 'items[0].rv: there is no such parameter'],
    [{ text: 'a', items: { id: 1 } }, 'items: must be a list (got {"id":1})'],
    [
      { text: 'a', limt: 1 },
      'limt: there is no such parameter (did you mean limit?); accepted: text, limit, mode, items, idempotency_key',
    ],
    [
      { limit: 0, mode: 1 },
      'text: required; must be text; limit: must be at least 1 (got 0); mode: must be one of one, two (got 1)',
    ],
    [{ text: 'a\0b' }, `text: ${storable} (got "a\\u0000b")`],
    [{ text: 'a\ud800' }, `text: ${storable} (got "a\\ud800")`],
    [{ text: 'a', items: [{ '\0': 1 }] }, `items: ${storable}`],
    [{ text: 'a', items: deep }, `items: ${storable}`],
    [
      { text: 'a', approved_by: 'operator:root' },
      'approved_by: there is no such parameter; accepted: text, limit, mode, items, idempotency_key',
    ],
  ])('%j is refused, and has no effect', async (args, message) => {
    const foundation = await openFoundation()
    const { call } = await serve(foundation, note(foundation))
    expect((await call('note', args)).error).toEqual({ code: 'validation_error', message, retryable: false })
    expect(await notes(foundation)).toEqual([])
    expect(await foundation.store.db.selectFrom('call_replies').selectAll().execute()).toEqual([])
    expect(await foundation.store.db.selectFrom('rate_ledger').selectAll().execute()).toEqual([])
  })

  it('with a thousand mistakes is answered in few words', async () => {
    const foundation = await openFoundation()
    const { call } = await serve(foundation, note(foundation))
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${n}${'k'.repeat(300)}`, 1]))
    const { error } = await call('note', { text: 'a', ...unknown })
    expect(error?.message).toEqual(expect.stringMatching(/; and \d+ more$/))
    expect(error!.message.length).toBeLessThan(5_000)
  })

  it('is announced as strictly as it is taken', async () => {
    const foundation = await openFoundation()
    const { link } = await serve(foundation, note(foundation))
    expect(link.definitions.tools?.[0]).toMatchObject({
      name: 'note',
      title: 'Note',
      annotations: { title: 'Note', ...marks },
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        required: ['text'],
        properties: { limit: { minimum: 1, maximum: 500, default: 50 }, mode: { enum: ['one', 'two'] } },
      },
      outputSchema: {
        type: 'object',
        additionalProperties: false,
        required: ['success', 'data', 'meta'],
        properties: { data: { anyOf: [{ type: 'object' }, { type: 'null' }] }, error: { type: 'object' } },
      },
    })
  })
})

describe('a tool of operators', () => {
  const decide = () => look(async () => 'decided', { name: 'decide', access: 'operator' })

  it('is announced for them alone', async () => {
    const { link } = await serve(await openFoundation(), decide())
    expect(link.definitions.tools?.[0]?._meta).toEqual({ 'callboard/roles': ['operator'] })
  })

  it('answers them', async () => {
    const { call } = await serve(await openFoundation(), decide())
    expect((await call('decide', {}, operator)).data).toBe('decided')
  })

  const run = { id: 'run_1', attempt: 1, triggerDepth: 0 }
  it.each<[string, TestCallOptions]>([
    ['an agent', ada],
    ['an agent that calls itself an operator', { principal: 'operator:root' }],
    [
      'a worker that an operator called',
      { ...operator, principal: 'worker:scheduler', onBehalfOf: 'operator:root', depth: 1 },
    ],
    ['a call of some depth', { ...operator, depth: 1 }],
    ['a call on somebody’s behalf', { ...operator, onBehalfOf: 'agent:ada' }],
    ['a scheduled run', { ...operator, run }],
  ])('does not exist for %s, whatever the hub let through', async (_, who) => {
    const { call } = await serve(await openFoundation(), decide())
    const { error } = await call('decide', {}, who)
    expect(error).toEqual({ code: 'not_found', message: 'There is no tool decide.', retryable: false })
    const mistaken = await call('decide', { nonsense: 1 }, who)
    expect(mistaken.error?.code, 'its parameters are nobody’s business').toBe('not_found')
  })
})

describeBothDatabases('a change', (database) => {
  let foundation: TestFoundation
  let call: CallTool
  let prepared: number
  let woken: number

  beforeEach(async () => {
    foundation = await openFoundation({ location: await database.create() })
    prepared = 0
    woken = 0
    const more = {
      prepare: async () => {
        prepared += 1
        return undefined
      },
      afterwards: () => {
        woken += 1
      },
    }
    call = (await serve(foundation, note(foundation, more))).call
  })

  it('happens once for one key, and is answered alike', async () => {
    const first = await call('note', { text: 'a' }, withKey('k'))
    const again = await call('note', { text: 'a' }, withKey('k'))
    expect(first.data).toEqual({ text: 'a', owner: 'agent:ada' })
    expect(again.data).toEqual(first.data)
    expect(await notes(foundation)).toEqual(['agent:ada a'])
    expect([prepared, woken], 'a repeat prepares nothing and wakes nobody').toEqual([1, 1])
  })

  it('may have its key among the arguments, which says more than the request’s', async () => {
    await call('note', { text: 'a', idempotency_key: 'own' }, withKey('k1'))
    await call('note', { text: 'a', idempotency_key: 'own' }, withKey('k2'))
    await call('note', { text: 'b' }, withKey('k1'))
    expect(await notes(foundation)).toEqual(['agent:ada a', 'agent:ada b'])
  })

  it('happens each time without a key', async () => {
    await call('note', { text: 'a' })
    await call('note', { text: 'a' })
    expect(await notes(foundation)).toEqual(['agent:ada a', 'agent:ada a'])
  })

  it('is refused for a key that other arguments had', async () => {
    await call('note', { text: 'a' }, withKey('k'))
    const { error } = await call('note', { text: 'b' }, withKey('k'))
    expect(error).toMatchObject({
      code: 'conflict',
      retryable: false,
      message: expect.stringContaining('other arguments'),
    })
    expect(await notes(foundation)).toEqual(['agent:ada a'])
  })

  it('is the same whatever the order of its arguments', async () => {
    await call('note', { text: 'a', limit: 5 }, withKey('k'))
    expect((await call('note', { limit: 5, text: 'a' }, withKey('k'))).success).toBe(true)
    expect(await notes(foundation)).toEqual(['agent:ada a'])
  })

  it('has a key of its owner and tool', async () => {
    const other = { ...note(foundation), name: 'other' }
    const served = await serve(foundation, other)
    await call('note', { text: 'a' }, withKey('k'))
    await call('note', { text: 'b' }, withKey('k', bob))
    await served.call('other', { text: 'c' }, withKey('k'))
    expect(await notes(foundation)).toEqual(['agent:ada a', 'agent:bob b', 'agent:ada c'])
  })

  it('belongs to whom it is made for', async () => {
    const nested = { principal: 'worker:scheduler', onBehalfOf: 'agent:ada', depth: 1 }
    expect((await call('note', { text: 'a' }, withKey('k', nested))).data.owner).toBe('agent:ada')
    await call('note', { text: 'a' }, withKey('k'))
    expect(await notes(foundation)).toEqual(['agent:ada a'])
  })

  it('is forgotten after 24 hours', async () => {
    await call('note', { text: 'a' }, withKey('k'))
    foundation.clock.advance(24 * hour - 1)
    await call('note', { text: 'a' }, withKey('k'))
    foundation.clock.advance(1)
    await call('note', { text: 'b' }, withKey('k'))
    expect(await notes(foundation)).toEqual(['agent:ada a', 'agent:ada b'])
  })

  it('happens once when two calls come at the same time', async () => {
    const both = await Promise.all([
      call('note', { text: 'a' }, withKey('k')),
      call('note', { text: 'a' }, withKey('k')),
    ])
    expect(both.map(({ data }) => data)).toEqual([both[0]!.data, both[0]!.data])
    expect(await notes(foundation)).toEqual(['agent:ada a'])
  })

  it.each(['refuse', 'break'])('that fails (%s) leaves nothing behind, and may be tried again', async (text) => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { error } = await call('note', { text }, withKey('k'))
      expect(error?.code).toBe(text === 'refuse' ? 'conflict' : 'internal_error')
    }
    expect(await notes(foundation)).toEqual([])
    expect(await foundation.store.db.selectFrom('rate_ledger').selectAll().execute()).toEqual([])
    expect(woken).toBe(0)
  })
})

describeBothDatabases('the limit of changes', (database) => {
  let foundation: TestFoundation
  let call: CallTool

  beforeEach(async () => {
    const config = { limits: { max_mutations_per_hour: 2 } }
    foundation = await openFoundation({ location: await database.create(), config })
    call = (
      await serve(
        foundation,
        note(foundation),
        look(async () => null),
      )
    ).call
  })

  it('refuses what is more in an hour, and says when to come back', async () => {
    await call('note', { text: 'a' })
    foundation.clock.advance(hour / 2)
    await call('note', { text: 'b' })
    const { error } = await call('note', { text: 'c' })
    expect(error).toMatchObject({
      code: 'policy_denied_rate_limited',
      retryable: true,
      retry_after_ms: hour / 2,
      policy_decision: 'denied',
      details: { action_type: 'mcp_mutation', max_requests: 2, period_seconds: 3_600 },
    })
    expect(await notes(foundation)).toEqual(['agent:ada a', 'agent:ada b'])
    foundation.clock.advance(hour / 2)
    expect((await call('note', { text: 'c' })).success).toBe(true)
  })

  it('is each agent’s own; a worker that calls for one counts as that one', async () => {
    await call('note', { text: 'a' })
    await call('note', { text: 'b' }, { principal: 'worker:scheduler', onBehalfOf: 'agent:ada', depth: 1 })
    expect((await call('note', { text: 'c' })).success).toBe(false)
    expect((await call('note', { text: 'c' }, bob)).success).toBe(true)
  })

  it('counts neither reads, nor repeats, nor what failed', async () => {
    for (let n = 0; n < 3; n += 1) {
      await call('look')
      await call('note', { text: 'a' }, withKey('k'))
      await call('note', { text: 'refuse' })
      await call('note', {})
    }
    expect((await call('note', { text: 'b' })).success).toBe(true)
    expect((await call('note', { text: 'c' })).success).toBe(false)
  })

  it('does not bind an operator, only those who call for one', async () => {
    for (let n = 0; n < 4; n += 1) expect((await call('note', { text: `${n}` }, operator)).success).toBe(true)
    const nested = { ...operator, depth: 1, onBehalfOf: 'operator:root' }
    await call('note', { text: 'a' }, nested)
    await call('note', { text: 'b' }, nested)
    expect((await call('note', { text: 'c' }, nested)).success).toBe(false)
  })

  it('gives the last place to one of two who come at the same time', async () => {
    await call('note', { text: 'a' })
    const both = await Promise.all([call('note', { text: 'b' }), call('note', { text: 'c' })])
    expect(both.map(({ success }) => success).sort()).toEqual([false, true])
  })
})
