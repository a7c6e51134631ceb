import type { TestCallOptions } from '@callboard/worker/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startBlueskyServer } from '../support/bluesky-server.js'
import { ada, bob, operator } from '../support/call-tool.js'
import { startInventiveModel } from '../support/inventive-model.js'
import { LlmServer } from '../support/llm-server.js'
import { bluesky, mastodon, type ServedNetwork, servedNetworks } from '../support/whole-networks.js'
import { business, openWholeWorker, type WholeWorker } from '../support/whole-worker.js'
import { XServer } from '../support/x-server.js'

// Hours of virtual time, on a machine that has other work.
vi.setConfig({ testTimeout: 120_000 })

const minute = 60_000
const hour = 60 * minute
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR42mP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg=='

async function open(config: object = {}, clock = new VirtualClock()): Promise<WholeWorker> {
  const whole = await openWholeWorker({ clock, config })
  onTestFinished(() => whole[Symbol.asyncDispose]())
  return whole
}

async function openOn(
  start: (clock: VirtualClock) => Promise<ServedNetwork>,
  more: object = {},
): Promise<{ whole: WholeWorker; network: ServedNetwork }> {
  const clock = new VirtualClock()
  const network = await start(clock)
  onTestFinished(() => network[Symbol.asyncDispose]())
  return { network, whole: await open({ business, [network.name]: network.section, ...more }, clock) }
}

/** What is out on the built-in network, samples left out. */
async function localPosts({ store }: WholeWorker) {
  return store.db.selectFrom('local_posts').selectAll().where('sample', '=', 0).orderBy('id').execute()
}

async function feedOf(whole: WholeWorker) {
  return (await whole.ask('get_discovery_feed', { min_score: 0, limit: 100 })) as readonly {
    readonly id: string
    readonly url: string
    readonly author_username: string
    readonly score_now: number
  }[]
}

function quota(whole: WholeWorker, type: string) {
  return whole
    .ask('get_rate_limits')
    .then((all) => all.find((one: { action_type: string }) => one.action_type === type))
}

describe('publishing', () => {
  it('an action of an unknown type is never published as its own parameters', async () => {
    const whole = await open()
    expect(await whole.refusal('propose_post', { kind: 'retweet', parts: ['{"id":1}'] })).toBe('validation_error')
    const id = await whole.proposed({ parts: ['{"tweet_id":"1"}'] })
    await whole.store.db
      .updateTable('approval_queue')
      .set({ action_type: 'retweet' as 'tweet' })
      .where('id', '=', id)
      .execute()
    await whole.call('approve_item', { id }, operator)
    await whole.pass(hour, minute)
    expect(await localPosts(whole)).toEqual([])
  })

  it('what was scheduled for two hours ago is due now', async () => {
    const whole = await open()
    const due = new Date(whole.clock.now() + 2 * hour).toISOString()
    const id = await whole.approved({ parts: ['Two hours late.'], scheduled_for: due })
    await whole.stop()
    whole.clock.advance(4 * hour)
    await whole.open()
    expect(await whole.status(id)).toBe('posted')
  })

  it('a scheduled post goes out in composer mode, at its time', async () => {
    const whole = await open({ mode: 'composer' })
    const due = whole.clock.now() + 2 * hour
    await whole.approved({ parts: ['At two o’clock.'], scheduled_for: new Date(due).toISOString() })
    await whole.pass(2 * hour - 1, minute)
    expect(await localPosts(whole)).toEqual([])
    await whole.pass(minute)
    const [post] = await localPosts(whole)
    expect(post!.created_at).toBe(due)
  })

  it('a thread becomes that many linked posts, and never one with all of it', async () => {
    const whole = await open()
    const { thread } = await whole.ask('generate_thread', { topic: 'open networks' })
    await whole.approved({ kind: 'thread', parts: thread })
    await whole.pass(minute)
    const posts = await localPosts(whole)
    expect(posts.map(({ text }) => text)).toEqual(thread)
    expect(posts.map(({ reply_to }) => reply_to)).toEqual([null, ...posts.slice(0, -1).map(({ id }) => id)])
    expect(posts.some(({ text }) => /---|^\[/.test(text))).toBe(false)
  })

  it.each(servedNetworks)('an item that fails does not hold up the next one on $name', async ({ start }) => {
    const { whole, network } = await openOn(start)
    network.fail('refused')
    const first = await whole.approved({ parts: ['Nobody takes this.'] })
    const second = await whole.approved({ parts: ['Everybody takes that.'] })
    await whole.pass(10 * minute)
    expect([await whole.status(first), await whole.status(second)]).toEqual(['failed', 'posted'])
    expect(network.posts().map(({ text }) => text)).toEqual(['Everybody takes that.'])
  })

  it.each(servedNetworks)('an image that can not be uploaded stops its post on $name', async ({ start }) => {
    const { whole, network } = await openOn(start)
    network.failUpload()
    const id = await whole.approved({ parts: ['Look!'], media: [{ data: png, alt: 'Tomatoes' }] })
    await whole.pass(hour, minute)
    expect(await whole.status(id)).toBe('failed')
    expect(network.posts()).toEqual([])
    expect(await quota(whole, 'tweet')).toMatchObject({ request_count: 0 })
  })

  it.each(servedNetworks)('an end between sending and recording makes one post on $name', async ({ start }) => {
    const { whole, network } = await openOn(start)
    network.fail('held')
    whole.held = 1
    const id = await whole.approved({ parts: ['Sent, and not recorded.'] })
    expect(network.posts()).toHaveLength(1)
    expect(await whole.status(id)).toBe('publishing')
    await whole.stop()
    whole.held = 0
    await whole.open()
    await whole.pass(hour, minute)
    expect(await whole.status(id)).toBe('posted')
    expect(network.posts()).toHaveLength(1)
  })
})

describe('approval', () => {
  it('what was handed over to a person is stored, and listed', async () => {
    const whole = await open()
    const id = await whole.proposed({ parts: ['Please read me.'] })
    for (const who of [ada, operator]) {
      const [item, ...others] = await whole.ask('list_pending_approvals', {}, who)
      expect(item).toMatchObject({ id, status: 'pending', generated_content: 'Please read me.' })
      expect(others).toEqual([])
    }
  })

  it('what is missing, rejected, expired or posted can not be approved', async () => {
    const whole = await open()
    const rejected = await whole.proposed({ parts: ['Rejected.'] })
    await whole.ask('reject_item', { id: rejected }, operator)
    const posted = await whole.approved({ parts: ['Posted already.'] })
    const expired = await whole.proposed({ parts: ['Forgotten for a day.'] })
    await whole.pass(25 * hour, 15 * minute)
    const codes: string[] = []
    for (const id of [999, rejected, expired, posted]) codes.push(await whole.refusal('approve_item', { id }, operator))
    expect(codes).toEqual(['not_found', 'conflict', 'expired', 'conflict'])
    await whole.pass(hour, minute)
    expect((await localPosts(whole)).map(({ text }) => text)).toEqual(['Posted already.'])
  })

  it('two people at once approve it once', async () => {
    const whole = await open()
    const id = await whole.proposed({ parts: ['Both like me.'] })
    const other: TestCallOptions = { ...operator, principal: 'operator:ben' }
    const answers = await Promise.all([operator, other].map((who) => whole.call('approve_item', { id }, who)))
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    expect(answers.find(({ success }) => !success)?.error?.code).toBe('conflict')
    await whole.pass(minute)
    expect(await whole.ask('list_outbox', {}, operator)).toHaveLength(1)
    expect(await localPosts(whole)).toHaveLength(1)
  })

  it('a thread of the autopilot waits for a person, too', async () => {
    const clock = new VirtualClock()
    await using model = await startInventiveModel(clock.now)
    const whole = await open({ mode: 'autopilot', approval_mode: true, llm: model.section }, clock)
    await whole.pass(hour, minute)
    const items: readonly { action_type: string }[] = await whole.ask('list_pending_approvals', {}, operator)
    expect(items.map(({ action_type }) => action_type)).toContain('thread')
    expect(await localPosts(whole)).toEqual([])
  })

  it('a rejection costs no quota, an approval beyond it fails, and a changed limit holds after a restart', async () => {
    const whole = await open({ limits: { max_tweets_per_day: 2 } })
    const ids: number[] = []
    for (const text of ['Dig in spring.', 'Sow in April.', 'Water all summer.', 'Rest in winter.'])
      ids.push(await whole.proposed({ parts: [text] }))
    await whole.ask('reject_item', { id: ids[0] }, operator)
    expect(await quota(whole, 'tweet')).toMatchObject({ remaining: 2, reserved: 0 })
    await whole.approve(ids[1]!)
    await whole.approve(ids[2]!)
    expect(await whole.refusal('approve_item', { id: ids[3] }, operator)).toBe('rate_limited')
    await whole.restart({ limits: { max_tweets_per_day: 3 } })
    await whole.approve(ids[3]!)
    await whole.pass(minute)
    expect(await localPosts(whole)).toHaveLength(3)
  })

  it('no agent approves: not by an argument, in a scheduled run, or through another worker', async () => {
    const whole = await open({ mode: 'autopilot', approval_mode: true })
    const id = await whole.proposed({ parts: ['Let me out.'] })
    const roles = ['agent', 'operator'] as const
    const run = { id: 'run-1', attempt: 1, triggerDepth: 0 }
    const callers: readonly TestCallOptions[] = [
      ada,
      { ...ada, meta: { 'callboard/roles': ['operator'] } },
      { principal: 'operator:root' },
      { principal: 'agent:ada', roles, run },
      { principal: 'worker:scheduler', roles, onBehalfOf: 'agent:ada', depth: 1 },
      { principal: 'worker:scheduler', roles, onBehalfOf: 'operator:root', depth: 1 },
    ]
    for (const who of callers) {
      for (const [tool, args] of [
        ['approve_item', { id }],
        ['approve_all', {}],
      ] as const) {
        const refused = await whole.call(tool, args, who).then(
          ({ success }) => !success,
          () => true,
        )
        expect([tool, who, refused]).toEqual([tool, who, true])
      }
    }
    for (const trick of [{ approved: true }, { status: 'approved' }, { approval_mode: false }]) {
      const args = { kind: 'tweet', parts: ['Me, too.'], ...trick }
      expect(await whole.refusal('propose_post', args)).toBe('validation_error')
    }
    await whole.pass(hour, minute)
    expect(await whole.status(id)).toBe('pending')
    expect(await localPosts(whole)).toEqual([])
  })

  it('an edit behind the back of a person voids what that person saw', async () => {
    const whole = await open()
    const id = await whole.proposed({ parts: ['A harmless text.'] })
    const { rev, content_hash } = await whole.item(id)
    await whole.ask('edit_item', { id, rev, parts: ['Quite another text.'] })
    expect(await whole.refusal('approve_item', { id, rev }, operator)).toBe('conflict')
    expect(await whole.refusal('approve_item', { id, content_hash }, operator)).toBe('conflict')
    await whole.pass(hour, minute)
    expect(await localPosts(whole)).toEqual([])
    expect(await whole.status(id)).toBe('pending')
  })
})

describe('each safety check stops a post that would go out', () => {
  const reply = (text: string, reply_to: string) => ({ kind: 'reply', parts: [text], reply_to })

  it('to a post of our own', async () => {
    const whole = await open()
    await whole.approved({ parts: ['My own words.'] })
    await whole.pass(minute)
    const [own] = await localPosts(whole)
    expect(await whole.refusal('propose_post', reply('How true.', `local:${own!.id}`))).toBe('policy_denied_hard_rule')
  })

  it('to a post that has our reply, and to an author who had one today', async () => {
    const whole = await open()
    // Until every keyword has been searched for.
    await whole.pass(2 * hour, minute)
    const feed = await feedOf(whole)
    const [one, two] = feed.filter(({ author_username }) => author_username === 'sample_ada')
    const first = await whole.proposed(reply('Fine words.', one!.url))
    const samePost = await whole.ask('propose_post', reply('Other words for it.', one!.url), bob)
    const sameAuthor = await whole.ask('propose_post', reply('Something else again.', two!.url), bob)
    await whole.approve(first)
    await whole.pass(minute)
    for (const { id } of [samePost, sameAuthor])
      expect(await whole.refusal('approve_item', { id }, operator)).toBe('policy_denied_hard_rule')
    expect(await localPosts(whole)).toHaveLength(1)
  })

  it('with the same or nearly the same words', async () => {
    const whole = await open()
    const words = 'every morning I water the tomatoes before the sun is up'
    const near = await whole.proposed({ parts: [`${words} again`] })
    await whole.approved({ parts: [words] })
    const shouted = { kind: 'tweet', parts: [words.toUpperCase()] }
    expect(await whole.refusal('propose_post', shouted, bob)).toBe('duplicate_content')
    await whole.pass(10 * minute)
    expect(await whole.refusal('approve_item', { id: near }, operator)).toBe('policy_denied_hard_rule')
    expect(await localPosts(whole)).toHaveLength(1)
  })

  it('with a phrase that was banned, or a product that was named too often, after the approval', async () => {
    const whole = await open({ business, limits: { product_mention_ratio: 1 } })
    const [post] = await feedOf(whole)
    const soon = new Date(whole.clock.now() + hour).toISOString()
    const phrase = await whole.approved({ parts: ['To the moon with it.'], scheduled_for: soon })
    const naming = await whole.approved({ ...reply('Gardener does that.', post!.url), scheduled_for: soon })
    await whole.restart({ business, limits: { product_mention_ratio: 0, banned_phrases: ['to the moon'] } })
    await whole.pass(2 * hour, minute)
    for (const id of [phrase, naming]) {
      const { status, outbox } = await whole.item(id)
      expect([status, outbox.last_code]).toEqual(['failed', 'policy_denied_hard_rule'])
    }
    expect(await localPosts(whole)).toEqual([])
  })

  it('where the author takes no replies', async () => {
    const clock = new VirtualClock()
    const server = await startBlueskyServer({ now: clock.now })
    onTestFinished(() => server[Symbol.asyncDispose]())
    const account = { enabled: true, pds_url: server.url, handle: 'ada.test', app_password: 'abcd-efgh-ijkl-mnop' }
    const whole = await open({ business, bluesky: account }, clock)
    const { uri } = server.addPost({ text: 'No answers', gate: [] })
    expect(await whole.refusal('propose_post', reply('But why?', uri))).toBe('reply_not_allowed')
    expect(server.posts).toEqual([])
  })

  it('with more than fits', async () => {
    const { whole, network } = await openOn(bluesky)
    const long = 'é'.repeat(301)
    expect(await whole.refusal('propose_post', { kind: 'tweet', parts: [long] })).toBe('tweet_too_long')
    const id = await whole.proposed({ parts: ['short'] })
    const { rev } = await whole.item(id)
    expect(await whole.refusal('edit_item', { id, rev, parts: [long] })).toBe('tweet_too_long')
    await whole.store.db
      .updateTable('approval_queue')
      .set({ parts: JSON.stringify([long]) })
      .where('id', '=', id)
      .execute()
    await whole.call('approve_item', { id }, operator)
    await whole.pass(10 * minute)
    expect(network.posts()).toEqual([])
  })
})

describe('what is written', () => {
  it('280 accented letters are a post on X, and 140 ideographs; one more is not', async () => {
    const clock = new VirtualClock()
    const server = await XServer.start(clock)
    onTestFinished(() => server[Symbol.asyncDispose]())
    const account = { enabled: true, base_url: server.baseUrl, client_id: 'client', access_token: 'access-0' }
    const whole = await open({ business, x: { ...account, tier: 'Basic', daily_budget_usd: 100 } }, clock)
    for (const text of ['é'.repeat(280), '世'.repeat(140)]) await whole.approved({ parts: [text] })
    for (const text of ['é'.repeat(281), '世'.repeat(141)])
      expect(await whole.refusal('propose_post', { kind: 'tweet', parts: [text] })).toBe('tweet_too_long')
    await whole.pass(hour, minute)
    expect(server.by(server.me).map(({ text }) => text)).toEqual(['é'.repeat(280), '世'.repeat(140)])
  })

  it('a text that is cut to fit is cut between graphemes', async () => {
    const family = '👨‍👩‍👧‍👦'
    const model = await LlmServer.start()
    onTestFinished(() => model[Symbol.asyncDispose]())
    model.answers(`Family ${family.repeat(30)} comes first. `.repeat(40))
    const llm = { provider: 'ollama', model: 'test-model', base_url: model.url }
    const { whole } = await openOn(bluesky, { llm })
    const { tweet, char_count } = await whole.ask('generate_tweet', { topic: 'families' })
    expect(char_count).toBeLessThanOrEqual(300)
    expect(tweet.replaceAll(family, '')).toMatch(/^[\x20-\x7e]+$/)
    model.answers(family.repeat(1_000))
    expect(await whole.refusal('generate_tweet', { topic: 'families' })).toBe('tweet_too_long')
  })

  it('reading in composer mode asks no model', async () => {
    const clock = new VirtualClock()
    await using model = await startInventiveModel(clock.now)
    const whole = await open({ mode: 'composer', llm: model.section }, clock)
    await whole.pass(8 * hour, 5 * minute)
    expect((await feedOf(whole)).length).toBeGreaterThan(0)
    expect(model.requests).toBe(0)
  })
})

describe('feed and scores', () => {
  it('a post that was replied to leaves the feed and the list of unreplied ones', async () => {
    const whole = await open()
    const [post, ...others] = await feedOf(whole)
    await whole.approved({ kind: 'reply', parts: ['Well said.'], reply_to: post!.url })
    await whole.pass(minute)
    const left = others.map(({ id }) => id).sort()
    expect((await feedOf(whole)).map(({ id }) => id).sort()).toEqual(left)
    const unreplied: readonly { id: string }[] = await whole.ask('list_unreplied_tweets')
    expect(unreplied.map(({ id }) => id).sort()).toEqual(left)
  })

  it('tool and feed give a post the same score at one time', async () => {
    const whole = await open()
    await whole.pass(20 * minute)
    const rows = await whole.store.db.selectFrom('discovered_posts').selectAll().execute()
    expect(rows.length).toBeGreaterThan(3)
    const feed = await feedOf(whole)
    for (const { remote_id, likes, reposts, replies, author_username, author_followers, content, posted_at } of rows) {
      const { total } = await whole.ask('score_tweet', {
        text: content,
        author_username,
        author_followers: author_followers ?? 0,
        likes,
        retweets: reposts,
        replies,
        created_at: new Date(posted_at).toISOString(),
      })
      const shown = feed.find(({ url }) => url === `local:${remote_id}`)
      expect([remote_id, shown?.score_now]).toEqual([remote_id, total])
    }
  })

  it('a post of six hours ago scores lower than when it was found', async () => {
    const whole = await open()
    const before = await feedOf(whole)
    await whole.pass(6 * hour, 5 * minute)
    const after = await feedOf(whole)
    for (const { id, score_now } of before) {
      expect(after.find((post) => post.id === id)!.score_now).toBeLessThan(score_now)
    }
  })

  it('a perfect post scores 100, and twenty more keywords take nothing from it', async () => {
    const whole = await open({ business })
    const perfect = {
      text: 'Watering tomatoes with compost',
      author_username: 'mira',
      author_followers: 5_000,
      likes: 500,
      retweets: 100,
      replies: 0,
      created_at: new Date(whole.clock.now()).toISOString(),
    }
    expect(await whole.ask('score_tweet', perfect)).toMatchObject({ total: 100, verdict: 'REPLY' })
    const more = Array.from({ length: 20 }, (_, index) => `keyword${index}`)
    await whole.restart({ business: { ...business, product_keywords: [...business.product_keywords, ...more] } })
    expect(await whole.ask('score_tweet', perfect)).toMatchObject({ total: 100 })
  })
})

describe('what became of posts', () => {
  it('what replies brought arrives in the statistics', async () => {
    const { whole, network } = await openOn(mastodon)
    await whole.approved({ kind: 'reply', parts: ['Every evening.'], reply_to: network.mention('when do you water?') })
    await whole.pass(10 * minute)
    network.like(5)
    await whole.pass(2 * hour, minute)
    const { avg_reply_engagement, replies_measured } = await whole.ask('get_stats')
    expect(replies_measured).toBe(1)
    expect(avg_reply_engagement).toBeGreaterThan(0)
  })

  it('topics are suggested from the first day on, and a measured one by what it brought', async () => {
    const { whole, network } = await openOn(mastodon)
    const first: readonly { source: string }[] = await whole.ask('suggest_topics')
    expect(first.length).toBeGreaterThan(0)
    expect(first.every(({ source }) => source === 'profile')).toBe(true)
    const { draft_id } = await whole.ask('compose_tweet', { topic: 'compost' })
    await whole.approved({ draft_id, kind: 'tweet' })
    await whole.pass(10 * minute)
    network.like(20)
    await whole.pass(2 * hour, minute)
    const [best] = await whole.ask('suggest_topics')
    expect(best).toMatchObject({ topic: 'compost', source: 'performance', samples: 1 })
    const performance = async () => (await whole.ask('get_stats')).top_topics[0].avg_performance
    const afterAnHour = await performance()
    network.like(100)
    await whole.pass(24 * hour, 15 * minute)
    expect(await performance()).toBeGreaterThan(afterAnHour)
  })
})

describe('replies of the worker', () => {
  it('capabilities and health are told with neither database nor model', async () => {
    const llm = { provider: 'ollama', model: 'test-model', base_url: 'http://127.0.0.1:9/v1' }
    const whole = await open({ llm })
    for (const table of ['outbox_parts', 'outbox', 'rate_ledger', 'local_posts'] as const)
      await whole.store.db.schema.dropTable(table).execute()
    const health = await whole.ask('health_check')
    expect(health.llm.status).toBe('error')
    expect(health.networks.local.status).toBe('error')
    const capabilities = await whole.ask('get_capabilities')
    expect(capabilities.warnings.length).toBeGreaterThan(0)
  })

  it('every reply, errors too, fits its own schema', async () => {
    const whole = await open()
    const names = whole.link.definitions.tools!.map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(35)
    const inputs = [{}, { unknown: 1 }, { id: 999 }, { id: 'x', limit: -1, network: 'mars' }, { cursor: 'nonsense' }]
    let refused = 0
    for (const name of names) {
      for (const input of inputs) {
        // Checks each of them.
        const { success } = await whole.call(name, input, operator)
        if (!success) refused += 1
      }
    }
    expect(refused).toBeGreaterThan(names.length * 3)
  })
})
