import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Action, recordAction } from '../../src/activity/record-action.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

describeBothDatabases('a line of the action log', (database) => {
  let foundation: TestFoundation

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create() })
  })
  afterEach(() => foundation[Symbol.asyncDispose]())

  async function record(action: Partial<Action>) {
    await recordAction(foundation.store.db, { at: 5, type: 'tweet', status: 'success', message: 'Done.', ...action })
    const row = await foundation.store.db.selectFrom('action_log').selectAll().executeTakeFirstOrThrow()
    return { ...row, metadata: JSON.parse(row.metadata) as { readonly [key: string]: unknown } }
  }

  it('has what it was given', async () => {
    const metadata = { network: 'bluesky', item: 7, nothing: undefined, list: [1, null] }
    expect(await record({ metadata, principal: 'agent:ada', correlationId: 'c-1' })).toMatchObject({
      action_type: 'tweet',
      status: 'success',
      message: 'Done.',
      network: 'bluesky',
      metadata: { network: 'bluesky', item: 7, list: [1, null] },
      principal: 'agent:ada',
      correlation_id: 'c-1',
      created_at: 5,
    })
  })

  it('has an empty object and nulls for what it was not', async () => {
    const row = await record({ metadata: { network: 5 } })
    expect(row).toMatchObject({ network: null, principal: null, correlation_id: null })
    expect((await record({})).metadata).toEqual({ network: 5 })
  })

  it('is cut where it is too long, and says so', async () => {
    const { message, metadata } = await record({
      message: 'm'.repeat(2_000),
      metadata: { text: 'x'.repeat(2_000), list: Array.from({ length: 5_000 }, (_, n) => n), item: 7 },
    })
    expect(message).toBe(`${'m'.repeat(1_000)}…`)
    expect(metadata).toEqual({ text: `${'x'.repeat(1_000)}…`, item: 7, omitted: ['list'] })
  })

  it('is written whatever was given: what is no JSON is named', async () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    const { metadata } = await record({ metadata: { circle, big: 1n, run: () => 1, item: 7 } })
    expect(metadata).toEqual({ item: 7, omitted: ['circle', 'big', 'run'] })
  })

  it('holds nothing that a database or a reader can not take', async () => {
    const { message, metadata } = await record({ message: 'a\0b\ud800', metadata: { text: 'a\0b\ud800' } })
    expect(message).toBe('a\uFFFDb\uFFFD')
    expect(metadata).toEqual({ text: 'a\uFFFDb\uFFFD' })
  })
})
