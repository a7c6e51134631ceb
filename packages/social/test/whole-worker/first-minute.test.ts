import { expect, it } from 'vitest'
import { ada, operator } from '../support/call-tool.js'
import { openWholeWorker } from '../support/whole-worker.js'

it('goes from a first look at the feed to a verified reply without any configuration', async () => {
  await using whole = await openWholeWorker()
  const [post] = await whole.ask('get_discovery_feed')
  expect(post).toMatchObject({ network: 'local', source: 'sample', replied_to: false, can_reply: true })
  expect(post.score_now).toBeGreaterThanOrEqual(50)

  const { reply, generated_by } = await whole.ask('generate_reply', {
    tweet_text: post.content,
    tweet_author: post.author_username,
  })
  expect(generated_by).toBe('template')

  const proposed = await whole.ask('propose_post', { kind: 'reply', parts: [reply], reply_to: post.url })
  expect(proposed).toMatchObject({ status: 'pending', rev: 1, replayed: false })
  const [pending] = await whole.ask('list_pending_approvals', {}, operator)
  expect(pending).toMatchObject({ id: proposed.id, generated_content: reply, target_author: post.author_username })

  const { rev, content_hash } = pending
  await whole.ask('approve_item', { id: proposed.id, rev, content_hash }, operator)
  await whole.pass(60_000)

  const item = await whole.item(proposed.id)
  expect(item.status).toBe('posted')
  expect(item.outbox.parts).toMatchObject([{ status: 'verified', url: expect.stringMatching(/^local:\d+$/) }])
  const feed: { id: string }[] = await whole.ask('get_discovery_feed', { min_score: 0, limit: 100 })
  expect(feed.length).toBeGreaterThan(0)
  expect(feed.map(({ id }) => id)).not.toContain(post.id)
  expect(await whole.ask('get_recent_replies')).toMatchObject([{ reply_content: reply, status: 'posted' }])
  expect(await whole.ask('get_reply_count_today')).toMatchObject({ replies_today: 1 })
  expect(await whole.ask('verify_post', { id: proposed.id })).toMatchObject({ verified: true, differences: [] })
  expect((await whole.ask('get_stats')).follower_trend).toHaveLength(1)
})

it('marks every reply about the built-in network', async () => {
  await using whole = await openWholeWorker()
  const [{ url }] = await whole.ask('get_discovery_feed')
  const id = await whole.approved({ kind: 'reply', parts: ['Good point, thank you.'], reply_to: url })
  await whole.pass(60_000)
  const pending = await whole.proposed({ parts: ['Another thought about agents.'] })
  const text = { tweet_text: 'How do you host it?', tweet_author: 'mira' }
  const numbers = { author_followers: 1, likes: 1, retweets: 1, replies: 1, created_at: '2026-03-02T12:00:00Z' }
  const { rev } = await whole.item(pending)
  const calls: readonly (readonly [string, object?])[] = [
    ['get_stats'],
    ['get_follower_trend'],
    ['get_action_log'],
    ['get_action_counts'],
    ['get_rate_limits'],
    ['get_recent_replies'],
    ['get_reply_count_today'],
    ['list_unreplied_tweets'],
    ['list_target_accounts'],
    ['score_tweet', { network: 'local', text: 'MCP', author_username: 'mira', ...numbers }],
    ['list_pending_approvals'],
    ['get_pending_count'],
    ['generate_reply', text],
    ['generate_tweet'],
    ['generate_thread'],
    ['compose_tweet', { topic: 'open networks' }],
    ['get_discovery_feed'],
    ['suggest_topics'],
    ['get_capabilities'],
    ['propose_post', { kind: 'tweet', parts: ['A third thought.'] }],
    ['edit_item', { id: pending, rev, parts: ['Another thought about tools.'] }],
    ['get_item', { id: pending }],
    ['withdraw_item', { id: pending }],
    ['list_outbox'],
    ['verify_post', { id }],
  ]
  const unmarked: string[] = []
  for (const [tool, args] of calls) {
    const { success, error, meta } = await whole.call(tool, args, ada)
    if (!success) throw new Error(`${tool}: ${error?.message}`)
    if (meta?.provider_backend !== 'local') unmarked.push(tool)
  }
  expect(unmarked).toEqual([])
})
