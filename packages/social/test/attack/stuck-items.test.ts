import { describe, expect, test } from 'vitest'
import { Networks } from '../../src/networks/networks.js'
import { Publisher } from '../../src/publishing/publisher.js'
import { operator } from '../support/call-tool.js'
import { openPostingDesk, type PostingDesk } from '../support/posting-desk.js'

const minute = 60_000

async function pass(desk: PostingDesk, ms: number): Promise<void> {
  desk.foundation.clock.advance(ms)
  await desk.publisher.round()
}

describe('an item on which the worker stumbles', () => {
  test('before it is sent fails, and the next one goes out', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.approved()
    const next = await desk.approved({ parts: ['Quite another matter.'] })
    await desk.foundation.store.db.updateTable('approval_queue').set({ media: '{}' }).where('id', '=', id).execute()
    await desk.publisher.round()
    expect((await desk.call('list_outbox', {}, operator)).data).toMatchObject([
      { item_id: id, status: 'failed', last_code: 'internal_error' },
      { item_id: next, status: 'posted' },
    ])
  })

  test('while it is sent is in doubt, and is looked for', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.approved()
    desk.network.faults.push(() => Promise.reject(new TypeError('odd')))
    await desk.publisher.round()
    expect((await desk.item(id)).status).toBe('unknown')
    await pass(desk, minute)
    expect(await desk.posts()).toHaveLength(1)
  })

  test('while it is read back keeps no other one from being read', async () => {
    await using desk = await openPostingDesk()
    desk.network.unreadable = new TypeError('odd')
    const id = await desk.approved()
    await desk.publisher.round()
    desk.network.unreadable = undefined
    await pass(desk, minute)
    expect((await desk.item(id)).outbox.verified_at).not.toBeNull()
  })
})

describe('a clock that was wrong', () => {
  test('leaves no lease behind that holds the network for a year', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.approved()
    const year = desk.foundation.clock.now() + 365 * 24 * 60 * minute
    const { db } = desk.foundation.store
    await db.updateTable('outbox').set({ status: 'publishing', lease_owner: 'gone', lease_until: year }).execute()
    await db.updateTable('approval_queue').set({ status: 'publishing' }).execute()
    await db.insertInto('network_states').values({ network: 'local', next_post_at: year, paused_until: year }).execute()
    await desk.publisher.round()
    expect((await desk.item(id)).status).toBe('posted')
  })
})

describe('a network', () => {
  test('that says to come back in thirty years is asked again the next day', async () => {
    await using desk = await openPostingDesk()
    const retryAfterMs = 999_999_999_000
    desk.network.faults.push({ kind: 'delayed', code: 'network_rate_limited', message: 'Later.', retryAfterMs })
    const id = await desk.approved()
    await desk.publisher.round()
    await pass(desk, 24 * 60 * minute)
    expect((await desk.item(id)).status).toBe('posted')
  })

  test('whose words hold what no database keeps is recorded all the same', async () => {
    await using desk = await openPostingDesk()
    desk.network.faults.push({ kind: 'rejected', code: 'network_api_error', message: 'No\0 \ud800' })
    const id = await desk.approved()
    await desk.publisher.round()
    expect((await desk.item(id)).outbox.last_error).toBe('No\ufffd \ufffd')
  })

  test('that cuts the line at the last try is asked for the post once, before a person is', async () => {
    await using desk = await openPostingDesk()
    const later = { kind: 'delayed', code: 'network_unavailable', message: 'Later.' } as const
    desk.network.faults.push(later, later, later, later, later, 'cut')
    const id = await desk.approved()
    for (let round = 0; round < 8; round += 1) await pass(desk, 20 * minute)
    expect((await desk.item(id)).status).toBe('posted')
    expect(await desk.posts()).toHaveLength(1)
  })
})

test('whoever has lost the lease is told while it sends, and sends nothing more', async () => {
  await using desk = await openPostingDesk()
  await desk.approved({ kind: 'thread', parts: ['First of all.', 'And then.'] })
  let given: AbortSignal | undefined
  const publish: PostingDesk['network']['adapter']['publish'] = async (_, signal) => {
    given = signal
    await desk.foundation.store.db.updateTable('outbox').set({ fence: 99 }).execute()
    desk.foundation.clock.advance(21_000)
    await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    return { kind: 'unknown', message: 'Stopped.' }
  }
  const { adapter } = desk.network
  const lines = new Proxy(adapter, { get: (target, key) => (key === 'publish' ? publish : Reflect.get(target, key)) })
  await using publisher = closing(
    new Publisher({
      ...desk.foundation,
      networks: new Networks([lines]),
      owner: 'slow',
      media: { load: async () => [] },
      markReplied: async () => {},
    }),
  )
  await publisher.it.round()
  expect(given?.aborted).toBe(true)
})

const closing = (it: Publisher) => ({ it, [Symbol.asyncDispose]: () => it.close() })
