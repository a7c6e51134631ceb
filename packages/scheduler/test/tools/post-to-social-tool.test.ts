import { describeBothDatabases } from '@callboard/store/testing'
import { CallFailure, defineWorker, text } from '@callboard/worker'
import { connectForTest, type NestedCall, type TestLink } from '@callboard/worker/testing'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { SocialPosts } from '../../src/social/post-to-social.js'
import { postToSocialTool } from '../../src/tools/post-to-social-tool.js'
import type { AnsweringTool } from '../../src/tools/scheduler-tool.js'
import { openTestFoundation, type TestFoundation, type TestFoundationOptions } from '../support/test-foundation.js'

const tweet = { platform: 'twitter', text: 'Hello' }

describe('arguments', () => {
  const good = [
    { platform: 'twitter', text: 'a' },
    { platform: 'twitter', text: 'a', url: 'https://x.com/ada_1/status/123' },
    { platform: 'twitter', text: 'a', url: 'https://twitter.com/ada/status/123' },
    { platform: 'linkedin', text: 'a' },
    { platform: 'reddit', text: 'a', url: 'https://www.reddit.com/r/node/comments/abc12/some_title/' },
    { platform: 'reddit', text: 'a', url: 'https://redd.it/abc12' },
    { platform: 'reddit_dm', text: 'a', url: 'Ada_L-1' },
  ]
  it.each(good)('%j is taken', async (args) => {
    await using desk = await openDesk({ networks: ['linkedin', 'reddit', 'reddit_dm'] })
    expect(await desk.post(args)).toMatchObject({ code: 'APPROVAL_REQUIRED' })
  })

  const bad = [
    { platform: 'twitter', text: 'a', url: 'https://x.com/ada' },
    { platform: 'twitter', text: 'a', url: 'http://x.com/ada/status/1' },
    { platform: 'twitter', text: 'a', url: 'https://x.com.evil.example/ada/status/1' },
    { platform: 'linkedin', text: 'a', url: 'https://linkedin.com/x' },
    { platform: 'reddit', text: 'a' },
    { platform: 'reddit', text: 'a', url: 'http://www.reddit.com/r/node/comments/abc12/' },
    { platform: 'reddit', text: 'a', url: 'https://www.reddit.com/r/node/' },
    { platform: 'reddit', text: 'a', url: 'https://notreddit.com/r/node/comments/abc12/' },
    { platform: 'reddit', text: 'a', url: 'https://reddit.com@evil.example/r/node/comments/abc12/' },
    { platform: 'reddit_dm', text: 'a' },
    { platform: 'reddit_dm', text: 'a', url: 'u/ada' },
    { platform: 'reddit_dm', text: 'a', url: 'ab' },
  ]
  it.each(bad)('%j is refused, with the form that is accepted', async (args) => {
    await using desk = await openDesk()
    const refused = await desk.post(args)
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(/^url: /) })
    expect(desk.link.calls).toEqual([])
  })

  it('another platform or no text does not pass the schema', () => {
    const { input } = postToSocialTool({ submit: () => Promise.reject(new Error('called')) })
    const wrong = input.safeParse({ platform: 'myspace', text: 'a' })
    expect(wrong.error?.issues[0]?.message).toMatch(/twitter.*linkedin.*reddit.*reddit_dm/)
    expect(input.safeParse({ platform: 'twitter', text: '  ' }).success).toBe(false)
  })
})

describe('what is proposed', () => {
  it('a post of its own, and a reply', async () => {
    await using desk = await openDesk()
    await desk.post(tweet)
    await desk.post({ ...tweet, url: 'https://x.com/ada/status/1' })
    const proposals = desk.calls('propose_post')
    const key = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(proposals.map(({ args }) => args)).toEqual([
      { parts: ['Hello'], kind: 'tweet', network: 'x', idempotency_key: key },
      { parts: ['Hello'], kind: 'reply', reply_to: 'https://x.com/ada/status/1', network: 'x', idempotency_key: key },
    ])
    // Nested in the agent's own call, so the hub says on whose behalf it is.
    expect(proposals.every(({ parent, token }) => parent !== undefined && token === undefined)).toBe(true)
    expect(proposals.map(({ idempotencyKey }) => idempotencyKey)).toEqual(proposals.map(keyOf))
  })

  it('by the tool that the operator names', async () => {
    await using desk = await openDesk({ config: { social_post_tool: 'social_propose' } })
    await desk.post(tweet)
    expect(desk.calls('social_propose')).toHaveLength(1)
  })

  it('another key for another byte, group or platform', async () => {
    await using desk = await openDesk({ networks: ['linkedin'] })
    await desk.post(tweet)
    await desk.post({ ...tweet, text: 'Hello!' })
    await desk.post({ ...tweet, platform: 'linkedin' })
    await desk.post(tweet, 'main')
    expect(new Set(desk.calls('propose_post').map(keyOf)).size).toBe(4)
  })

  it('nothing on a network that the social worker does not list', async () => {
    await using desk = await openDesk({ networks: ['x', 'reddit'] })
    for (const args of [
      { platform: 'linkedin', text: 'a' },
      { platform: 'reddit_dm', text: 'a', url: 'ada' },
    ]) {
      expect(await desk.post(args)).toMatchObject({ code: 'UNSUPPORTED' })
    }
    expect(desk.calls('propose_post')).toEqual([])
    await desk.post({ platform: 'reddit', text: 'a', url: 'https://redd.it/abc' })
    expect(desk.calls('propose_post')).toMatchObject([{ args: { network: 'reddit', reply_to: 'https://redd.it/abc' } }])
  })
})

describe('what goes wrong', () => {
  it('without a social worker: NOT_CONFIGURED, and UNSUPPORTED for what it would not have', async () => {
    await using desk = await openDesk({ stubs: {} })
    expect(await desk.post(tweet)).toMatchObject({ code: 'NOT_CONFIGURED' })
    expect(await desk.post({ platform: 'linkedin', text: 'a' })).toMatchObject({ code: 'UNSUPPORTED' })
  })

  const refusals = [
    ['tweet_too_long', 'INVALID_ARGUMENT'],
    ['network_not_configured', 'NOT_CONFIGURED'],
    ['policy_denied_hard_rule', 'FORBIDDEN'],
    ['duplicate_content', 'CONFLICT'],
    ['policy_denied_rate_limited', 'RATE_LIMITED'],
    ['db_error', 'UPSTREAM_ERROR'],
  ] as const
  it.each(refusals)('its %s is %s, and the next call may try again', async (code, expected) => {
    let isRefused = true
    const social = new Social()
    await using desk = await openDesk({
      stubs: {
        ...social.stubs(),
        propose_post: (args) => (isRefused ? failed(code) : social.propose(args)),
      },
    })
    expect(await desk.post(tweet)).toMatchObject({ code: expected, details: { social_code: code } })
    isRefused = false
    expect(await desk.post(tweet)).toMatchObject({ code: 'APPROVAL_REQUIRED' })
  })

  it('an answer that is none', async () => {
    await using desk = await openDesk({ stubs: { propose_post: () => ({ hello: 1 }) } })
    expect(await desk.post(tweet)).toMatchObject({ code: 'UPSTREAM_ERROR' })
  })
})

describeBothDatabases('a later identical call', (database) => {
  const open = async (options: Omit<DeskOptions, 'location'> = {}) =>
    openDesk({ ...options, location: await database.create() })

  it('reports the item and proposes no second one, whatever became of it', async () => {
    const social = new Social()
    await using desk = await open({ stubs: social.stubs() })
    const required = { code: 'APPROVAL_REQUIRED', details: { approval_id: 1 } }
    expect(await desk.post(tweet)).toMatchObject(required)
    expect(await desk.post(tweet)).toMatchObject(required)
    const told: unknown[] = []
    for (const status of ['approved', 'publishing', 'unknown', 'posted'] as const) {
      social.change(1, { status })
      told.push(await desk.post(tweet))
    }
    const permalink = 'https://x.com/acme/status/9'
    const item = { approval_id: 1, account: '@acme' }
    expect(told).toMatchObject([
      { status: 'queued', ...item },
      { status: 'queued', ...item },
      { status: 'unverified', ...item, reason: 'it was sent, and no answer came back' },
      { status: 'posted', ...item, permalink },
    ])
    expect(desk.texts.at(-2)).toMatch(/do not report it as posted/)
    expect(desk.texts.at(-1)).toBe(`Posted: ${permalink}.`)
    expect(desk.calls('propose_post')).toHaveLength(1)
  })

  it.each(['rejected', 'withdrawn', 'expired', 'failed'] as const)('tells that it was %s, and why', async (status) => {
    const social = new Social()
    await using desk = await open({ stubs: social.stubs() })
    await desk.post(tweet)
    social.change(1, { status, reason: 'off topic' })
    expect(await desk.post(tweet)).toMatchObject({
      status: 'failed',
      approval_id: 1,
      reason: expect.stringMatching(/: off topic$/),
    })
    expect(desk.calls('propose_post')).toHaveLength(1)
  })

  it('reports the last known state when the item can not be read', async () => {
    const social = new Social()
    await using desk = await open({ stubs: social.stubs() })
    await desk.post(tweet)
    social.isSilent = true
    expect(await desk.post(tweet)).toMatchObject({ code: 'APPROVAL_REQUIRED', details: { approval_id: 1 } })
    social.isSilent = false
    social.change(1, { status: 'posted' })
    await desk.post(tweet)
    social.isSilent = true
    expect(await desk.post(tweet)).toMatchObject({ status: 'posted', permalink: 'https://x.com/acme/status/9' })
  })

  it('with approval off says that it is on its way, and from which account', async () => {
    const social = new Social({ status: 'approved' })
    await using desk = await open({ stubs: social.stubs() })
    expect(await desk.post(tweet)).toMatchObject({ status: 'queued', account: '@acme', approval_id: 1 })
  })

  it('that races the first finds the same item', async () => {
    const social = new Social()
    await using desk = await open({ stubs: social.stubs() })
    const both = await Promise.all([desk.post(tweet), desk.post(tweet)])
    expect(both).toMatchObject(Array(2).fill({ code: 'APPROVAL_REQUIRED', details: { approval_id: 1 } }))
    expect(social.items.size).toBe(1)
    expect(await desk.rows()).toEqual([['1', 'pending']])
  })

  it('of another agent of the group waits for the first one, and takes over from one that died', async () => {
    const social = new Social()
    let isDead = true
    const stubs = social.stubs()
    const dying = { ...stubs, propose_post: (args: Args) => (isDead ? gone() : social.propose(args)) }
    await using desk = await open({ stubs: dying })
    expect(await desk.post(tweet, 'lab', 'agent:ada')).toMatchObject({ code: 'UPSTREAM_ERROR' })
    isDead = false
    expect(await desk.post(tweet, 'lab', 'agent:bob')).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 180_000 })
    desk.foundation.clock.advance(180_000)
    expect(await desk.post(tweet, 'lab', 'agent:bob')).toMatchObject({ code: 'APPROVAL_REQUIRED' })
  })

  it('after a death between proposing and storing finds the item by its key, as it is now', async () => {
    const social = new Social()
    let isDying = true
    const stubs = social.stubs()
    const dying = {
      ...stubs,
      propose_post: (args: Args) => {
        const answer = social.propose(args)
        return isDying ? gone() : answer
      },
    }
    await using desk = await open({ stubs: dying })
    expect(await desk.post(tweet)).toMatchObject({ code: 'UPSTREAM_ERROR' })
    expect(await desk.rows()).toEqual([[null, 'proposing']])
    isDying = false
    social.change(1, { status: 'posted' })
    expect(await desk.post(tweet)).toMatchObject({ status: 'posted', approval_id: 1 })
    expect(social.items.size).toBe(1)
  })

  it('leaves a line in the activity log only when there is news', async () => {
    const social = new Social()
    await using desk = await open({ stubs: social.stubs() })
    await desk.post(tweet)
    await desk.post(tweet)
    social.change(1, { status: 'posted' })
    await desk.post(tweet)
    await desk.post(tweet)
    const rows = await desk.foundation.store.db
      .selectFrom('activity')
      .select(['event_type', 'summary'])
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { event_type: 'social_post', summary: 'twitter: item 1 is pending' },
      { event_type: 'social_post', summary: 'twitter: item 1 is posted' },
    ])
  })
})

type Args = { readonly [key: string]: unknown }

const keyOf = ({ args }: Pick<NestedCall, 'args'>) => args['idempotency_key']

const ok = (data: object) => answered({ success: true, data, meta: { tool_version: '1.0', elapsed_ms: 1 } })

const failed = (code: string) =>
  answered({ success: false, data: null, error: { code, message: `It is ${code}.`, retryable: false } }, true)

const answered = (envelope: object, isError = false) => ({
  content: [text(JSON.stringify(envelope))],
  structuredContent: envelope,
  isError,
})

const gone = (): never => {
  throw new CallFailure('outcome_unknown', 'The worker was lost.')
}

interface SocialItem {
  readonly id: number
  readonly status: string
  readonly reason?: string
}

/** Plays the social worker: one item for each key, published on `acme`. */
class Social {
  readonly items = new Map<unknown, SocialItem>()
  isSilent = false
  readonly #first: { readonly status: string }

  constructor(first = { status: 'pending' }) {
    this.#first = first
  }

  stubs(networks: readonly string[] = []) {
    return {
      propose_post: (args: Args) => this.propose(args),
      get_item: ({ id }: Args) => (this.isSilent ? gone() : this.#get(Number(id))),
      get_capabilities: () => ok({ networks: networks.map((network) => ({ network, limit: 280 })) }),
    }
  }

  propose(args: Args) {
    const key = args['idempotency_key']
    const replayed = this.items.has(key)
    const item = this.items.get(key) ?? { id: this.items.size + 1, ...this.#first }
    this.items.set(key, item)
    // A repeated answer is the first one.
    return ok({ id: item.id, ...this.#first, rev: 1, content_hash: 'ab', expires_at: null, replayed })
  }

  change(id: number, changes: Partial<SocialItem>): void {
    for (const [key, item] of this.items) if (item.id === id) this.items.set(key, { ...item, ...changes })
  }

  #get(id: number) {
    const item = [...this.items.values()].find((each) => each.id === id)
    if (item === undefined) return failed('not_found')
    const url = item.status === 'posted' ? 'https://x.com/acme/status/9' : null
    const outbox = item.status === 'pending' ? null : { status: item.status, last_error: null, parts: [{ url }] }
    return ok({ ...item, account: '@acme', network: 'x', rev: 1, revisions: [], outbox })
  }
}

interface DeskOptions {
  readonly config?: object
  readonly networks?: readonly string[]
  readonly stubs?: NonNullable<Parameters<typeof connectForTest>[1]>['calls']
  readonly location?: TestFoundationOptions['location']
}

interface Desk extends AsyncDisposable {
  readonly link: TestLink
  readonly foundation: TestFoundation
  readonly texts: readonly string[]
  /** The value, or the refusal. */
  post(args: Args, group?: string, principal?: string): Promise<unknown>
  calls(tool: string): readonly NestedCall[]
  rows(): Promise<unknown>
}

/** The tool, in a worker that a hub of the test knows, with a social worker that is a stub. */
async function openDesk({ config = {}, networks = [], stubs, location }: DeskOptions = {}): Promise<Desk> {
  const foundation = await openTestFoundation({ config, ...(location !== undefined && { location }) })
  const tool = postToSocialTool(new SocialPosts(foundation)) as AnsweringTool<z.ZodObject, z.ZodObject>
  const texts: string[] = []
  const answers: unknown[] = []
  const worker = defineWorker({ service: 'scheduler', version: '1.0.0' })
  worker.tool(tool.name, { description: tool.description, input: tool.input }, async (input, context) => {
    const group = foundation.groups.byFolder(context.caller.group!)!
    const { principal } = context.caller
    const actor = { principal, group, isAdmin: group.isAdmin, isOperator: false, triggerDepth: 0 }
    const told = await tool.answer(input as never, actor, context).then(
      (reply) => {
        texts.push(reply.text)
        return tool.output.parse(reply.value)
      },
      (error: unknown) => error,
    )
    return { answer: answers.push(told) - 1 }
  })
  const social = stubs ?? new Social().stubs(networks)
  const named = foundation.config.social_post_tool
  const calls = 'propose_post' in social ? { ...social, [named]: social['propose_post']! } : social
  const link = await connectForTest(worker, { calls })
  return {
    link,
    foundation,
    texts,
    async post(args, group = 'lab', principal = `agent:${group}`) {
      const { structuredContent } = await link.callTool<{ answer: number }>(tool.name, args, { group, principal })
      return answers[structuredContent!.answer]
    },
    calls: (name) => link.calls.filter((call) => call.name === name),
    async rows() {
      const rows = await foundation.store.db.selectFrom('social_items').select(['item_id', 'state']).execute()
      return rows.map(({ item_id, state }) => [item_id, state])
    },
    async [Symbol.asyncDispose]() {
      await link.close()
      await foundation[Symbol.asyncDispose]()
    },
  }
}
