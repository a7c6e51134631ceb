import { VirtualClock } from '@callboard/worker/testing'
import { expect, it, vi } from 'vitest'
import { operator } from '../support/call-tool.js'
import { mastodon } from '../support/whole-networks.js'
import { business, openWholeWorker } from '../support/whole-worker.js'

// Hours of virtual time, on a machine that has other work.
vi.setConfig({ testTimeout: 120_000 })

const minute = 60_000
const hour = 60 * minute

async function setting(more: object = {}) {
  const clock = new VirtualClock()
  const network = await mastodon(clock)
  const config = { business, mastodon: network.section, ...more }
  const whole = await openWholeWorker({ clock, config })
  return {
    clock,
    network,
    config,
    whole,
    async [Symbol.asyncDispose]() {
      await whole[Symbol.asyncDispose]()
      await network[Symbol.asyncDispose]()
    },
  }
}

it('what fell due while nobody ran goes out at the next start, once', async () => {
  await using on = await setting()
  const { whole, network, clock } = on
  const due = new Date(clock.now() + 2 * hour).toISOString()
  const id = await whole.approved({ parts: ['Sowing time.'], scheduled_for: due })
  expect(await whole.status(id)).toBe('scheduled')
  expect(whole.social.holdUntil).toBe(clock.now() + 2 * hour)
  await whole.pass(hour, minute)
  expect(network.posts()).toEqual([])
  await whole.stop()
  clock.advance(5 * hour)
  await whole.open()
  await whole.pass(minute)
  expect(network.posts().map(({ text }) => text)).toEqual(['Sowing time.'])
  await whole.restart()
  await whole.pass(hour, minute)
  expect(network.posts()).toHaveLength(1)
  expect(await whole.status(id)).toBe('posted')
})

it('a limit that was changed in the configuration holds from the next start on, and counts what was before', async () => {
  await using on = await setting()
  const { whole, config } = on
  await whole.approved({ parts: ['The first bed.'] })
  await whole.pass(10 * minute)
  const waiting = await whole.proposed({ parts: ['A second bed, and a fence.'] })
  await whole.restart({ ...config, limits: { max_tweets_per_day: 1 } })
  expect(await whole.refusal('approve_item', { id: waiting }, operator)).toBe('rate_limited')
  const limits: readonly { action_type: string }[] = await whole.ask('get_rate_limits')
  expect(limits.find(({ action_type }) => action_type === 'tweet')).toMatchObject({
    request_count: 1,
    max_requests: 1,
    remaining: 0,
  })
  await whole.restart({ ...config, limits: { max_tweets_per_day: 2 } })
  await whole.approve(waiting)
  await whole.pass(10 * minute)
  expect(await whole.status(waiting)).toBe('posted')
})

it('what waits, what was seen of it, and what was decided outlive the process', async () => {
  await using on = await setting()
  const { whole, network } = on
  const pending = await whole.proposed({ parts: ['Still to be read.'] })
  const { rev, content_hash } = await whole.item(pending)
  const rejected = await whole.proposed({ parts: ['Never to be read again.'] })
  await whole.ask('reject_item', { id: rejected, reason: 'no' }, operator)
  network.fail('unavailable')
  const approved = await whole.approved({ parts: ['On its way already.'] })
  await whole.restart()

  expect(await whole.status(rejected)).toBe('rejected')
  expect(await whole.refusal('approve_item', { id: rejected }, operator)).toBe('conflict')
  await whole.ask('approve_item', { id: pending, rev, content_hash }, operator)
  await whole.pass(hour, minute)
  expect([await whole.status(approved), await whole.status(pending)]).toEqual(['posted', 'posted'])
  expect(network.posts()).toHaveLength(2)
})

it('an autopilot that became a composer lets out what was approved, and nothing of its own any more', async () => {
  const autopilot = { mode: 'autopilot', approval_mode: false }
  await using on = await setting(autopilot)
  const { whole, network, config, clock } = on
  const due = new Date(clock.now() + 2 * hour).toISOString()
  const { id, status } = await whole.ask('propose_post', {
    kind: 'tweet',
    parts: ['Harvest festival.'],
    scheduled_for: due,
  })
  expect(status).toBe('scheduled')
  await whole.restart({ ...config, mode: 'composer' })
  const later = await whole.proposed({ parts: ['Without anybody.'] })
  await whole.pass(3 * hour, minute)
  expect(await whole.status(id)).toBe('posted')
  expect(await whole.status(later)).toBe('pending')
  expect(network.posts()).toHaveLength(1)
})
