import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@callboard/store'
import { defineWorker } from '@callboard/worker'
import { connectForTest, type TestCallOptions, type TestLink, textOf, VirtualClock } from '@callboard/worker/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openSocial, type Social } from '../../src/open-social.js'
import { migrations } from '../../src/records/migrations.js'
import type { SocialSchema } from '../../src/records/schema.js'
import { type Answer, ada, bob, operator } from '../support/call-tool.js'
import { contract } from './tool-contract.js'

// The worker as it is after its installation: no configuration, no account, no model.
let dataDirectory: string
let social: Social
let link: TestLink

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'callboard-social-'))
  const worker = defineWorker({ service: 'social', version: '1.2.3' })
  const options = { dataDirectory, variables: { CALLBOARD_LOG_LEVEL: 'silent' } }
  social = await openSocial(worker, options, { clock: new VirtualClock(), random: () => 0.5 })
  link = await connectForTest(worker)
})
afterAll(async () => {
  await link.close()
  await social.close()
  await rm(dataDirectory, { recursive: true, force: true })
})

const tools = Object.entries(contract)
const withNetwork = tools.filter(([, { parameters }]) => 'network' in parameters)
const sortedKeys = (value: object) => Object.keys(value).sort()
// biome-ignore lint/suspicious/noExplicitAny: a JSON schema, looked into.
const definitionOf = (name: string): any => definitions().find((tool) => tool.name === name)
const definitions = () => link.definitions.tools ?? []

const outputSchemas = new Map<string, z.ZodType>()
function outputSchemaOf(name: string): z.ZodType {
  const schema = outputSchemas.get(name) ?? z.fromJSONSchema(definitionOf(name).outputSchema)
  outputSchemas.set(name, schema)
  return schema
}

/** As a client sees it, with the reply held against the schema that was announced. */
async function call(name: string, args: object = {}, who: TestCallOptions = operator): Promise<Answer> {
  const { structuredContent, isError = false, content } = await link.callTool(name, args as never, who)
  const answer = structuredContent as Answer
  outputSchemaOf(name).parse(answer)
  expect(isError).toBe(!answer.success)
  expect(content).toHaveLength(1)
  expect(JSON.parse(textOf({ content }))).toEqual(answer)
  expect(answer.meta).toMatchObject({ tool_version: '1.0', mode: 'composer', approval_mode: true })
  expect(z.int().min(0).safeParse(answer.meta.elapsed_ms).success).toBe(true)
  expect(z.uuidv4().safeParse(answer.meta.correlation_id).success).toBe(true)
  expect('error' in answer).toBe(!answer.success)
  // What is absent is left out, never null.
  expect([...Object.values(answer.error ?? {}), ...Object.values(answer.meta)]).not.toContain(null)
  return answer
}

/** Keys of an object, those that may be absent with `?` behind them. */
function keysOf({ properties = {}, required = [] }: { properties?: object; required?: readonly string[] }) {
  return sortedKeys(properties).map((key) => (required.includes(key) ? key : `${key}?`))
}

describe('the tools', () => {
  it('are these: 32, of which three are for operators alone, and three more of theirs', () => {
    expect(
      definitions()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(sortedKeys(contract))
    const isOperators = ({ _meta = {} }: { readonly _meta?: object }) =>
      JSON.stringify(_meta) === JSON.stringify({ 'callboard/roles': ['operator'] })
    expect(definitions().filter((tool) => !isOperators(tool))).toHaveLength(29)
    expect(definitions().filter(isOperators)).toHaveLength(6)
  })

  it.each(tools)('%s has its title, its words, its marks, its role and its time', (name, expected) => {
    const definition = definitionOf(name)
    expect(definition.title).toMatch(/^[A-Z]/)
    expect(definition.description.length).toBeGreaterThan(20)
    expect(definition.annotations).toEqual({
      title: definition.title,
      readOnlyHint: expected.marks.includes('R'),
      destructiveHint: expected.marks.includes('D'),
      idempotentHint: expected.marks.includes('I'),
      openWorldHint: expected.marks.includes('O'),
    })
    expect(definition._meta?.['callboard/roles']).toEqual(expected.isOperators ? ['operator'] : undefined)
    expect(definition._meta?.['callboard/timeoutMs'] ?? definition.timeoutMs).toBe(expected.timeoutMs)
  })

  it.each(tools)('%s takes its parameters, and announces all that it refuses', (name, { parameters }) => {
    const { properties = {}, required = [], additionalProperties } = definitionOf(name).inputSchema
    expect(sortedKeys(properties)).toEqual(sortedKeys(parameters))
    expect([...required].sort()).toEqual(sortedKeys(parameters).filter((key) => parameters[key]!.isRequired))
    expect(additionalProperties).toBe(false)
    for (const [key, { schema }] of Object.entries(parameters)) {
      expect(properties[key], key).toMatchObject(schema)
      if (!('default' in schema)) expect(properties[key], key).not.toHaveProperty('default')
    }
  })

  it.each(tools)('%s answers with its keys, or with null', (name, { data, isList }) => {
    const [payload, nothing] = definitionOf(name).outputSchema.properties.data.anyOf
    expect(nothing).toEqual({ type: 'null' })
    expect(payload.type).toBe(isList ? 'array' : 'object')
    if (data !== undefined) expect(keysOf(isList ? payload.items : payload)).toEqual(data.split(' ').sort())
  })

  it('take a network, all but those of the configuration, of health and of the mode', () => {
    const without = tools.filter(([, { parameters }]) => !('network' in parameters)).map(([name]) => name)
    expect(without.sort()).toEqual(['get_config', 'get_mode', 'health_check', 'validate_config'])
  })
})

describe('refused input is a validation_error in the envelope', () => {
  it.each(tools)('%s: a parameter that there is not', async (name) => {
    expect((await call(name, { nonsense: 1 })).error).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('nonsense: there is no such parameter'),
      retryable: false,
    })
  })

  const cases = tools.flatMap(([name, { parameters }]) =>
    Object.entries(parameters).flatMap(([key, { refused, isRequired }]) =>
      [...refused, ...(isRequired ? [undefined] : [])].map((value) => ({ name, key, value })),
    ),
  )
  it.each(cases)('$name: $key is not $value', async ({ name, key, value }) => {
    const { error } = await call(name, value === undefined ? {} : { [key]: value })
    expect(error).toMatchObject({ code: 'validation_error', message: expect.stringContaining(key), retryable: false })
    expect(error!.message.length).toBeLessThan(2_000)
  })
})

describe('operators’ tools', () => {
  const theirs = tools.filter(([, { isOperators }]) => isOperators).map(([name]) => name)
  it.each(theirs)('%s is not there for agents', async (name) => {
    expect((await call(name, {}, ada)).error).toMatchObject({ code: 'not_found' })
  })
})

describe('a fresh installation answers', () => {
  let made = 0
  const subjects = [
    'tool calls',
    'mail',
    'open networks',
    'calendars',
    'backups',
    'search',
    'schedules',
    'locks',
    'keys',
  ]
  const propose = async (more: object = {}): Promise<number> => {
    const subject = subjects[made++]!
    const texts = { kind: 'tweet', parts: [`${subject}: ${subject.split('').join(' ')}.`] }
    return (await call('propose_post', { ...texts, ...more })).data.id as number
  }
  const approved = async (more?: object): Promise<number> => {
    const id = await propose(more)
    await call('approve_item', { id })
    return id
  }
  const ended = async (status: 'failed' | 'unknown'): Promise<number> => {
    const id = await approved()
    const where = { dataDirectory, access: 'shared', durability: 'normal' } as const
    await using store = await openStore<SocialSchema>({ name: 'social', migrations, ...where })
    await store.db.updateTable('approval_queue').set({ status }).where('id', '=', id).execute()
    await store.db.updateTable('outbox').set({ status }).where('approval_id', '=', id).execute()
    return id
  }
  const arguments_: { readonly [tool: string]: () => Promise<object> } = {
    score_tweet: async () => ({
      text: 'About MCP.',
      author_username: 'bea',
      author_followers: 10,
      likes: 1,
      retweets: 1,
      replies: 1,
      created_at: '2026-03-02T11:00Z',
    }),
    generate_reply: async () => ({ tweet_text: 'What do agents need?', tweet_author: 'bea' }),
    compose_tweet: async () => ({ topic: 'open networks' }),
    propose_post: async () => ({ kind: 'tweet', parts: ['A post of its own.'] }),
    approve_item: async () => ({ id: await propose() }),
    reject_item: async () => ({ id: await propose(), reason: '' }),
    approve_all: async () => ({ max: 1, items: [{ id: 999_999 }] }),
    edit_item: async () => ({ id: await propose(), rev: 1, parts: ['Said in another way.'] }),
    withdraw_item: async () => ({ id: await propose() }),
    get_item: async () => ({ id: await propose() }),
    verify_post: async () => ({ id: await propose() }),
    retry_item: async () => ({ id: await ended('failed') }),
    resolve_item: async () => ({ id: await ended('unknown'), outcome: 'posted' }),
    unschedule_item: async () => ({ id: await approved() }),
  }

  it.each(tools)(
    '%s, with its keys and no others, and says when it is about the built-in network',
    async (name, tool) => {
      const { data, error, meta } = await call(name, (await arguments_[name]?.()) ?? {})
      expect(error).toBeUndefined()
      const items = tool.isList ? (data as readonly object[]) : [data as object]
      if (tool.isList && 'cursor' in tool.parameters) expect(meta.pagination?.result_count).toBe(items.length)
      expect(meta.provider_backend).toBe('network' in tool.parameters ? 'local' : undefined)
      if (tool.data === undefined) return
      const keys = tool.data.split(' ')
      for (const item of items) {
        expect(keys.map((key) => key.replace('?', ''))).toEqual(expect.arrayContaining(Object.keys(item)))
        expect(Object.keys(item)).toEqual(expect.arrayContaining(keys.filter((key) => !key.endsWith('?'))))
      }
    },
  )

  it.each(withNetwork)('%s marks failures that are about the built-in network, too', async (name) => {
    expect((await call(name, { network: 'local', nonsense: 1 })).meta.provider_backend).toBe('local')
    expect((await call(name, { network: 'x', nonsense: 1 })).meta).not.toHaveProperty('provider_backend')
  })

  const ofItems = tools.filter(([, { parameters }]) => 'id' in parameters).map(([name]) => name)
  it.each(ofItems)('%s: an item that there is not, or that is for another network', async (name) => {
    const more = { edit_item: { rev: 1, parts: ['x'] }, resolve_item: { outcome: 'posted' } }[name] ?? {}
    expect((await call(name, { id: 999_999, ...more })).error).toMatchObject({ code: 'not_found', retryable: false })
    expect((await call(name, { id: 1, network: 'x', ...more })).error).toMatchObject({ code: 'not_found' })
  })

  it('only the owner and operators with an item', async () => {
    const { data } = await call('propose_post', { kind: 'tweet', parts: ['Of nobody but ada.'] }, ada)
    const { id } = data
    for (const name of ['get_item', 'withdraw_item', 'verify_post']) {
      expect((await call(name, { id }, bob)).error).toMatchObject({ code: 'not_found' })
    }
    expect((await call('edit_item', { id, rev: 1, parts: ['Mine.'] }, bob)).error).toMatchObject({ code: 'not_found' })
    const listed = async (who: TestCallOptions) =>
      (await call('list_pending_approvals', {}, who)).data.map((item: { id: number }) => item.id)
    expect(await listed(bob)).toEqual([])
    expect(await listed(ada)).toEqual([id])
    expect(await listed(operator)).toContain(id)
    expect((await call('get_pending_count', {}, bob)).data).toEqual({ pending_count: 0 })
    expect((await call('get_item', { id }, ada)).success).toBe(true)
  })

  it('an unknown network with the one that was probably meant', async () => {
    expect((await call('get_stats', { network: 'blusky' })).error!.message).toMatch(/did you mean bluesky\?/)
  })
})

describe('two calls that are one', () => {
  const post = { kind: 'tweet', parts: ['The same words once more.'] }

  it('are the same item by equal content, where neither has a key', async () => {
    const first = await call('propose_post', post, bob)
    const second = await call('propose_post', post, bob)
    expect(first.data.replayed).toBe(false)
    expect(second.data).toEqual({ ...first.data, replayed: true })
  })

  it('are the same item by their key; with other arguments that is a conflict', async () => {
    const keyed = { ...post, parts: ['Words with a key of their own.'], idempotency_key: 'k' }
    const first = await call('propose_post', keyed, bob)
    expect((await call('propose_post', keyed, bob)).data).toEqual({ ...first.data, replayed: true })
    expect((await call('propose_post', { ...keyed, parts: ['Other.'] }, bob)).error).toMatchObject({ code: 'conflict' })
  })

  it('are two where tool or owner is another', async () => {
    expect((await call('compose_tweet', { topic: 'mail', idempotency_key: 'k' }, bob)).success).toBe(true)
    const other = await call('propose_post', { ...post, parts: ['Words of ada.'], idempotency_key: 'k' }, ada)
    expect(other.data.replayed).toBe(false)
  })

  it('are one draft: by key, else by equal text', async () => {
    const draft = async (args: object) => (await call('compose_tweet', { topic: 'locks', ...args }, bob)).data?.draft_id
    const first = await draft({ format: 'tip' })
    expect(await draft({ format: 'tip' })).toBe(first)
    expect(await draft({ format: 'question' })).not.toBe(first)
    const keyed = await draft({ format: 'tip', idempotency_key: 'd' })
    expect(keyed).not.toBe(first)
    expect(await draft({ format: 'tip', idempotency_key: 'd' })).toBe(keyed)
    const answer = await call('compose_tweet', { topic: 'keys', idempotency_key: 'd' }, bob)
    expect(answer.error).toMatchObject({ code: 'conflict' })
  })

  it.each([
    ['2026-03-02T12:00:00Z', false],
    ['2026-03-02T12:00:01Z', true],
    ['2027-03-03T12:00:00Z', true],
    ['2027-03-03T12:00:01Z', false],
    ['9999-12-31T23:59:59Z', false],
  ])('a time to publish: %s %s', async (scheduled_for, isTaken) => {
    const parts = [`Once at ${scheduled_for.replaceAll(/\D/g, ' and ')}.`]
    const { success } = await call('propose_post', { kind: 'tweet', parts, scheduled_for })
    expect(success).toBe(isTaken)
  })
})
