import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import type { SocialFailure } from '../../src/envelope/failure.js'
import { settle, take } from '../../src/ledger/rate-ledger.js'
import { type Candidate, type ReplyTarget, safetyProblem } from '../../src/policy/safety-checks.js'
import type { ItemStatus } from '../../src/records/schema.js'
import { addItem, type GivenItem } from '../support/add-item.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const outgoing: readonly ItemStatus[] = ['approved', 'scheduled', 'publishing', 'posted', 'unknown']
const over: readonly ItemStatus[] = ['rejected', 'withdrawn', 'expired', 'failed']

const target: ReplyTarget = {
  id: 'post-1',
  url: 'local:post-1',
  authorId: 'a-1',
  author: 'grace',
  text: 'What do you think?',
  addressesUs: true,
}

let foundation: TestFoundation
let now: number

beforeEach(async () => {
  foundation = await openTestFoundation()
  now = foundation.clock.now()
})
afterEach(() => foundation[Symbol.asyncDispose]())

const db = () => foundation.store.db
const add = (given: GivenItem, at = now) => addItem(db(), at, given)

function check(candidate: Partial<Candidate>, config: object = {}): Promise<SocialFailure | undefined> {
  const action = candidate.target === undefined ? 'tweet' : 'reply'
  const whole: Candidate = {
    network: 'local',
    account: 'you',
    action,
    parts: ['Something new.'],
    at: now,
    ...candidate,
  }
  return safetyProblem(db(), whole, parseSocialConfig(config))
}

async function ruleBroken(candidate: Partial<Candidate>, config: object = {}): Promise<unknown> {
  const problem = await check(candidate, config)
  return problem?.options.details?.['rule']
}

/** A reply of ours to that author that went out, or is to, at that time. */
async function replied(
  authorId: string,
  at: number,
  state?: 'used' | 'refunded',
): Promise<{ id: number; outboxId: number }> {
  const item = await add({ target: { ...target, id: `other ${authorId} ${at}`, authorId }, status: 'scheduled' })
  const event = { action: 'reply', network: 'local', authorId, outboxId: item.outboxId, at } as const
  await foundation.store.transaction((tx) => take(tx, event, { action: 'reply', max: 1_000, windowMs: day }, at))
  if (state !== undefined) await settle(db(), item.outboxId, state, at)
  return item
}

describe('what breaks no rule', () => {
  it('is let through, as post, thread and reply', async () => {
    expect(await check({})).toBeUndefined()
    expect(await check({ action: 'thread', parts: ['One of them.', 'Another of them.'] })).toBeUndefined()
    expect(await check({ target })).toBeUndefined()
  })
})

describe('every refusal', () => {
  it('says that it was denied, by which rule, and where', async () => {
    const problem = await check({ parts: ['Buy now'] }, { limits: { banned_phrases: ['buy now'] } })
    expect(problem).toMatchObject({ code: 'policy_denied_hard_rule', retryable: false })
    expect(problem?.options).toMatchObject({
      policyDecision: 'denied',
      details: { rule: 'banned_phrase', network: 'local', phrase: 'buy now' },
    })
  })
})

describe('reply permission', () => {
  it('is the network’s, in its words', async () => {
    const problem = await check({ target: { ...target, refusal: 'its author let only followers reply.' } })
    expect(problem).toMatchObject({
      code: 'reply_not_allowed',
      message: 'local would not take this reply: its author let only followers reply.',
    })
    expect(problem?.options).toMatchObject({ policyDecision: 'denied', details: { rule: 'reply_permission' } })
  })
})

describe('our own post', () => {
  it.each(['you', '@You', 'YOU'])('is not replied to: by its author %s', async (author) => {
    expect(await ruleBroken({ target: { ...target, author } })).toBe('own_post')
  })

  it('is known by its id, too, on its network', async () => {
    const { id } = await add({ status: 'posted' })
    const own = { ...target, id: `remote-${id}-0` }
    expect(await ruleBroken({ target: own })).toBe('own_post')
    expect(await ruleBroken({ target: own, network: 'bluesky' })).toBeUndefined()
  })

  it('is not that of somebody with a longer name', async () => {
    expect(await check({ target: { ...target, author: 'you2' } })).toBeUndefined()
  })
})

describe('a post that has our reply', () => {
  it.each(outgoing)('is not replied to again: an item is %s', async (status) => {
    const { id } = await add({ target, status })
    const problem = await check({ target })
    expect(problem?.options.details).toMatchObject({ rule: 'already_replied', item_id: id, status })
    expect(await check({ target, network: 'bluesky' }), 'elsewhere it is another post').toBeUndefined()
    expect(await check({ target: { ...target, id: 'post-2', authorId: 'a-2' } })).toBeUndefined()
  })

  it.each(over)('may be replied to when that item is %s', async (status) => {
    await add({ target, status })
    expect(await check({ target })).toBeUndefined()
  })

  it('may get one that waits beside another: each of them can be approved', async () => {
    const one = await add({ target, status: 'pending', text: 'Yes, of course.' })
    const other = await add({ target, status: 'pending', text: 'Not at all.' })
    expect(await check({ target, itemId: one.id })).toBeUndefined()
    expect(await check({ target, itemId: other.id })).toBeUndefined()
  })

  it('does not stand in the way of the very item', async () => {
    const { id } = await add({ target, status: 'publishing' })
    expect(await check({ target, itemId: id })).toBeUndefined()
  })

  it('is known from the feed when the item has been forgotten', async () => {
    await db()
      .insertInto('discovered_posts')
      .values({
        network: 'local',
        remote_id: target.id,
        url: target.url,
        author_id: target.authorId,
        author_username: target.author,
        content: target.text,
        posted_at: now,
        likes: 0,
        reposts: 0,
        replies: 0,
        has_media: 0,
        is_quote: 0,
        source: 'search',
        matched_keywords: '[]',
        base_score: 1,
        score: 1,
        scoring_version: '1',
        discovered_at: now,
        replied_to: 1,
        addresses_us: 0,
        can_reply: 1,
      })
      .execute()
    expect(await ruleBroken({ target })).toBe('already_replied')
  })
})

describe('replies to one author', () => {
  it('are one in 24 hours, before and behind', async () => {
    await replied('a-1', now)
    const problem = await check({ target, at: now + day - 1 })
    expect(problem?.options.details).toMatchObject({
      rule: 'replies_to_author',
      max: 1,
      next_free_at: '2026-03-03T12:00:00.000Z',
    })
    expect(problem?.message).toBe(
      'At most 1 reply to @grace in 24 hours (social.limits.max_replies_per_author_per_day); ' +
        'the next one may be sent at 2026-03-03T12:00:00.000Z or later.',
    )
    expect(await check({ target, at: now + day })).toBeUndefined()
    expect(await ruleBroken({ target, at: now - day + 1 })).toBe('replies_to_author')
    expect(await check({ target, at: now - day })).toBeUndefined()
  })

  it('count whether reserved or used, and not when refunded', async () => {
    await replied('a-1', now, 'refunded')
    expect(await check({ target })).toBeUndefined()
    await replied('a-1', now, 'used')
    expect(await ruleBroken({ target })).toBe('replies_to_author')
  })

  it('may be as many as the configuration says; none, if 0', async () => {
    const config = { limits: { max_replies_per_author_per_day: 2 } }
    await replied('a-1', now - 2)
    expect(await check({ target }, config)).toBeUndefined()
    await replied('a-1', now - 1)
    expect(await ruleBroken({ target }, config)).toBe('replies_to_author')
    const none = await check(
      { target: { ...target, authorId: 'a-9' } },
      { limits: { max_replies_per_author_per_day: 0 } },
    )
    expect(none?.message).toContain('switched them off')
  })

  it('do not count the item itself, which has its reservation when it is sent', async () => {
    const { id } = await replied('a-1', now)
    expect(await check({ target, itemId: id })).toBeUndefined()
  })

  it('are counted by author and network', async () => {
    await replied('a-2', now)
    expect(await check({ target })).toBeUndefined()
    await replied('a-1', now)
    expect(await check({ target, network: 'bluesky' })).toBeUndefined()
  })
})

describe('replies to target accounts', () => {
  const config = { limits: { max_target_replies_per_day: 2 }, targets: { accounts: ['@Grace'] } }

  beforeEach(async () => {
    for (const account_id of ['t-1', 't-2', 'a-1']) {
      await db()
        .insertInto('targets')
        .values({
          network: 'local',
          account_id,
          username: account_id === 'a-1' ? 'grace' : account_id,
          total_replies_sent: 0,
          status: 'active',
        })
        .execute()
    }
  })

  it('share one limit, of 24 hours', async () => {
    await replied('t-1', now)
    expect(await check({ target }, config)).toBeUndefined()
    await replied('t-2', now + hour)
    expect(await ruleBroken({ target, at: now + hour }, config)).toBe('replies_to_targets')
    expect(await check({ target, at: now + day }, config)).toBeUndefined()
  })

  it('are known by the configured name before an id is', async () => {
    await db().deleteFrom('targets').where('account_id', '=', 'a-1').execute()
    await replied('t-1', now)
    await replied('t-2', now)
    expect(await ruleBroken({ target }, config)).toBe('replies_to_targets')
    expect(await ruleBroken({ target }, { ...config, targets: { accounts: [] } })).toBeUndefined()
  })

  it.each([
    [['local:@Grace'], 'replies_to_targets'],
    [['local:a-1'], 'replies_to_targets'],
    [['bluesky:grace'], undefined],
  ])('are configured for one network: %j', async (accounts, rule) => {
    await db().deleteFrom('targets').where('account_id', '=', 'a-1').execute()
    await replied('t-1', now)
    await replied('t-2', now)
    const account = { handle: 'you.example', app_password: 'app-password' }
    const networks = { local: { enabled: true }, bluesky: { enabled: true, ...account } }
    const business = { product_name: 'Callboard', product_keywords: ['mcp'] }
    expect(await ruleBroken({ target }, { ...config, ...networks, business, targets: { accounts } })).toBe(rule)
  })

  it('do not count for anybody else', async () => {
    await replied('t-1', now)
    await replied('t-2', now)
    expect(await check({ target: { ...target, authorId: 'x', author: 'x' } }, config)).toBeUndefined()
  })
})

describe('banned phrases', () => {
  const config = { limits: { banned_phrases: ['guaranteed returns'] } }

  it('are found in every part, however written', async () => {
    const parts = ['A harmless start.', 'With GUARANTEED\u200B  returns!']
    expect(await ruleBroken({ action: 'thread', parts }, config)).toBe('banned_phrase')
  })

  it('are whole words', async () => {
    expect(await check({ parts: ['Unguaranteed returns'] }, config)).toBeUndefined()
  })
})

describe('the same content', () => {
  const said = { text: 'Hello  World' }

  it.each(outgoing)('is refused within five minutes of an item that is %s', async (status) => {
    const { id } = await add({ ...said, status })
    const problem = await check({ parts: ['hello world'], at: now + 5 * minute - 1 })
    expect(problem).toMatchObject({ code: 'duplicate_content', retryable: false })
    expect(problem?.options).toMatchObject({
      policyDecision: 'denied',
      details: { rule: 'duplicate_content', item_id: id },
    })
    expect(await ruleBroken({ parts: ['hello world'], at: now + 5 * minute })).not.toBe('duplicate_content')
    expect(await ruleBroken({ parts: ['hello world'], at: now - 5 * minute })).not.toBe('duplicate_content')
  })

  it('is measured by when it was sent, rather than when it was due or written', async () => {
    await add({ ...said, status: 'posted', sentAt: now + hour })
    expect(await ruleBroken({ parts: ['hello world'] })).toBe('similarity')
    expect(await ruleBroken({ parts: ['hello world'], at: now + hour })).toBe('duplicate_content')
  })

  it('is refused beside one that waits, but neither of two that wait is when it is approved', async () => {
    const one = await add(said)
    const other = await add(said)
    expect(await ruleBroken({ parts: ['Hello World'] })).toBe('duplicate_content')
    expect(await check({ parts: ['Hello World'], itemId: one.id })).toBeUndefined()
    expect(await check({ parts: ['Hello World'], itemId: other.id })).toBeUndefined()
    expect(await check({ parts: ['Hello World'], at: now + 5 * minute })).toBeUndefined()
  })

  it('may be scheduled apart', async () => {
    await add({ ...said, scheduled_for: now + day })
    expect(await check({ parts: ['Hello World'] })).toBeUndefined()
    expect(await ruleBroken({ parts: ['Hello World'], at: now + day + minute })).toBe('duplicate_content')
  })

  it.each(over)('may be said again when that item is %s, or elsewhere', async (status) => {
    await add({ ...said, status })
    await add({ ...said, status: 'posted', network: 'bluesky' })
    expect(await check({ parts: ['Hello World'] })).toBeUndefined()
  })
})

describe('what is like our last 50 posts', () => {
  // Ten words are eight triples; six of them in common are six of ten.
  const ten = 'one two three four five six seven eight nine ten'
  const sixty = 'one two three four five six seven eight other end'
  const fifty = 'one two three four five six seven other words end'
  const old = { text: ten, status: 'posted', created_at: 0, sentAt: 0 } as const

  it('is refused from 60 % of the word triples on', async () => {
    const { id } = await add(old)
    const problem = await check({ parts: [sixty] })
    expect(problem).toMatchObject({ code: 'policy_denied_hard_rule' })
    expect(problem?.options.details).toMatchObject({ rule: 'similarity', item_id: id, similarity: 0.6 })
    expect(await check({ parts: [fifty] })).toBeUndefined()
  })

  it('is looked for in every part of both', async () => {
    await add({ ...old, parts: ['Before it.', ten], action_type: 'thread' })
    expect(await ruleBroken({ action: 'thread', parts: ['First of all.', sixty] })).toBe('similarity')
  })

  it('is looked for in what became public of a thread that failed', async () => {
    await add({ ...old, parts: [ten, 'And on.'], status: 'failed', action_type: 'thread', sentParts: 1 })
    expect(await ruleBroken({ parts: [sixty] })).toBe('similarity')
  })

  it('is not looked for in what was never sent', async () => {
    for (const status of [...over, 'pending'] as const) await add({ ...old, status })
    expect(await check({ parts: [sixty] })).toBeUndefined()
  })

  it('may be the 51st', async () => {
    await add(old)
    for (let other = 0; other < 49; other += 1) await add({ status: 'posted', text: `post ${other}` })
    expect(await ruleBroken({ parts: [sixty] })).toBe('similarity')
    await add({ status: 'posted', text: 'post 50' })
    expect(await check({ parts: [sixty] })).toBeUndefined()
  })

  it('is not the item itself', async () => {
    const { id } = await add({ ...old, status: 'publishing' })
    expect(await check({ parts: [ten], itemId: id })).toBeUndefined()
  })
})

describe('the product’s mention', () => {
  const business = {
    product_name: 'Sundial',
    product_url: 'https://www.sundial.example/app',
    product_keywords: ['clocks'],
  }
  const config = { business, limits: { product_mention_ratio: 0.1 } }
  const naming = { target, parts: ['Sundial does that.'] }

  async function replies(count: number, text: (n: number) => string) {
    for (let n = 0; n < count; n += 1) {
      await add({ target: { ...target, id: `p${n} ${text(n)}` }, status: 'posted', text: text(n), sentAt: 0 })
    }
  }

  it('is let through in that share of 20 replies', async () => {
    await replies(1, () => 'Have a look at Sundial some day')
    expect(await check(naming, config)).toBeUndefined()
    await replies(1, () => 'see sundial.example/app for more of it')
    const problem = await check(naming, config)
    expect(problem?.options.details).toMatchObject({ rule: 'product_mention_ratio', max: 2, of: 20 })
    expect(problem?.message).toContain('2 of our last 2 replies name Sundial, and 2 of 20 may')
  })

  it('is forgotten after 19 others', async () => {
    await replies(2, (n) => `Sundial number ${n} says so`)
    await replies(17, (n) => `Reply ${n}`)
    expect(await ruleBroken(naming, config)).toBe('product_mention_ratio')
    await replies(1, () => 'Another one')
    expect(await check(naming, config)).toBeUndefined()
  })

  it('is never let through by a ratio of 0, always by 1', async () => {
    expect(await ruleBroken(naming, { business, limits: { product_mention_ratio: 0 } })).toBe('product_mention_ratio')
    await replies(20, (n) => `Sundial ${n} is what you look for`)
    expect(await check(naming, { business, limits: { product_mention_ratio: 1 } })).toBeUndefined()
  })

  it('is no matter in posts, nor in replies that do not name it', async () => {
    const never = { business, limits: { product_mention_ratio: 0 } }
    expect(await check({ parts: ['Sundial is out.'] }, never)).toBeUndefined()
    expect(await check({ target, parts: ['All clocks are sundials.'] }, never)).toBeUndefined()
  })

  it('counts replies alone', async () => {
    await add({ text: 'Sundial is out', status: 'posted', sentAt: 0 })
    await add({ text: 'Sundial is new', status: 'posted', sentAt: 0 })
    expect(await check(naming, config)).toBeUndefined()
  })
})

it('a reply that says not what it answers is a mistake of the worker', async () => {
  await expect(check({ action: 'reply' })).rejects.toThrow('without a target')
})

describeBothDatabases('the rules', (database) => {
  it('ask both databases in words that they know', async () => {
    await using other = await openTestFoundation({ location: await database.create() })
    const at = other.clock.now()
    const { db } = other.store
    const ours: Candidate = {
      network: 'local',
      account: 'you',
      action: 'reply',
      parts: ['Callboard does it.'],
      target,
      at,
    }
    expect(await safetyProblem(db, { ...ours, itemId: 1 }, other.config)).toBeUndefined()
    const event = { action: 'reply', network: 'local', authorId: 'a-1', at } as const
    await other.store.transaction((tx) => take(tx, event, { action: 'reply', max: 9, windowMs: day }, at))
    const problem = await safetyProblem(db, { ...ours, itemId: 1 }, other.config)
    expect(problem?.options.details?.['rule']).toBe('replies_to_author')
    await addItem(db, at, { text: 'Said before.', status: 'posted' })
    const post: Candidate = { network: 'local', account: 'you', action: 'tweet', parts: ['said before.'], at }
    expect((await safetyProblem(db, post, other.config))?.code).toBe('duplicate_content')
    expect((await safetyProblem(db, { ...post, at: at + day }, other.config))?.options.details?.['rule']).toBe(
      'similarity',
    )
  })
})
