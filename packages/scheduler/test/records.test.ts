import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { recordActivity } from '../src/activity/record-activity.js'
import { openTestFoundation } from './support/test-foundation.js'

describeBothDatabases('the schema', (database) => {
  it('is made, and takes activity with any text', async () => {
    await using foundation = await openTestFoundation({ location: await database.create() })
    const { store, clock } = foundation
    await recordActivity(store.db, {
      at: clock.now(),
      type: 'system_started',
      summary: 'a\0b\nc',
      details: { x: '\ud800' },
    })
    const rows = await store.db.selectFrom('activity').select(['summary', 'ts']).execute()
    expect(rows).toEqual([{ summary: 'a\ufffdb c', ts: clock.now() }])
  })

  it('keeps one live task of a name per group', async () => {
    await using foundation = await openTestFoundation({ location: await database.create() })
    const task = (id: string, cancelledAt: number | null) =>
      foundation.store.db
        .insertInto('tasks')
        .values({
          id,
          group_folder: 'lab',
          name: 'daily',
          prompt: 'p',
          schedule_type: 'cron',
          schedule_value: '0 9 * * *',
          timezone: 'UTC',
          anchor: 0,
          context_mode: 'group',
          missed: 'latest',
          overlap: 'skip',
          jitter_ms: 0,
          expect: 'any',
          deliver: 'none',
          depth: 0,
          status: 'active',
          failures: 0,
          version: 1,
          created_by: 'agent:lab',
          creator_group: 'lab',
          created_at: 0,
          cancelled_at: cancelledAt,
        })
        .execute()
    await task('task_a', 5)
    await task('task_b', null)
    await expect(task('task_c', null)).rejects.toThrow(/unique|UNIQUE/)
  })
})
