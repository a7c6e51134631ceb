import { describe, expect, it } from 'vitest'
import { ReplyPass, type ReplySource } from '../../src/autopilot/reply-pass.js'
import { failure } from '../../src/envelope/failure.js'
import type { NetworkPost } from '../../src/networks/network-adapter.js'
import { safetyProblem } from '../../src/policy/safety-checks.js'
import { FakeDiscoveredPosts } from '../support/fake-discovered-posts.js'
import { FakeNetwork, type FakeNetworkOptions } from '../support/fake-network.js'
import { FakeProposals } from '../support/fake-proposals.js'
import { FakeWriter } from '../support/fake-writer.js'
import { openTestFoundation } from '../support/test-foundation.js'

const never = new AbortController().signal
const sources = { search: 'search', mention: 'mention', target: 'target' } as const

async function open(config: object = {}, options: Partial<FakeNetworkOptions> = {}, random = () => 0.99) {
  const foundation = await openTestFoundation({
    config: {
      mode: 'autopilot',
      business: { product_name: 'Callboard', product_keywords: ['mcp'] },
      bluesky: { enabled: true },
      ...config,
    },
    random,
  })
  const network = new FakeNetwork({ clock: foundation.clock, ...options })
  const discovered = new FakeDiscoveredPosts(foundation)
  const writer = new FakeWriter()
  const proposals = new FakeProposals(foundation)
  const parts = {
    foundation,
    network,
    discovered,
    writer,
    proposals,
    safetyProblem,
    chooseTopic: async () => undefined,
  }
  const pass = new ReplyPass(parts)
  return {
    foundation,
    network,
    writer,
    proposals,
    pass,
    parts,
    /** Found by a loop of that source. */
    async find(post: Partial<NetworkPost>, source: ReplySource = 'search') {
      const found = network.add(post)
      const about = { network: network.name, source: sources[source], ownAccountId: network.own.id }
      await discovered.store(foundation.store.db, [found], about)
      return found
    },
    run: (source: ReplySource = 'search') => pass.run(source, never),
    log: () =>
      foundation.store.db.selectFrom('action_log').select(['action_type', 'status', 'message']).orderBy('id').execute(),
    [Symbol.asyncDispose]: () => foundation[Symbol.asyncDispose](),
  }
}

describe('a pass of the autopilot', () => {
  it('proposes one reply, to the best post, and nothing is published', async () => {
    await using all = await open()
    await all.find({ text: 'mcp 65' })
    const best = await all.find({ text: 'mcp 90', authorUsername: 'alice.example', root: { id: 'r', cid: 'c' } })
    await all.run()
    expect(all.writer.wishes).toHaveLength(1)
    expect(all.writer.wishes[0]).toMatchObject({
      kind: 'reply',
      text: 'mcp 90',
      author: 'alice.example',
      mentionProduct: false,
      principal: 'system:autopilot',
    })
    expect(all.proposals.proposed).toHaveLength(1)
    const { network: _, argumentsHash, ...proposal } = all.proposals.proposed[0]!
    expect(argumentsHash).toMatch(/^[0-9a-f]{64}$/)
    expect(proposal).toEqual({
      account: 'me.example',
      action: 'reply',
      parts: ['text 1.1'],
      target: {
        id: best.ref.id,
        cid: best.ref.cid,
        root: { id: 'r', cid: 'c' },
        url: best.url,
        authorId: best.authorId,
        author: 'alice.example',
        text: 'mcp 90',
        addressesUs: false,
      },
      archetype: 'ask_question',
      score: 90,
      generatedBy: 'llm',
      origin: 'autopilot',
      owner: 'system:autopilot',
      key: `reply:bluesky:${best.ref.id}`,
      isKeyGiven: true,
    })
    expect(all.proposals.woken).toBe(1)
    expect(all.network.published).toEqual([])
    expect(await all.log()).toEqual([
      { action_type: 'discovery_reply', status: 'success', message: 'Proposed a reply to @alice.example on bluesky.' },
    ])
  })

  it('goes on with the next best in the next pass, and proposes each post once', async () => {
    await using all = await open()
    for (const text of ['mcp 65', 'mcp 90', 'mcp 70']) await all.find({ text })
    for (let pass = 0; pass < 5; pass += 1) await all.run()
    expect(all.writer.wishes.map(({ text }) => text)).toEqual(['mcp 90', 'mcp 70', 'mcp 65'])
  })

  it('answers what its own loop found', async () => {
    await using all = await open()
    await all.find({ text: 'found 90' })
    await all.find({ text: 'mentions us 80', addressesUs: true }, 'mention')
    await all.run('mention')
    await all.run('target')
    expect(all.proposals.proposed.map(({ target }) => target)).toMatchObject([
      { text: 'mentions us 80', addressesUs: true },
    ])
    expect((await all.log()).map((row) => row.action_type)).toEqual(['mention_reply'])
  })

  it('takes a post that addresses us for a mention, though a search came upon it first', async () => {
    await using all = await open()
    await all.find({ text: 'mcp 80', addressesUs: true }, 'search')
    await all.run('search')
    expect(all.proposals.proposed).toEqual([])
    await all.run('mention')
    expect(all.proposals.proposed).toMatchObject([{ target: { text: 'mcp 80', addressesUs: true } }])
    expect((await all.log()).map((row) => row.action_type)).toEqual(['mention_reply'])
  })

  it('proposes one reply to an author while one waits', async () => {
    await using all = await open()
    for (const text of ['mcp 90', 'mcp 80']) await all.find({ text, authorUsername: 'alice.example' })
    await all.run()
    await all.run()
    expect(all.writer.wishes).toHaveLength(1)
  })

  it('does not come back to a post once a person has turned its reply down', async () => {
    await using all = await open()
    await all.find({ text: 'mcp 90' })
    await all.run()
    await all.foundation.store.db
      .updateTable('approval_queue')
      .set({ status: 'rejected', owner: 'agent:ada' })
      .execute()
    await all.run()
    expect(all.writer.wishes).toHaveLength(1)
  })
})

describe('the writer is not asked', () => {
  const asked = async (all: Awaited<ReturnType<typeof open>>, source?: ReplySource) => {
    await all.run(source)
    return all.writer.wishes.length
  }

  it('for a post below the threshold', async () => {
    await using all = await open()
    await all.find({ text: 'mcp 59' })
    expect(await asked(all)).toBe(0)
  })

  it('for a post that the network would not let us reply to', async () => {
    await using all = await open()
    await all.find({ text: 'mcp 90', replyRefusal: 'only those they mention' })
    expect(await asked(all)).toBe(0)
    await all.foundation.store.db.updateTable('discovered_posts').set({ reply_refusal: null }).execute()
    expect(await asked(all)).toBe(0)
  })

  it('for what was written more than a day ago', async () => {
    await using all = await open()
    await all.find({ text: 'mcp 90', postedAt: all.foundation.clock.now() - 24 * 60 * 60_000 - 1 })
    expect(await asked(all)).toBe(0)
  })

  it('for a post that breaks a rule; the next one has its turn', async () => {
    await using all = await open()
    const { foundation } = all
    await all.find({ text: 'mcp 90', authorUsername: 'me.example' })
    await all.find({ text: 'mcp 80' })
    expect(await asked(all)).toBe(1)
    expect(all.writer.wishes[0]!.text).toBe('mcp 80')
    expect(foundation.logged).toEqual([])
  })

  it('when the day has no reply left, with those that wait for a person', async () => {
    await using all = await open({ limits: { max_replies_per_day: 2 } })
    for (const text of ['mcp 90', 'mcp 80', 'mcp 70']) await all.find({ text })
    for (let pass = 0; pass < 4; pass += 1) await all.run()
    expect(all.writer.wishes).toHaveLength(2)
    // They expire, and nobody has used the quota.
    all.foundation.clock.advance(23 * 60 * 60_000)
    await all.find({ text: 'mcp 95' })
    all.foundation.clock.advance(60 * 60_000)
    await all.run()
    expect(all.writer.wishes).toHaveLength(3)
  })

  it('when the target accounts have had theirs', async () => {
    await using all = await open({ limits: { max_target_replies_per_day: 1 } })
    await all.find({ text: 'mcp 90' }, 'target')
    await all.find({ text: 'mcp 80' }, 'target')
    await all.run('target')
    await all.run('target')
    expect(all.writer.wishes.map(({ text }) => text)).toEqual(['mcp 90'])
    all.foundation.clock.advance(23 * 60 * 60_000)
    expect(await asked(all, 'target')).toBe(1)
  })

  it('on X, which forbids it', async () => {
    await using all = await open({}, { name: 'x' })
    await all.find({ text: 'mcp 90', addressesUs: true }, 'mention')
    expect(await asked(all, 'mention')).toBe(0)
  })

  it('where the account may not reply', async () => {
    await using all = await open({}, { capabilities: { canReply: false } })
    await all.find({ text: 'mcp 90' })
    expect(await asked(all)).toBe(0)
  })

  it('without a model where templates are off', async () => {
    await using all = await open({ llm: { templates: false } })
    all.writer.hasModel = false
    await all.find({ text: 'mcp 90' })
    expect(await asked(all)).toBe(0)
  })

  it('a second time for what was refused', async () => {
    await using all = await open()
    await all.find({ text: 'mcp 90' })
    all.proposals.failNext(failure('policy_denied_hard_rule', 'too much like an earlier post'))
    await all.run()
    await all.find({ text: 'mcp 80' })
    await all.run()
    expect(all.writer.wishes.map(({ text }) => text)).toEqual(['mcp 90', 'mcp 80'])
    expect(await all.log()).toMatchObject([
      {
        action_type: 'discovery_reply',
        status: 'skipped',
        message: 'No reply is proposed: too much like an earlier post',
      },
      { status: 'success' },
    ])
    expect(all.proposals.woken).toBe(1)
  })
})

describe('a failing model', () => {
  it('is an error of the loop, and the post is tried again', async () => {
    await using all = await open()
    await all.find({ text: 'mcp 90' })
    all.writer.failNext(failure('llm_error', 'overloaded', { retryable: true }))
    await expect(all.run()).rejects.toThrow('overloaded')
    await all.run()
    expect(all.proposals.proposed).toHaveLength(1)
  })

  it('that is not configured is one, too', async () => {
    await using all = await open()
    await all.find({ text: 'mcp 90' })
    all.writer.failNext(failure('llm_not_configured', 'no model'))
    await expect(all.run()).rejects.toThrow('no model')
    expect(await all.log()).toEqual([])
  })
})

describe('the product is named', () => {
  it('in the configured share of the replies', async () => {
    await using named = await open({}, {}, () => 0.19)
    await named.find({ text: 'mcp 90' })
    await named.run()
    expect(named.writer.wishes[0]).toMatchObject({ mentionProduct: true })
    await using unnamed = await open({}, {}, () => 0.2)
    await unnamed.find({ text: 'mcp 90' })
    await unnamed.run()
    expect(unnamed.writer.wishes[0]).toMatchObject({ mentionProduct: false })
  })

  it('never where a rule forbids it', async () => {
    await using all = await open({ limits: { banned_phrases: ['callboard'] } }, {}, () => 0)
    await all.find({ text: 'mcp 90' })
    await all.run()
    expect(all.writer.wishes[0]).toMatchObject({ mentionProduct: false })
  })

  it('never to a target account', async () => {
    await using all = await open({}, {}, () => 0)
    await all.find({ text: 'mcp 90' }, 'target')
    await all.run('target')
    expect(all.writer.wishes[0]).toMatchObject({ mentionProduct: false })
  })
})
