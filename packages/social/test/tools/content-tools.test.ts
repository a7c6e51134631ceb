import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { formats } from '../../src/content/content-writer.js'
import type { Networks } from '../../src/networks/networks.js'
import { composeTweetTool } from '../../src/tools/compose-tweet-tool.js'
import { generateReplyTool } from '../../src/tools/generate-reply-tool.js'
import { generateThreadTool } from '../../src/tools/generate-thread-tool.js'
import { generateTweetTool } from '../../src/tools/generate-tweet-tool.js'
import { suggestTopicsTool } from '../../src/tools/suggest-topics-tool.js'
import { type CallTool, operator, serveForTest } from '../support/call-tool.js'
import { type ContentRig, openContentRig } from '../support/content-rig.js'
import { plainNetworks } from '../support/plain-network.js'

let rig: ContentRig
const networks: Networks = plainNetworks('local', 'x', 'mastodon')

beforeAll(async () => {
  rig = await openContentRig()
})
afterAll(() => rig[Symbol.asyncDispose]())
beforeEach(async () => {
  // Each connection counts its calls anew, and a call's id is its key where none is given.
  await rig.foundation.store.db.deleteFrom('call_replies').execute()
  rig.server.forget()
  rig.server.answers('A sentence.')
})

/** With the model, or with another section `social`. */
async function served(config?: {
  readonly llm?: object
}): Promise<{ call: CallTool; list: () => Promise<readonly unknown[]> }> {
  const writer = config === undefined ? rig.writer : rig.writerFor(config)
  const parts = { writer, networks, clock: rig.foundation.clock }
  const tools = [
    generateReplyTool(parts),
    generateTweetTool(parts),
    generateThreadTool(parts),
    composeTweetTool(parts),
    suggestTopicsTool({ foundation: rig.foundation, networks }),
  ]
  const { call } = await serveForTest(tools, rig.foundation)
  return { call, list: async () => tools }
}

const templates = { llm: { provider: 'none' } }
const drafts = () => rig.foundation.store.db.selectFrom('drafts').selectAll().orderBy('id').execute()

describe('generate_reply', () => {
  const args = { tweet_text: 'Too much mail.', tweet_author: 'bob' }

  it('gives the text, its length there, and where it comes from', async () => {
    const { call } = await served()
    rig.server.answers('Let it wait, 待.')
    expect(await call('generate_reply', { ...args, network: 'x' })).toMatchObject({
      success: true,
      data: {
        reply: 'Let it wait, 待.',
        char_count: 16,
        network: 'x',
        limit: 280,
        unit: 'weighted characters',
        generated_by: 'llm',
        warnings: [],
      },
    })
  })

  it('says when it is about the built-in network, and records who asked', async () => {
    const { call } = await served()
    const { data, meta } = await call('generate_reply', args)
    expect([data.network, meta.provider_backend]).toEqual(['local', 'local'])
    const { principal } = await rig.foundation.store.db
      .selectFrom('llm_usage')
      .select('principal')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(principal).toBe('agent:ada')
  })

  it('hands on what the model failed with', async () => {
    const { call } = await served()
    rig.server.answers({ kind: 'error', status: 529 })
    expect(await call('generate_reply', args)).toMatchObject({
      success: false,
      data: null,
      error: { code: 'llm_error', retryable: true, retry_after_ms: 30_000, details: { status: 529 } },
    })
  })

  it.each([
    [{ tweet_text: '', tweet_author: 'bob' }, 'tweet_text: must not be empty'],
    [{ tweet_text: ' \n ', tweet_author: 'bob' }, 'tweet_text: must not be blank'],
    [{ tweet_text: 'x'.repeat(10_001), tweet_author: 'bob' }, 'tweet_text: must have at most 10000 characters'],
    [{ tweet_text: 'x', tweet_author: 'b'.repeat(257) }, 'tweet_author: must have at most 256 characters'],
    [{ tweet_text: 'x' }, 'tweet_author: required'],
    [{ ...args, mention_product: 'yes' }, 'mention_product: must be true or false'],
    [
      { ...args, archetype: 'add_date' },
      'archetype: must be one of agree_and_expand, ask_question, share_experience, add_data, respectful_disagree (did you mean add_data?)',
    ],
    [{ ...args, network: 'blusky' }, 'network: must be one of bluesky, mastodon, x, local (did you mean bluesky?)'],
    [{ ...args, tone: 'kind' }, 'tone: there is no such parameter'],
  ])('refuses %j', async (given, words) => {
    const { call } = await served()
    const { error } = await call('generate_reply', given)
    expect(error).toMatchObject({ code: 'validation_error', retryable: false, message: expect.stringContaining(words) })
    expect(rig.server.questions).toHaveLength(0)
  })

  it('refuses a network that is switched off', async () => {
    const { call } = await served()
    expect(await call('generate_reply', { ...args, network: 'bluesky' })).toMatchObject({
      error: { code: 'network_not_configured' },
    })
  })
})

describe('generate_tweet', () => {
  it('needs nothing to be said', async () => {
    const { call } = await served(templates)
    const { data } = await call('generate_tweet')
    expect(data).toMatchObject({ network: 'local', limit: 500, unit: 'characters', generated_by: 'template' })
    expect(data.char_count).toBe(data.tweet.length)
  })

  it('asks the model once', async () => {
    const { call } = await served()
    expect(await call('generate_tweet', { topic: 'mail', format: 'list' })).toMatchObject({
      data: { tweet: 'A sentence.' },
    })
    expect(rig.server.questions).toHaveLength(1)
  })

  it.each([[' '], ['\u200b\u202e'], ['x'.repeat(201)]])('refuses the topic %j', async (topic) => {
    const { call } = await served()
    expect(await call('generate_tweet', { topic })).toMatchObject({ error: { code: 'validation_error' } })
  })

  it('is llm_not_configured only without a model and without templates', async () => {
    const { call } = await served({ llm: { provider: 'none', templates: false } })
    expect(await call('generate_tweet')).toMatchObject({ error: { code: 'llm_not_configured', retryable: false } })
    const { call: withModel } = await served({ llm: { templates: false } })
    expect(await withModel('generate_tweet')).toMatchObject({ data: { generated_by: 'llm' } })
  })
})

describe('generate_thread', () => {
  it('gives the parts and their lengths', async () => {
    const { call } = await served(templates)
    const { data } = await call('generate_thread', { topic: 'mail', structure: 'mistakes', parts: 7, network: 'x' })
    expect(data).toMatchObject({ tweet_count: 7, generated_by: 'template', limit: 280 })
    expect(data.char_counts).toEqual(data.thread.map((part: string) => part.length))
  })

  it.each([[4], [9], [5.5]])('refuses %d parts', async (parts) => {
    const { call } = await served(templates)
    expect(await call('generate_thread', { parts })).toMatchObject({ error: { code: 'validation_error' } })
  })

  it('refuses a structure that there is not', async () => {
    const { call } = await served(templates)
    const { error } = await call('generate_thread', { structure: 'mistake' })
    expect(error!.message).toContain('(did you mean mistakes?)')
  })
})

describe('compose_tweet', () => {
  it('keeps a draft of its owner and publishes nothing', async () => {
    const { call } = await served()
    const { data } = await call('compose_tweet', { topic: ' mail ', format: 'tip', network: 'x' }, operator)
    expect(data).toMatchObject({ tweet: 'A sentence.', char_count: 11, topic: 'mail', format: 'tip', network: 'x' })
    expect((await drafts()).at(-1)).toMatchObject({
      id: data.draft_id,
      network: 'x',
      kind: 'tweet',
      parts: '["A sentence."]',
      topic: 'mail',
      format: 'tip',
      generated_by: 'llm',
      owner: 'operator:root',
      created_at: rig.foundation.clock.now(),
    })
    expect(await rig.foundation.store.db.selectFrom('approval_queue').selectAll().execute()).toEqual([])
  })

  it('says which format was chosen', async () => {
    const { call } = await served(templates)
    const { data } = await call('compose_tweet', { topic: 'mail' }, operator)
    expect(formats).toContain(data.format)
  })

  it('asks the model twice at most, and keeps nothing when it fails', async () => {
    const { call } = await served()
    const before = (await drafts()).length
    rig.server.answers('')
    expect(await call('compose_tweet', { topic: 'mail' }, operator)).toMatchObject({ error: { code: 'llm_error' } })
    expect(rig.server.questions).toHaveLength(2)
    expect(await drafts()).toHaveLength(before)
  })

  it('answers a repeat of the call without another draft or another question', async () => {
    const { call } = await served()
    const again = { ...operator, idempotencyKey: 'once' }
    const before = (await drafts()).length
    const first = await call('compose_tweet', { topic: 'mail' }, again)
    const second = await call('compose_tweet', { topic: 'mail' }, again)
    expect(second.data).toEqual(first.data)
    expect(rig.server.questions).toHaveLength(1)
    expect(await drafts()).toHaveLength(before + 1)
    expect(await call('compose_tweet', { topic: 'tea' }, again)).toMatchObject({ error: { code: 'conflict' } })
  })

  it.each([
    [{}, 'topic: required'],
    [
      { topic: 'mail', format: 'tips' },
      'format: must be one of list, contrarian_take, most_people_think_x, storytelling, before_after, question, tip (did you mean tip?)',
    ],
  ])('refuses %j', async (given, words) => {
    const { call } = await served()
    const { error } = await call('compose_tweet', given, operator)
    expect(error).toMatchObject({ code: 'validation_error', message: expect.stringContaining(words) })
  })
})

describe('suggest_topics', () => {
  it('is never empty', async () => {
    const { call } = await served()
    const { data, meta } = await call('suggest_topics', { network: 'mastodon' })
    expect(data).toHaveLength(9)
    expect(data[0]).toEqual({
      topic: 'open networks',
      score: 50,
      source: 'profile',
      samples: 0,
      reason: expect.stringContaining('industry topics'),
    })
    expect(meta).not.toHaveProperty('provider_backend')
  })

  it('gives as many as are wanted', async () => {
    const { call } = await served()
    expect((await call('suggest_topics', { count: 2 })).data).toHaveLength(2)
    expect((await call('suggest_topics', { count: 26 })).error!.code).toBe('validation_error')
    expect((await call('suggest_topics', { count: 0 })).error!.code).toBe('validation_error')
  })
})

describe('the marks', () => {
  it('promise what the tools do', async () => {
    const { list } = await served()
    const marks = (await list()).map((tool) => {
      const { name, marks, timeoutMs } = tool as { name: string; marks: object; timeoutMs?: number }
      return [name, marks, timeoutMs]
    })
    const generates = { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true }
    expect(marks).toEqual([
      ['generate_reply', generates, 90_000],
      ['generate_tweet', generates, 90_000],
      ['generate_thread', generates, 180_000],
      ['compose_tweet', { ...generates, readOnlyHint: false }, 90_000],
      ['suggest_topics', { ...generates, idempotentHint: true, openWorldHint: false }, undefined],
    ])
  })
})
