import { VirtualClock } from '@callboard/worker/testing'
import { expect, it, vi } from 'vitest'
import { XServer } from '../../../social/test/support/x-server.js'
import { AgentSession } from '../scheduler/support/agent-session.js'
import { SocialInstallation } from './support/social-installation.js'

const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true, runner: { kind: 'command', argv: ['true'] } }]
const business = { product_name: 'Spoonery', product_keywords: ['spoons'] }
const post = { platform: 'twitter', text: 'We have carved forty spoons this week.' }

async function open(social: object) {
  const variables = { CALLBOARD_WORKERS: 'social,scheduler' }
  const installation = new SocialInstallation({ groups, variables, config: { social } })
  await installation.up()
  return { installation, agent: await AgentSession.open(installation), store: await installation.store() }
}

it('a post for X waits for a person, goes out once, and is reported with its address', async () => {
  await using server = await XServer.start(new VirtualClock(Date.now()))
  const account = { client_id: 'client', access_token: 'access-0', refresh_token: 'refresh-0' }
  const x = { enabled: true, base_url: server.baseUrl, tier: 'PayPerUse', daily_budget_usd: 5, ...account }
  const { installation, agent, store } = await open({ business, x })
  using _ = agent
  const waits = { code: 'APPROVAL_REQUIRED', message: expect.stringContaining('item 1 ') }
  expect(await agent.call('post_to_social', post)).toMatchObject(waits)
  expect(await agent.call('post_to_social', post)).toMatchObject(waits)
  const items = await store.db.selectFrom('approval_queue').selectAll().execute()
  expect(items).toMatchObject([{ id: 1, network: 'x', status: 'pending', owner: 'agent:main' }])
  expect(server.tweets).toEqual([])

  expect(await installation.run(['approvals', 'approve', '1', '--yes'])).toMatchObject({ code: 0 })
  const posted = async () => {
    const reply = await agent.get('post_to_social', post)
    expect(reply).toMatchObject({ status: 'posted' })
    return reply
  }
  const reply = await vi.waitFor(posted, { timeout: 15_000, interval: 100 })
  expect(server.tweets).toMatchObject([{ text: post.text }])
  const permalink = `https://x.com/${server.me.username}/status/${server.tweets[0]!.id}`
  expect(reply).toEqual({ status: 'posted', approval_id: 1, permalink, account: server.me.username })
  expect(await agent.get('post_to_social', post)).toEqual(reply)
  expect(await store.db.selectFrom('approval_queue').select('id').execute()).toHaveLength(1)
}, 60_000)

it('what a person rejects is reported with the reason, and not proposed again', async () => {
  await using server = await XServer.start(new VirtualClock(Date.now()))
  const account = { client_id: 'client', access_token: 'access-0', refresh_token: 'refresh-0' }
  const x = { enabled: true, base_url: server.baseUrl, tier: 'PayPerUse', daily_budget_usd: 5, ...account }
  const { installation, agent } = await open({ business, x })
  using _ = agent
  await agent.call('post_to_social', post)
  await installation.run(['approvals', 'reject', '1', '--reason', 'not our tone'])
  const reason = 'a person rejected it: not our tone'
  for (let again = 0; again < 2; again += 1) {
    expect(await agent.get('post_to_social', post)).toMatchObject({ status: 'failed', approval_id: 1, reason })
  }
}, 60_000)

it('without X it says what is missing, and proposes nothing', async () => {
  const { agent, store } = await open({})
  using _ = agent
  for (let again = 0; again < 2; again += 1) {
    expect(await agent.call('post_to_social', post)).toMatchObject({
      code: 'NOT_CONFIGURED',
      message: expect.stringMatching(/^Nothing was posted: .*\bx\b/),
    })
  }
  const linkedin = { platform: 'linkedin', text: post.text }
  expect(await agent.call('post_to_social', linkedin)).toMatchObject({ code: 'UNSUPPORTED' })
  expect(await store.db.selectFrom('approval_queue').select('id').execute()).toEqual([])
}, 60_000)
