import { once } from 'node:events'
import { VirtualClock } from '@callboard/worker/testing'
import { expect, it, vi } from 'vitest'
import { XServer } from '../../../social/test/support/x-server.js'
import { AgentSession } from '../scheduler/support/agent-session.js'
import { collect } from '../support/installation.js'
import { SocialInstallation } from './support/social-installation.js'

const hour = 3_600_000

it('a post for later keeps the hub until it is due, and is there after a restart', async () => {
  const installation = new SocialInstallation()
  await installation.hub()
  const social = await installation.social()
  using agent = await AgentSession.open(installation)
  const heldUntil = async () => {
    const { snapshot } = JSON.parse((await installation.run(['ls', '--json'])).stdout)
    // The worker says it by the hub's clock, which it knows to a millisecond or so.
    return [snapshot.workers[0]?.holdUntil, snapshot.holdUntil].map((at) => at && Math.round(at / 1_000) * 1_000)
  }
  const dueAt = Math.ceil(Date.now() / 1_000) * 1_000 + hour
  const proposal = { parts: ['A spoon.'], kind: 'tweet', scheduled_for: new Date(dueAt).toISOString() }
  expect((await agent.get('propose_post', proposal)).data).toMatchObject({ id: 1, status: 'pending' })
  // What nobody has approved yet is no reason to stay.
  expect(await heldUntil()).toEqual([undefined, undefined])
  await installation.run(['approvals', 'approve', '1', '--yes'])
  await vi.waitFor(async () => expect(await heldUntil()).toEqual([dueAt, dueAt]), { timeout: 15_000, interval: 100 })

  const ended = once(social, 'exit')
  social.kill('SIGKILL')
  await ended
  await installation.social()
  await vi.waitFor(async () => expect(await heldUntil()).toEqual([dueAt, dueAt]), { timeout: 15_000, interval: 100 })
  await installation.run(['approvals', 'unschedule', '1'])
  await vi.waitFor(async () => expect(await heldUntil()).toEqual([undefined, undefined]), {
    timeout: 20_000,
    interval: 500,
  })
}, 90_000)

it('a post that fell due while nobody ran goes out at the next start', async () => {
  const installation = new SocialInstallation()
  await installation.up()
  {
    using agent = await AgentSession.open(installation)
    const scheduled_for = new Date(Date.now() + hour).toISOString()
    await agent.get('propose_post', { parts: ['A spoon.'], kind: 'tweet', scheduled_for })
    await installation.run(['approvals', 'approve', '1', '--yes'])
  }
  expect(await installation.run(['down'])).toMatchObject({ code: 0 })
  await vi.waitFor(() => expect(installation.processes()).toEqual([]))

  const store = await installation.store()
  const { db } = store
  const past = Date.now() - 2 * hour
  await db.updateTable('outbox').set({ due_at: past, next_try_at: past }).execute()
  await db.updateTable('approval_queue').set({ scheduled_for: past }).execute()
  await installation.up()
  const texts = async () => {
    const posts = await db.selectFrom('local_posts').select('text').where('sample', '=', 0).execute()
    expect(posts).toEqual([{ text: 'A spoon.' }])
  }
  await vi.waitFor(texts, { timeout: 15_000, interval: 100 })
}, 60_000)

it('down ends it in time, and it says nothing of trouble', async () => {
  const installation = new SocialInstallation({ variables: { CALLBOARD_WORKERS: '' } })
  const up = installation.spawn(['up'])
  const said = collect(up.stderr)
  up.stdout.resume()
  await vi.waitFor(() => expect(installation.find('worker social')).toBeGreaterThan(0), { timeout: 10_000 })
  const ready = async () => {
    const { snapshot } = JSON.parse((await installation.run(['ls', '--json'])).stdout)
    expect(snapshot.workers).toHaveLength(5)
  }
  await vi.waitFor(ready, { timeout: 15_000, interval: 200 })
  const began = performance.now()
  const ended = once(up, 'exit')
  expect(await installation.run(['down'])).toMatchObject({ code: 0 })
  expect(await ended).toEqual([0, null])
  expect(performance.now() - began).toBeLessThan(4_000)
  expect(installation.processes()).toEqual([])
  expect(said()).not.toMatch(/SIGKILL|did not end|"level":(50|60)/)
}, 60_000)

it('down does not wait for a network that has a post and does not answer', async () => {
  await using server = await XServer.start(new VirtualClock(Date.now()))
  server.failNext('create', { kind: 'accept-but-hang' })
  const account = { client_id: 'client', access_token: 'access-0', refresh_token: 'refresh-0' }
  const x = { enabled: true, base_url: server.baseUrl, tier: 'PayPerUse', ...account }
  const business = { product_name: 'Spoonery', product_keywords: ['spoons'] }
  const installation = new SocialInstallation({ config: { social: { business, x } } })
  await installation.up()
  {
    using agent = await AgentSession.open(installation)
    await agent.get('propose_post', { parts: ['A spoon.'], kind: 'tweet' })
    await installation.run(['approvals', 'approve', '1', '--yes'])
  }
  await vi.waitFor(() => expect(server.tweets).toHaveLength(1), { timeout: 15_000, interval: 50 })
  const began = performance.now()
  expect(await installation.run(['down'])).toMatchObject({ code: 0 })
  await vi.waitFor(() => expect(installation.processes()).toEqual([]), { timeout: 5_000, interval: 50 })
  expect(performance.now() - began).toBeLessThan(5_000)

  // In doubt, its place kept: the next start looks for it, and does not send it again.
  const { db } = await installation.store()
  const row = await db.selectFrom('outbox').select('status').executeTakeFirstOrThrow()
  expect(['publishing', 'unknown']).toContain(row.status)
  expect(await db.selectFrom('outbox_parts').select('status').execute()).toEqual([{ status: 'sending' }])
  const reserved = db.selectFrom('rate_ledger').select('state').where('action_type', '=', 'tweet')
  expect(await reserved.execute()).toEqual([{ state: 'reserved' }])
  const past = Date.now() - 1_000
  await db.updateTable('outbox').set({ next_try_at: past, lease_until: past }).execute()
  await installation.up()
  const posted = async () =>
    expect(await db.selectFrom('outbox').select('status').execute()).toEqual([{ status: 'posted' }])
  await vi.waitFor(posted, { timeout: 15_000, interval: 100 })
  expect(server.tweets).toHaveLength(1)
}, 60_000)
