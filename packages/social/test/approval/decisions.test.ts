import { describeBothDatabases } from '@callboard/store/testing'
import { describe, expect, test } from 'vitest'
import { ada, bob, operator } from '../support/call-tool.js'
import { openPostingDesk } from '../support/posting-desk.js'

describe('a proposal', () => {
  test('waits for a person, and its owner finds it', async () => {
    await using desk = await openPostingDesk()
    const proposed = await desk.call('propose_post', { parts: ['Agents need callboards.'], kind: 'tweet' })
    expect(proposed).toMatchObject({
      success: true,
      data: { id: 1, status: 'pending', rev: 1, replayed: false, expires_at: '2026-03-03T12:00:00.000Z' },
      meta: {
        mode: 'composer',
        approval_mode: true,
        provider_backend: 'local',
        rollback: { reversible: true, undo_tool: 'withdraw_item', undo_params: { id: 1 } },
      },
    })
    await desk.publisher.round()
    expect(await desk.posts()).toEqual([])
    const { data } = await desk.call('list_pending_approvals', {}, operator)
    expect(data).toMatchObject([
      { id: 1, generated_content: 'Agents need callboards.', network: 'local', owner: 'agent:ada' },
    ])
    expect((await desk.call('get_pending_count', {}, operator)).data).toEqual({ pending_count: 1 })
  })

  test('belongs to its agent: to another one it does not exist', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.propose()
    for (const [tool, args] of [
      ['get_item', { id }],
      ['edit_item', { id, rev: 1, parts: ['Mine now.'] }],
      ['withdraw_item', { id }],
      ['verify_post', { id }],
    ] as const) {
      expect((await desk.call(tool, args, bob)).error?.code, tool).toBe('not_found')
    }
    expect((await desk.call('list_pending_approvals', {}, bob)).data).toEqual([])
    expect((await desk.call('get_pending_count', {}, bob)).data).toEqual({ pending_count: 0 })
    expect((await desk.call('list_outbox', {}, bob)).data).toEqual([])
  })

  test('of a nested call belongs to whom it is made for', async () => {
    await using desk = await openPostingDesk()
    const nested = { principal: 'worker:scheduler', onBehalfOf: 'agent:ada', depth: 1 } as const
    const { data } = await desk.call('propose_post', { parts: ['Agents need callboards.'], kind: 'tweet' }, nested)
    expect((await desk.call('get_item', { id: data.id }, ada)).data.owner).toBe('agent:ada')
  })

  test('made again under its key is the first one; other arguments under it are a conflict', async () => {
    await using desk = await openPostingDesk()
    const args = { parts: ['Agents need callboards.'], kind: 'tweet', idempotency_key: 'k1' }
    const first = await desk.call('propose_post', args)
    const second = await desk.call('propose_post', args)
    expect(second.data).toEqual({ ...first.data, replayed: true })
    const other = await desk.call('propose_post', { ...args, parts: ['Something else altogether, said here.'] })
    expect(other.error).toMatchObject({ code: 'conflict', retryable: false })
    // Another agent's keys are its own.
    expect(
      (await desk.call('propose_post', { ...args, parts: ['Quite another thing of mine.'] }, bob)).data.replayed,
    ).toBe(false)
  })

  test('under its key is the first one also after the kept replies are gone', async () => {
    await using desk = await openPostingDesk()
    const args = { parts: ['Agents need callboards.'], kind: 'tweet', idempotency_key: 'k1' }
    const first = await desk.call('propose_post', args)
    await desk.foundation.store.db.deleteFrom('call_replies').execute()
    expect((await desk.call('propose_post', args)).data).toEqual({ ...first.data, replayed: true })
  })

  test('without a key is the equal one that waits', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.propose()
    const again = await desk.call('propose_post', { parts: ['Agents need callboards.'], kind: 'tweet' })
    expect(again.data).toMatchObject({ id, replayed: true })
  })

  test.each([
    [{ parts: ['a'] }, 'kind: required'],
    [{ kind: 'tweet' }, 'exactly one'],
    [{ parts: ['a'], draft_id: 1, kind: 'tweet' }, 'exactly one'],
    [{ parts: ['a', 'b'], kind: 'tweet' }, 'one part'],
    [{ parts: ['a'], kind: 'thread' }, 'at least two'],
    [{ parts: ['a'], kind: 'reply' }, 'reply_to: required'],
    [{ parts: ['a'], kind: 'tweet', reply_to: 'local:1' }, 'answers nobody'],
    [{ parts: [' \n'], kind: 'tweet' }, 'parts'],
    [{ parts: ['a'], kind: 'tweet', scheduled_for: '2026-03-02T11:59:00Z' }, 'in the future'],
    [{ parts: ['a'], kind: 'tweet', scheduled_for: 'tomorrow' }, 'scheduled_for'],
    [{ parts: ['a'], kind: 'tweet', approve: true }, 'no such parameter'],
    [{ parts: ['a'], kind: 'tweet', caller: { roles: ['operator'] } }, 'no such parameter'],
  ])('refuses %j', async (args, words) => {
    await using desk = await openPostingDesk()
    const { error } = await desk.call('propose_post', args)
    expect(error?.code).toBe('validation_error')
    expect(error?.message).toContain(words)
  })

  test('that is too long is refused, with what fits', async () => {
    await using desk = await openPostingDesk()
    const { error } = await desk.call('propose_post', { parts: ['x'.repeat(501)], kind: 'tweet' })
    expect(error).toMatchObject({ code: 'tweet_too_long', details: { count: 501, limit: 500, part: 0 } })
  })

  test('for a network that is not switched on is refused, with those that are', async () => {
    await using desk = await openPostingDesk()
    const { error } = await desk.call('propose_post', { parts: ['a'], kind: 'tweet', network: 'bluesky' })
    expect(error).toMatchObject({ code: 'network_not_configured', details: { networks: ['local'] } })
  })
})

describe('a decision', () => {
  test.each(['approve_item', 'reject_item', 'approve_all', 'retry_item', 'resolve_item', 'unschedule_item'])(
    '%s does not exist for an agent, a nested call or a scheduled run, whatever roles they bring',
    async (tool) => {
      await using desk = await openPostingDesk()
      const id = await desk.propose()
      const args = { ...(tool !== 'approve_all' && { id }), ...(tool === 'resolve_item' && { outcome: 'posted' }) }
      const roles = ['agent', 'operator'] as const
      for (const who of [
        ada,
        { principal: 'worker:kernel', onBehalfOf: 'operator:root', depth: 1, roles },
        { principal: 'operator:root', depth: 1, roles },
        { principal: 'agent:ada', roles, run: { id: 'run_1', attempt: 1, triggerDepth: 0 } },
      ] as const) {
        expect((await desk.call(tool, args, who)).error?.code).toBe('not_found')
      }
      expect((await desk.item(id)).status).toBe('pending')
    },
  )

  test('to approve brings it into the outbox, and the publisher brings it out', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.propose()
    const answer = await desk.call('approve_item', { id }, operator)
    expect(answer.data).toEqual({ status: 'approved', id, outbox_id: 1 })
    expect(await desk.item(id)).toMatchObject({ status: 'approved', reviewed_by: 'operator:root', expires_at: null })
    expect(await desk.posts()).toEqual([])
    await desk.publisher.round()
    expect((await desk.posts()).map(({ text }) => text)).toEqual(['Agents need callboards.'])
    expect(await desk.item(id)).toMatchObject({
      status: 'posted',
      outbox: { status: 'posted', parts: [{ status: 'verified' }] },
    })
  })

  test('of what was seen fails when it has been edited since', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.propose()
    const { rev, content_hash } = await desk.item(id)
    await desk.call('edit_item', { id, rev, parts: ['Buy this now, says everybody.'] })
    const answer = await desk.call('approve_item', { id, rev, content_hash }, operator)
    expect(answer.error).toMatchObject({ code: 'conflict', details: { status: 'pending', rev: 2 } })
    await desk.publisher.round()
    expect(await desk.posts()).toEqual([])
    const seen = await desk.item(id)
    expect(seen.content_hash).not.toBe(content_hash)
    expect(seen.revisions).toMatchObject([
      { rev: 1, principal: 'agent:ada' },
      { rev: 2, content_hash: seen.content_hash },
    ])
    expect((await desk.call('approve_item', { id, rev: 2, content_hash: seen.content_hash }, operator)).success).toBe(
      true,
    )
  })

  test('twice is one outbox row and the first answer; by another operator it is a conflict', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.propose()
    const first = await desk.call('approve_item', { id, rev: 1 }, operator)
    expect((await desk.call('approve_item', { id, rev: 1 }, operator)).data).toEqual(first.data)
    const other = { ...operator, principal: 'operator:eve' } as const
    expect((await desk.call('approve_item', { id, rev: 1 }, other)).error?.code).toBe('conflict')
    expect((await desk.call('list_outbox', {}, operator)).data).toHaveLength(1)
  })

  test('to approve what is missing, rejected, withdrawn, expired or posted fails and publishes nothing', async () => {
    await using desk = await openPostingDesk()
    const rejected = await desk.propose({ parts: ['One about tool calls.'] })
    await desk.call('reject_item', { id: rejected, reason: 'no' }, operator)
    const withdrawn = await desk.propose({ parts: ['Another, on schedules and mail.'] })
    await desk.call('withdraw_item', { id: withdrawn })
    const posted = await desk.approved({ parts: ['A third, about open networks.'] })
    await desk.publisher.round()
    const expired = await desk.propose({ parts: ['And the last one, of kernels.'] })
    desk.foundation.clock.advance(24 * 3_600_000)
    const codes = []
    for (const id of [99, rejected, withdrawn, posted, expired]) {
      codes.push((await desk.call('approve_item', { id }, operator)).error?.code)
    }
    expect(codes).toEqual(['not_found', 'conflict', 'conflict', 'conflict', 'expired'])
    await desk.publisher.round()
    expect(await desk.posts()).toHaveLength(1)
  })

  test('to reject is told with its reason, and costs nothing of any limit', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.propose()
    const first = await desk.call('reject_item', { id, reason: 'too loud' }, operator)
    expect(first.data).toEqual({ status: 'rejected', id })
    expect((await desk.call('reject_item', { id, reason: 'too loud' }, operator)).data).toEqual(first.data)
    expect((await desk.call('get_item', { id })).data).toMatchObject({ status: 'rejected', reason: 'too loud' })
    const used = await desk.foundation.store.db
      .selectFrom('rate_ledger')
      .selectAll()
      .where('action_type', '=', 'tweet')
      .execute()
    expect(used).toEqual([])
  })

  test('over the limit fails, and takes nothing back', async () => {
    await using desk = await openPostingDesk({ config: { limits: { max_tweets_per_day: 1 } } })
    await desk.approved({ parts: ['One about tool calls.'] })
    const id = await desk.propose({ parts: ['Another, on schedules and mail.'] })
    const { error } = await desk.call('approve_item', { id }, operator)
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retry_after_ms: 24 * 3_600_000 })
    expect(await desk.item(id)).toMatchObject({ status: 'pending', rev: 1, outbox: null })
  })

  test('on all of them leaves those alone that can not be approved', async () => {
    await using desk = await openPostingDesk({ config: { limits: { max_tweets_per_day: 2 } } })
    const ids = []
    for (const text of ['One about tool calls.', 'Another, on schedules and mail.', 'A third, of open networks.']) {
      ids.push(await desk.propose({ parts: [text] }))
    }
    const { data } = await desk.call('approve_all', {}, operator)
    expect(data).toEqual({
      approved: 2,
      errors: 1,
      total: 3,
      items: [
        { id: ids[0], outcome: 'approved' },
        { id: ids[1], outcome: 'approved' },
        { id: ids[2], outcome: 'error', code: 'rate_limited' },
      ],
    })
  })

  test('on all of them keeps to max, and to what was seen', async () => {
    await using desk = await openPostingDesk()
    const first = await desk.propose({ parts: ['One about tool calls.'] })
    const second = await desk.propose({ parts: ['Another, on schedules and mail.'] })
    await desk.call('edit_item', { id: second, rev: 1, parts: ['Another, on anything at all.'] })
    const items = [
      { id: second, rev: 1 },
      { id: first, rev: 1 },
    ]
    expect((await desk.call('approve_all', { max: 1, items }, operator)).data).toMatchObject({ total: 1, approved: 0 })
    expect((await desk.call('approve_all', { max: 1 }, operator)).data).toMatchObject({ total: 1, approved: 1 })
  })

  test('can be taken back as long as nothing is sent, with its place in the limit', async () => {
    await using desk = await openPostingDesk({ config: { limits: { max_tweets_per_day: 1 } } })
    const id = await desk.approved({ scheduled_for: '2026-03-02T18:00:00+01:00' })
    expect((await desk.item(id)).status).toBe('scheduled')
    const { data } = await desk.call('unschedule_item', { id }, operator)
    expect(data).toMatchObject({ status: 'pending', id })
    expect(await desk.item(id)).toMatchObject({
      outbox: null,
      reviewed_by: null,
      expires_at: '2026-03-03T12:00:00.000Z',
    })
    expect((await desk.call('approve_item', { id }, operator)).success).toBe(true)
    await desk.call('unschedule_item', { id }, operator)
    desk.foundation.clock.advance(8 * 3_600_000)
    await desk.publisher.round()
    expect(await desk.posts()).toEqual([])
  })
})

describe('an edit', () => {
  test('with equal parts changes nothing', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.propose()
    const { data } = await desk.call('edit_item', { id, rev: 1, parts: ['Agents need callboards.'] })
    expect(data).toMatchObject({ rev: 1, revisions: [{ rev: 1 }] })
  })

  test('of an older revision is a conflict', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.propose()
    await desk.call('edit_item', { id, rev: 1, parts: ['Agents like callboards.'] })
    const { error } = await desk.call('edit_item', { id, rev: 1, parts: ['Agents love callboards.'] }, operator)
    expect(error).toMatchObject({ code: 'conflict', details: { rev: 2 } })
  })

  test('can not make it too long, another kind, or anything of one that is decided', async () => {
    await using desk = await openPostingDesk()
    const id = await desk.propose()
    const edit = (parts: readonly string[]) => desk.call('edit_item', { id, rev: 1, parts })
    expect((await edit(['x'.repeat(501)])).error?.code).toBe('tweet_too_long')
    expect((await edit(['one', 'two'])).error?.code).toBe('validation_error')
    await desk.call('reject_item', { id }, operator)
    expect((await edit(['late'])).error?.code).toBe('conflict')
  })
})

describeBothDatabases('of two decisions at once', (database) => {
  test('one counts', async () => {
    await using one = await openPostingDesk({ location: await database.create() })
    await using two = await openPostingDesk({ foundation: one.foundation })
    const id = await one.propose()
    const answers = await Promise.all([
      one.call('approve_item', { id, rev: 1 }, operator),
      two.call('approve_item', { id, rev: 1 }, { ...operator, principal: 'operator:eve' }),
      one.call('reject_item', { id, rev: 1 }, operator),
      two.call('withdraw_item', { id }),
      two.call('edit_item', { id, rev: 1, parts: ['Something else.'] }),
    ])
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    await Promise.all([one.publisher.round(), two.publisher.round()])
    expect((await one.posts()).length).toBe((await one.item(id)).status === 'posted' ? 1 : 0)
  })
})
