import { describeBothDatabases } from '@callboard/store/testing'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../src/records/schema.js'
import { listTasks } from '../../src/tasks/list-tasks.js'
import { admin, daily, openDesk } from '../support/task-desk.js'

const hour = 60 * 60_000

describeBothDatabases('list_tasks', (database) => {
  it("shows an agent its group's tasks, the admin group all of them", async () => {
    await using desk = await openDesk({ location: await database.create() })
    const boss = admin(desk.foundation)
    const mine = await desk.call('schedule_task', daily)
    const theirs = await desk.call('schedule_task', daily, boss)
    expect(await desk.call('list_tasks')).toMatchObject({ total: 1, tasks: [{ task_id: mine.task_id, group: 'lab' }] })
    expect((await desk.call('list_tasks', {}, boss)).tasks.map(({ task_id }) => task_id)).toEqual([
      mine.task_id,
      theirs.task_id,
    ])
    expect(await desk.refused('list_tasks', { group: 'main' })).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('says of each task what it is, what comes, and how the last run went', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const now = desk.foundation.clock.now()
    const { task_id, next_fires } = await desk.call('schedule_task', {
      ...daily,
      name: 'papers',
      prompt: '😀'.repeat(300),
    })
    const ended = { state: 'ended', started_at: now - 3 * hour, finished_at: now - 2 * hour } as const
    await desk.addRun({ task_id, ...ended, scheduled_for: now - 5 * hour, outcome: 'ok' })
    const last = await desk.addRun({ task_id, ...ended, scheduled_for: now - 3 * hour, outcome: 'dead', error: 'No.' })
    // Redriven later, but an older slot.
    await desk.addRun({ task_id, ...ended, scheduled_for: now - 4 * hour, outcome: 'ok' })
    await desk.addRun({ task_id, state: 'running', started_at: now })
    await desk.foundation.store.db.updateTable('tasks').set({ failures: 2 }).execute()
    expect((await desk.call('list_tasks')).tasks).toEqual([
      {
        task_id,
        name: 'papers',
        group: 'lab',
        prompt: '😀'.repeat(200),
        schedule_type: 'cron',
        schedule_value: '0 9 * * *',
        timezone: 'Europe/Paris',
        context_mode: 'group',
        status: 'active',
        pause_reason: null,
        running: true,
        next_fires,
        last_run: {
          run_id: last,
          outcome: 'dead',
          scheduled_for: '2026-03-02T09:00:00.000Z',
          finished_at: '2026-03-02T10:00:00.000Z',
          duration_ms: hour,
          error: 'No.',
        },
        consecutive_failures: 2,
      },
    ])
  })

  it('asks the same few questions of the database for 100 tasks with history as for one', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const { store, clock } = desk.foundation
    const questions = async () => {
      const counter = countQueries(store.db)
      const { tasks } = await listTasks(counter.db, 'lab')
      return { queries: counter.count(), tasks: tasks.length, withRun: tasks.filter(({ lastRun }) => lastRun).length }
    }
    const add = async () => {
      const { task_id } = await desk.call('schedule_task', daily)
      for (let slot = 0; slot < 5; slot += 1) {
        await desk.addRun({ task_id, scheduled_for: slot, state: 'ended', outcome: 'ok' })
      }
    }
    await add()
    const forOne = await questions()
    for (let n = 1; n < 100; n += 1) {
      if (n === 50) clock.advance(hour)
      await add()
    }
    expect(forOne).toEqual({ queries: 3, tasks: 1, withRun: 1 })
    expect(await questions()).toEqual({ queries: 3, tasks: 100, withRun: 100 })
  })
})

describe('list_tasks', () => {
  it('shows what lives before what has ended, newest end first', async () => {
    await using desk = await openDesk()
    const ids: string[] = []
    for (let n = 0; n < 4; n += 1) ids.push((await desk.call('schedule_task', daily)).task_id)
    const end = (id: string, at: number) =>
      desk.foundation.store.db
        .updateTable('tasks')
        .set({ status: 'completed', ended_at: at, next_fire: null })
        .where('id', '=', id)
        .execute()
    await end(ids[0]!, 10)
    await end(ids[1]!, 20)
    await desk.call('pause_task', { task_id: ids[2] })
    const { tasks, text } = await desk.call('list_tasks')
    expect(tasks.map(({ task_id }) => task_id)).toEqual([ids[2], ids[3], ids[1], ids[0]])
    expect(text).toBe('4 tasks: 1 paused, 1 active, 2 completed.')
    expect(tasks.map(({ next_fires }) => next_fires.length)).toEqual([0, 3, 0, 0])
  })

  it('shows a task whose row makes no sense, without fires', async () => {
    await using desk = await openDesk()
    await desk.call('schedule_task', daily)
    await desk.foundation.store.db
      .updateTable('tasks')
      .set({ schedule_value: 'never', args: '[', context_mode: 'x' as 'group' })
      .execute()
    expect((await desk.call('list_tasks')).tasks).toMatchObject([{ schedule_value: 'never', next_fires: [] }])
  })

  it('says when there is nothing', async () => {
    await using desk = await openDesk()
    expect(await desk.call('list_tasks')).toEqual({ tasks: [], total: 0, text: 'There are no tasks.' })
  })
})

function countQueries(db: Database): { readonly db: Database; count(): number } {
  let queries = 0
  const counted = db.withPlugin({
    transformQuery({ node }) {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { db: counted, count: () => queries }
}

it('lists a row that makes no sense beside the others', async () => {
  await using desk = await openDesk()
  const { task_id } = await desk.call('schedule_task', daily)
  await desk.call('schedule_task', daily)
  const { db } = desk.foundation.store
  await db
    .updateTable('tasks')
    .set({ anchor: 9e15, next_fire: 8.7e15, failures: 1.5 })
    .where('id', '=', task_id)
    .execute()
  const { tasks } = await desk.call('list_tasks')
  expect(tasks).toMatchObject([{ task_id, next_fires: [], consecutive_failures: 0 }, { next_fires: [{}, {}, {}] }])
})
