import { describe, expect, it } from 'vitest'
import type { TestFoundation } from '../../support/test-foundation.js'
import { openXSetting } from '../../support/x-setting.js'

describe('finding a post', () => {
  it('tells by text and by what it answers', async () => {
    const { x, server, prepare } = await openXSetting()
    const alice = server.user('alice')
    const first = server.add({ author: alice, text: '@callboarder one?' })
    const second = server.add({ author: alice, text: '@callboarder two?' })
    const prepared = prepare('Yes, see example.com', { id: second.id })
    server.add({ author: server.me, text: '@alice Yes, see example.com', replyTo: first.id })
    server.add({ author: server.me, text: 'Yes, see example.com' })
    expect(await x.find(prepared)).toEqual({ kind: 'absent' })
    const reply = server.add({ author: server.me, text: '@alice Yes, see example.com', replyTo: second.id })
    expect(await x.find(prepared)).toMatchObject({ kind: 'sent', ref: { id: reply.id } })
  })

  it('does not take an older post for it', async () => {
    const { x, server, prepare, foundation } = await openXSetting()
    server.add({ author: server.me, text: 'Good morning' })
    foundation.clock.advance(24 * 60 * 60_000)
    expect(await x.find(prepare('Good morning'))).toEqual({ kind: 'absent' })
  })

  it('is undecidable between two that are equal', async () => {
    const { x, server, prepare } = await openXSetting()
    const prepared = prepare('Hello')
    server.add({ author: server.me, text: 'Hello' })
    server.add({ author: server.me, text: 'Hello ' })
    expect(await x.find(prepared)).toMatchObject({ kind: 'undecidable', message: expect.stringContaining('several') })
  })

  it('leaves out what is known to be another part', async () => {
    const { x, server, prepare, foundation } = await openXSetting()
    const other = server.add({ author: server.me, text: 'Hello' })
    await insertPart(foundation, 'another', other.id)
    const prepared = prepare('Hello')
    expect(await x.find(prepared)).toEqual({ kind: 'absent' })
    const own = server.add({ author: server.me, text: 'Hello' })
    await insertPart(foundation, prepared.key.key, own.id)
    expect(await x.find(prepared)).toMatchObject({ kind: 'sent', ref: { id: own.id } })
  })

  it('is undecidable where X hides what a link leads to', async () => {
    const { x, server, prepare, foundation } = await openXSetting()
    const prepared = prepare('Read https://example.com/a now')
    const text = 'Read https://t.co/abc now'
    const tweet = { id: '77', text, author_id: '1000', created_at: new Date(foundation.clock.now()).toISOString() }
    server.failNext('timeline', { kind: 'answer', status: 200, body: { data: [tweet] } })
    expect(await x.find(prepared)).toMatchObject({ kind: 'undecidable', message: expect.stringContaining('links') })
    const entities = { urls: [{ url: 'https://t.co/abc', expanded_url: 'https://example.com/b' }] }
    server.failNext('timeline', { kind: 'answer', status: 200, body: { data: [{ ...tweet, entities }] } })
    expect(await x.find(prepared)).toEqual({ kind: 'absent' })
  })

  it('looks through several answers, and is undecidable where there are more', async () => {
    const { x, server, prepare } = await openXSetting()
    const prepared = prepare('Hello')
    const wanted = server.add({ author: server.me, text: 'Hello' })
    server.pageMax = 2
    for (let count = 0; count < 4; count++) server.add({ author: server.me, text: `Post ${count}` })
    expect(await x.find(prepared)).toMatchObject({ kind: 'sent', ref: { id: wanted.id } })
    for (let count = 4; count < 6; count++) server.add({ author: server.me, text: `Post ${count}` })
    expect(await x.find(prepared)).toMatchObject({ kind: 'undecidable', message: expect.stringContaining('more') })
  })

  it('rejects when X does not answer: then nothing is known', async () => {
    const { x, server, prepare } = await openXSetting()
    server.failNext('timeline', { kind: 'answer', status: 500, body: {} })
    await expect(x.find(prepare('Hello'))).rejects.toMatchObject({ code: 'network_api_error', retryable: true })
  })
})

/** An item that was posted, whose first part has this key. */
async function insertPart({ store: { db } }: TestFoundation, key: string, remoteId: string): Promise<void> {
  const { id: approval_id } = await db
    .insertInto('approval_queue')
    .values({
      network: 'x',
      account: 'callboarder',
      action_type: 'tweet',
      parts: '[]',
      media: '[]',
      risks: '[]',
      origin: 'agent',
      status: 'posted',
      rev: 1,
      content_hash: '',
      owner: 'agent:a',
      idempotency_key: key,
      arguments_hash: '',
      created_at: 1,
      updated_at: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: outbox_id } = await db
    .insertInto('outbox')
    .values({
      approval_id,
      network: 'x',
      status: 'posted',
      due_at: 1,
      fence: 0,
      attempts: 1,
      next_try_at: 1,
      created_at: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('outbox_parts')
    .values({ outbox_id, position: 0, publish_key: key, created_at_fixed: 1, status: 'sent', remote_id: remoteId })
    .execute()
}
