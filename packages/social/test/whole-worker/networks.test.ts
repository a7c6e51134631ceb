import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, it, vi } from 'vitest'
import { operator } from '../support/call-tool.js'
import { bluesky, mastodon, type PublishFault, type ServedNetwork, servedNetworks } from '../support/whole-networks.js'
import { business, openWholeWorker } from '../support/whole-worker.js'

// Hours of virtual time, on a machine that has other work.
vi.setConfig({ testTimeout: 120_000 })

const minute = 60_000
const hour = 60 * minute
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR42mP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg=='

describe.each(servedNetworks)('on $name', ({ start }) => {
  async function open(network: ServedNetwork, clock: VirtualClock) {
    return openWholeWorker({ clock, config: { business, [network.name]: network.section } })
  }

  async function setting() {
    const clock = new VirtualClock()
    const network = await start(clock)
    const whole = await open(network, clock)
    return {
      network,
      whole,
      async [Symbol.asyncDispose]() {
        await whole[Symbol.asyncDispose]()
        await network[Symbol.asyncDispose]()
      },
    }
  }

  it('a composed draft is proposed, approved, posted and verified', async () => {
    await using on = await setting()
    const { whole, network } = on
    const { tweet, draft_id, network: where } = await whole.ask('compose_tweet', { topic: 'compost', format: 'tip' })
    expect(where).toBe(network.name)
    const proposed = await whole.ask('propose_post', { draft_id })
    expect(proposed).toMatchObject({ status: 'pending', replayed: false })
    expect(await whole.ask('propose_post', { draft_id })).toMatchObject({ id: proposed.id, replayed: true })
    await whole.pass(hour, minute)
    expect(network.posts()).toEqual([])

    await whole.approve(proposed.id)
    await whole.pass(5 * minute)
    expect(network.posts()).toMatchObject([{ text: tweet }])
    const item = await whole.item(proposed.id)
    expect(item).toMatchObject({ status: 'posted', account: network.handle, generated_by: 'template' })
    expect(item.outbox.parts).toMatchObject([{ status: 'verified', remote_id: network.posts()[0]!.id }])
    expect(await whole.ask('verify_post', { id: proposed.id })).toMatchObject({ verified: true })
    expect((await whole.call('get_item', { id: proposed.id })).meta).not.toHaveProperty('provider_backend')
  })

  it('a thread hangs together', async () => {
    await using on = await setting()
    const { whole, network } = on
    const parts = ['First I dug.', 'Then I watered, see https://example.com/a?b=c', 'Now there are tomatoes. 🍅']
    const id = await whole.approved({ kind: 'thread', parts })
    await whole.pass(5 * minute)
    const posts = network.posts()
    expect(posts.map(({ text }) => text)).toEqual(parts)
    expect(posts.map(({ parent }) => parent)).toEqual([undefined, posts[0]!.id, posts[1]!.id])
    expect((await whole.item(id)).outbox.parts.map(({ status }: { status: string }) => status)).toEqual(
      parts.map(() => 'verified'),
    )
  })

  it('a mention is found, answered once, and leaves the feed', async () => {
    await using on = await setting()
    const { whole, network } = on
    const target = network.mention('how often do you water tomatoes?')
    await whole.pass(10 * minute)
    const [found] = await whole.ask('list_unreplied_tweets')
    expect(found).toMatchObject({ source: 'mention', can_reply: true, replied_to: false })

    const id = await whole.approved({ kind: 'reply', parts: ['Every evening.'], reply_to: target })
    await whole.pass(5 * minute)
    expect(await whole.status(id)).toBe('posted')
    const [reply] = network.posts()
    expect(reply?.text).toMatch(/Every evening\.$/)
    expect(reply?.parent).toBe((await whole.item(id)).reply_to.id)
    expect((await whole.item(id)).outbox.parts[0].status).toBe('verified')
    expect(await whole.ask('list_unreplied_tweets')).toEqual([])
    const again = { kind: 'reply', parts: ['And every morning.'], reply_to: target }
    expect(await whole.refusal('propose_post', again)).toBe('policy_denied_hard_rule')
  })

  it('an image goes out with its description', async () => {
    await using on = await setting()
    const { whole, network } = on
    const media = [{ data: png, alt: 'Two red tomatoes' }]
    const id = await whole.approved({ parts: ['Look at these.'], media })
    await whole.pass(5 * minute)
    expect(network.posts()).toMatchObject([{ text: 'Look at these.', alts: ['Two red tomatoes'] }])
    expect((await whole.item(id)).outbox.parts[0].status).toBe('verified')
  })

  const faults: readonly PublishFault[] = ['too many', 'unavailable', 'cut before', 'cut after']
  it.each(faults)('one request that goes wrong makes one post: %s', async (fault) => {
    await using on = await setting()
    const { whole, network } = on
    network.fail(fault)
    const id = await whole.approved({ parts: ['Rain at last.'] })
    await whole.pass(1_000)
    expect(await whole.status(id)).not.toBe('posted')
    await whole.pass(hour, minute)
    expect(network.posts().map(({ text }) => text)).toEqual(['Rain at last.'])
    expect(await whole.status(id)).toBe('posted')
    const limits = await whole.ask('get_rate_limits')
    expect(limits.find((limit: { action_type: string }) => limit.action_type === 'tweet')).toMatchObject({
      request_count: 1,
      reserved: 0,
    })
  })

  it('all four in a row, in the middle of a thread, make each part once', async () => {
    await using on = await setting()
    const { whole, network } = on
    for (const fault of faults) network.fail(fault)
    const parts = ['One bed is dug.', 'Two beds are sown.', 'Three beds are watered.']
    const id = await whole.approved({ kind: 'thread', parts })
    await whole.pass(3 * hour, minute)
    expect(network.posts().map(({ text }) => text)).toEqual(parts)
    expect(await whole.status(id)).toBe('posted')
  })
})

it('a network that lets us in no more is left alone, and the other one goes on', async () => {
  const clock = new VirtualClock()
  await using one = await mastodon(clock)
  await using other = await bluesky(clock)
  const config = { business, mastodon: one.section, bluesky: other.section }
  await using whole = await openWholeWorker({ clock, config })
  for (const [locked, open] of [
    [one, other],
    [other, one],
  ] as const) {
    const before = locked.posts().length
    const asked = locked.publishRequests()
    locked.lockOut()
    await whole.pass(minute)
    // Proposing has to ask the network who we are, which it still knows.
    locked.letIn()
    const waiting = await whole.proposed({ network: locked.name, parts: [`Waits on ${locked.name}.`] })
    const going = await whole.proposed({ network: open.name, parts: [`Goes out on ${open.name}.`] })
    locked.lockOut()
    await whole.approve(waiting)
    await whole.approve(going)
    await whole.pass(10 * minute)
    expect(await whole.status(going)).toBe('posted')
    expect(await whole.status(waiting)).toBe('approved')
    expect(locked.posts()).toHaveLength(before)
    expect(locked.publishRequests() - asked).toBeLessThanOrEqual(1)
    const { networks } = await whole.ask('health_check', {}, operator)
    expect(networks[locked.name].status).toBe('error')
    expect(networks[open.name].status).toBe('ok')

    locked.letIn()
    await whole.pass(2 * hour, minute)
    expect(await whole.status(waiting)).toBe('posted')
    expect(locked.posts()).toHaveLength(before + 1)
  }
})
