import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Action, recordAction } from '../../src/activity/record-action.js'
import { getActionCountsTool } from '../../src/tools/get-action-counts-tool.js'
import { getActionLogTool } from '../../src/tools/get-action-log-tool.js'
import { type Answer, type CallTool, serveForTest } from '../support/call-tool.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const hour = 60 * 60_000

describeBothDatabases('the action log', (database) => {
  let foundation: TestFoundation
  let call: CallTool
  let close: () => Promise<unknown>

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create() })
    const served = await serveForTest([getActionLogTool(foundation), getActionCountsTool(foundation)], foundation)
    call = served.call
    close = () => served.link.close()
  })
  afterEach(async () => {
    await close()
    await foundation[Symbol.asyncDispose]()
  })

  const record = (message: string, action: Partial<Action> = {}) =>
    recordAction(foundation.store.db, {
      at: foundation.clock.now(),
      type: 'tweet',
      status: 'success',
      message,
      ...action,
    })
  const messages = ({ data }: Answer) => (data as readonly { message: string }[]).map(({ message }) => message)

  it('is shown oldest first, with everything in it', async () => {
    await record('one', { metadata: { item: 7 }, principal: 'agent:ada', correlationId: 'c' })
    foundation.clock.advance(1)
    await record('two', { type: 'discovery_reply', status: 'skipped' })
    const answer = await call('get_action_log')
    expect(answer.data).toEqual([
      {
        id: 1,
        action_type: 'tweet',
        status: 'success',
        message: 'one',
        metadata: { item: 7 },
        created_at: '2026-03-02T12:00:00.000Z',
      },
      {
        id: 2,
        action_type: 'discovery_reply',
        status: 'skipped',
        message: 'two',
        metadata: {},
        created_at: '2026-03-02T12:00:00.001Z',
      },
    ])
    expect(answer.meta).toMatchObject({ pagination: { result_count: 2, has_more: false }, provider_backend: 'local' })
    expect(answer.meta.pagination).not.toHaveProperty('next_token')
  })

  it('has the newest page first, oldest first inside it', async () => {
    for (const message of ['a', 'b', 'c', 'd', 'e']) {
      await record(message)
      if (message !== 'b') foundation.clock.advance(1)
    }
    const first = await call('get_action_log', { limit: 2 })
    expect(messages(first)).toEqual(['d', 'e'])
    expect(first.meta.pagination).toMatchObject({ result_count: 2, has_more: true })
    await record('new ones do not move the pages')
    const second = await call('get_action_log', { limit: 2, cursor: first.meta.pagination!.next_token })
    expect(messages(second), 'two of one millisecond are kept apart').toEqual(['b', 'c'])
    const third = await call('get_action_log', { limit: 2, cursor: second.meta.pagination!.next_token })
    expect(messages(third)).toEqual(['a'])
    expect(third.meta.pagination).toEqual({ result_count: 1, has_more: false })
  })

  it('reaches as far back as asked, 24 hours by default', async () => {
    await record('old')
    foundation.clock.advance(24 * hour)
    expect(messages(await call('get_action_log')), 'the border is inside').toEqual(['old'])
    foundation.clock.advance(1)
    expect(messages(await call('get_action_log'))).toEqual([])
    expect(messages(await call('get_action_log', { since_hours: 336 }))).toEqual(['old'])
  })

  it('is filtered by type and network', async () => {
    await record('post', { metadata: { network: 'bluesky' } })
    await record('thread', { type: 'thread', metadata: { network: 'local' } })
    expect(messages(await call('get_action_log', { action_type: 'thread' }))).toEqual(['thread'])
    const there = await call('get_action_log', { network: 'bluesky' })
    expect(messages(there)).toEqual(['post'])
    expect(there.meta).not.toHaveProperty('provider_backend')
  })

  it('is counted by type', async () => {
    await record('old')
    foundation.clock.advance(25 * hour)
    await record('a', { metadata: { network: 'x' } })
    await record('b', { status: 'failure' })
    await record('c', { type: 'thread' })
    expect((await call('get_action_counts')).data).toEqual({ thread: 1, tweet: 2 })
    expect((await call('get_action_counts', { since_hours: 336 })).data).toEqual({ thread: 1, tweet: 3 })
    expect((await call('get_action_counts', { network: 'x' })).data).toEqual({ tweet: 1 })
  })

  describe('refuses', () => {
    const foreign = Buffer.from('["get_recent_replies",1,2]').toString('base64url')
    const wrong = Buffer.from('["get_action_log","1",{}]').toString('base64url')
    it.each([
      [{ since_hours: 0 }, 'since_hours: must be at least 1'],
      [{ since_hours: 337 }, 'since_hours: must be at most 336'],
      [{ since_hours: 1.5 }, 'since_hours: must be a whole number'],
      [{ limit: 501 }, 'limit: must be at most 500'],
      [{ limit: '5' }, 'limit: must be a number'],
      [{ action_type: '' }, 'action_type: must not be empty'],
      [{ network: 'myspace' }, 'network: must be one of bluesky, mastodon, x, local'],
      [{ cursor: 'nonsense' }, 'cursor: must be the meta.pagination.next_token of an earlier page of get_action_log'],
      [{ cursor: foreign }, 'cursor: must be the'],
      [{ cursor: wrong }, 'cursor: must be the'],
      [{ type: 'tweet' }, 'type: there is no such parameter'],
    ])('%j', async (args, message) => {
      const { error } = await call('get_action_log', args)
      expect(error?.code).toBe('validation_error')
      expect(error?.message).toContain(message)
    })
  })
})
