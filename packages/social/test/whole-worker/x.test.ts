import { VirtualClock } from '@callboard/worker/testing'
import { expect, it, vi } from 'vitest'
import { business, openWholeWorker } from '../support/whole-worker.js'
import { XServer } from '../support/x-server.js'

// Hours of virtual time, on a machine that has other work.
vi.setConfig({ testTimeout: 120_000 })

const minute = 60_000
const hour = 60 * minute

async function setting(more: object = {}) {
  const clock = new VirtualClock()
  const server = await XServer.start(clock)
  const x = {
    enabled: true,
    base_url: server.baseUrl,
    client_id: 'client',
    access_token: 'access-0',
    refresh_token: 'refresh-0',
    tier: 'PayPerUse',
    daily_budget_usd: 5,
    ...more,
  }
  const whole = await openWholeWorker({ clock, config: { business, x } })
  return {
    server,
    whole,
    async [Symbol.asyncDispose]() {
      await whole[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

it('says before anything is drafted to whom X takes no reply', async () => {
  await using on = await setting()
  const { whole, server } = on
  const mira = server.user('mira')
  const stranger = server.add({ author: mira, text: 'My tomatoes need watering' })
  const friend = server.add({ author: server.user('jonas'), text: '@Callboarder do you like compost?' })
  await whole.pass(hour, minute)
  const feed: readonly { content: string; can_reply: boolean; reasons: readonly string[] }[] = await whole.ask(
    'get_discovery_feed',
    { min_score: 0 },
  )
  const found = (word: string) => feed.find(({ content }) => content.includes(word))!
  expect(found('tomatoes').can_reply).toBe(false)
  expect(found('tomatoes').reasons.join()).toMatch(/mention|quote/)
  expect(found('compost').can_reply).toBe(true)

  const reply = { kind: 'reply', parts: ['Mine, too.'] }
  expect(await whole.refusal('propose_post', { ...reply, reply_to: stranger.id })).toBe('reply_not_allowed')
  const id = await whole.approved({ ...reply, reply_to: friend.id })
  await whole.pass(10 * minute)
  expect(await whole.status(id)).toBe('posted')
  expect((await whole.item(id)).outbox.parts[0].status).toBe('verified')
  expect(server.by(server.me)).toHaveLength(1)
})

it('stops at the budget of the day, and goes on with the next one', async () => {
  await using on = await setting({ daily_budget_usd: 0.25 })
  const { whole, server } = on
  const link = (word: string) => ({ parts: [`All about ${word}: https://example.com/${word}`] })
  const first = await whole.approved(link('tomatoes'))
  const second = await whole.approved(link('potatoes'))
  expect((await whole.item(first)).cost_estimate).toBe(0.2)
  await whole.pass(2 * hour, minute)
  expect(await whole.status(first)).toBe('posted')
  expect(await whole.status(second)).toBe('approved')
  expect((await whole.item(second)).outbox).toMatchObject({ last_code: 'policy_denied_rate_limited' })
  expect(server.by(server.me)).toHaveLength(1)
  await whole.pass(24 * hour, 5 * minute)
  expect(await whole.status(second)).toBe('posted')
  expect(server.by(server.me)).toHaveLength(2)
})

it('knows its own text behind the short links of X', async () => {
  await using on = await setting()
  const { whole, server } = on
  const text = 'Tomatoes & compost: https://example.com/a?b=1&c=2 and example.org <today>'
  const id = await whole.approved({ parts: [text] })
  await whole.pass(10 * minute)
  expect(server.by(server.me)[0]?.text).toMatch(/https:\/\/t\.co\//)
  expect(await whole.ask('verify_post', { id })).toMatchObject({ status: 'posted', verified: true, differences: [] })
})
