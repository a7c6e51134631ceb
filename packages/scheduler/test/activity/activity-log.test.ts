import { describeBothDatabases } from '@callboard/store/testing'
import { defineWorker } from '@callboard/worker'
import { connectForTest, type TestLink, textOf } from '@callboard/worker/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { activityText, readActivity } from '../../src/activity/activity-log.js'
import { type ActivityEntry, eventTypes, recordActivity } from '../../src/activity/record-activity.js'
import { getActivityLogTool } from '../../src/tools/get-activity-log-tool.js'
import { serveTool } from '../../src/tools/serve-tool.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

interface Log {
  readonly entries: readonly { readonly summary: string; readonly event_type: string }[]
  readonly warnings: readonly string[]
}

describeBothDatabases('the activity log', (database) => {
  let foundation: TestFoundation
  let link: TestLink

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create() })
    const worker = defineWorker({ service: 'scheduler', version: '1' })
    serveTool(worker, getActivityLogTool(foundation), foundation)
    link = await connectForTest(worker)
  })
  afterEach(async () => {
    await link.close()
    await foundation[Symbol.asyncDispose]()
  })

  const record = (entry: Partial<ActivityEntry>) =>
    recordActivity(foundation.store.db, { at: foundation.clock.now(), type: 'agent_started', summary: 's', ...entry })

  const ask = (args: object) => link.callTool<Log>('get_activity_log', { ...args }, { group: 'main' })
  const summaries = async (args: object) => (await ask(args)).structuredContent?.entries.map(({ summary }) => summary)

  it('finds an event that is older than 500 others', async () => {
    await record({ type: 'trigger_email_sent', group: 'lab', summary: 'the one' })
    const { db } = foundation.store
    const row = { event_type: 'agent_started', group_folder: 'main', summary: 'other', details: '{}' }
    await db
      .insertInto('activity')
      .values(Array.from({ length: 600 }, (_, n) => ({ ...row, ts: foundation.clock.now() + n })))
      .execute()
    expect(await summaries({ event_type: 'trigger_email_sent' })).toEqual(['the one'])
    expect(await summaries({ agent: 'lab', limit: 1 })).toEqual(['the one'])
    expect(await summaries({ agent: 'main', event_type: 'trigger_email_sent' })).toEqual([])
    expect(await summaries({})).toHaveLength(50)
    expect(await summaries({ limit: 500 })).toHaveLength(500)
  })

  it('tells the newest first, and of one moment the last', async () => {
    await record({ summary: 'a' })
    await record({ summary: 'b' })
    foundation.clock.advance(1_000)
    await record({ summary: 'c' })
    expect(await summaries({})).toEqual(['c', 'b', 'a'])
    expect(await summaries({ limit: 2 })).toEqual(['c', 'b'])
  })

  it('reads as lines', async () => {
    await record({
      group: 'lab',
      taskId: 'task_1',
      runId: 'run_1',
      summary: 'It ran.',
      details: { took_ms: 5, text: 'a\nb' },
    })
    await record({ type: 'system_stopped', summary: 'Bye.' })
    expect(activityText(await readActivity(foundation.store.db, { limit: 9 }))).toBe(
      [
        '[2026-03-02T12:00:00.000Z] system_stopped [-] Bye.',
        '[2026-03-02T12:00:00.000Z] agent_started [lab] It ran.',
        '  task_id: task_1',
        '  run_id: run_1',
        '  took_ms: 5',
        '  text: a b',
      ].join('\n'),
    )
    const answer = await ask({ agent: 'lab' })
    expect(answer.structuredContent).toEqual({
      entries: [
        {
          id: expect.any(Number),
          ts: '2026-03-02T12:00:00.000Z',
          event_type: 'agent_started',
          group: 'lab',
          task_id: 'task_1',
          run_id: 'run_1',
          summary: 'It ran.',
          details: { took_ms: 5, text: 'a\nb' },
        },
      ],
      warnings: [],
    })
    expect(textOf(answer)).toContain('[2026-03-02T12:00:00.000Z] agent_started [lab] It ran.\n  task_id: task_1\n')
  })

  it('cuts what is too long, and what is left can be read', async () => {
    await record({ summary: `a ${'b'.repeat(300)}`, details: { text: '"\0\ud800'.repeat(5_000) } })
    const [entry] = await readActivity(foundation.store.db, { limit: 1 })
    expect(entry?.summary).toHaveLength(201)
    expect(entry?.details).toEqual({ cut: expect.stringContaining('{"text":"') })
    expect(JSON.stringify(entry?.details).length).toBeLessThan(10_000)
  })

  it('is for the admin group', async () => {
    const answer = await link.callTool('get_activity_log', {}, { group: 'lab' })
    expect(answer._meta?.['callboard/error']).toMatchObject({ code: 'FORBIDDEN' })
    const operator = await link.callTool('get_activity_log', {}, { principal: 'operator:local', roles: ['operator'] })
    expect(operator.isError).toBeUndefined()
  })

  it.each([0, -1, 1.5, 501, '50', null])('takes no limit of %j', async (limit) => {
    const { _meta } = await ask({ limit })
    expect(_meta?.['callboard/error']).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(`limit: must be`),
    })
  })

  it('lists the types to who asks for one that there is not', async () => {
    const { _meta } = await ask({ event_type: 'agent_exploded' })
    expect(_meta?.['callboard/error']).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `event_type: must be one of ${eventTypes.join(', ')} (got "agent_exploded")`,
    })
  })

  it('warns of a group that there is not, but not of one that was removed', async () => {
    const unknown = await ask({ agent: 'labb' })
    expect(unknown.structuredContent).toEqual({
      entries: [],
      warnings: ['There is no group labb; there are lab, main.'],
    })
    expect(textOf(unknown)).toContain('There is no group labb')
    await foundation.store.db
      .updateTable('groups')
      .set({ removed_at: 1, tag: null })
      .where('folder', '=', 'lab')
      .execute()
    expect((await ask({ agent: 'lab' })).structuredContent).toEqual({ entries: [], warnings: [] })
  })
})
