import { expect, test } from 'vitest'
import { operator } from '../support/call-tool.js'
import { openPostingDesk } from '../support/posting-desk.js'

test('what was approved for one account does not go out as another one', async () => {
  await using desk = await openPostingDesk()
  const id = await desk.approved()
  await desk.foundation.store.db.updateTable('approval_queue').set({ account: 'somebody.else' }).execute()
  await desk.publisher.round()
  expect(await desk.posts()).toEqual([])
  expect(await desk.item(id)).toMatchObject({ status: 'failed', outbox: { last_code: 'conflict' } })
})

test('who will see it is part of what is approved, is shown, and stays when the configuration changes', async () => {
  await using desk = await openPostingDesk()
  Object.assign(desk.network.adapter, { visibility: 'direct' })
  const id = await desk.approved()
  expect(await desk.item(id)).toMatchObject({ visibility: 'direct' })
  Object.assign(desk.network.adapter, { visibility: 'public' })
  await desk.publisher.round()
  expect(desk.network.requests[0]!.part.visibility).toBe('direct')
})

test('a thread whose last known part is said to be out has failed for the rest of it; nothing is posted loose', async () => {
  await using desk = await openPostingDesk()
  desk.network.faults.push('lost')
  desk.network.found = { kind: 'undecidable', message: 'Who knows.' }
  const id = await desk.approved({ kind: 'thread', parts: ['First of all.', 'And then.'] })
  await desk.publisher.round()
  const resolved = await desk.call('resolve_item', { id, outcome: 'posted' }, operator)
  expect(resolved).toMatchObject({ success: true, data: { status: 'failed' } })
  expect(await desk.item(id)).toMatchObject({ outbox: { last_code: 'thread_partial_failure' } })
  await desk.call('retry_item', { id }, operator)
  await desk.publisher.round()
  expect(desk.network.requests).toHaveLength(1)
  expect((await desk.item(id)).status).toBe('failed')
})

test('characters that nobody sees are a risk, whatever they are', async () => {
  await using desk = await openPostingDesk()
  const unseen = [
    'Nice\u{E0101} work',
    'Nice\u3164 work',
    'Nice\u034f work',
    'Ni\u200dce work',
    'Nice\u2800 work',
    'Nice\u0008 work',
  ]
  for (const text of unseen) {
    const id = await desk.propose({ parts: [text], idempotency_key: text })
    const { risks } = await desk.item(id)
    expect(risks, JSON.stringify(text)).toContainEqual(expect.stringContaining('can not be seen'))
    await desk.call('withdraw_item', { id }, operator)
  }
  const id = await desk.propose({ parts: ['Well done 👨‍👩‍👧 ❤️, 1️⃣\nand on'] })
  expect((await desk.item(id)).risks).toEqual([])
})
