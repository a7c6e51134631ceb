import { describeBothDatabases } from '@callboard/store/testing'
import { describe, expect, it } from 'vitest'
import { ada, admin, type Desk, daily, openDesk } from '../support/task-desk.js'

const unknownTask = 'task_01JQ8Z6W4N3V5T7R9P2M1K0H8F'
const once = { prompt: 'p', schedule_type: 'once', schedule_value: '2026-03-02T14:00:00' }

async function end({ foundation }: Desk, status: 'completed' | 'failed'): Promise<void> {
  await foundation.store.db.updateTable('tasks').set({ status, ended_at: 5, next_fire: null, due_at: null }).execute()
}

describeBothDatabases('pause_task', (database) => {
  it('closes what waits for its turn or a retry; a run that goes on is finished', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const { task_id } = await desk.call('schedule_task', daily)
    const running = await desk.addRun({ task_id, scheduled_for: 1, state: 'running' })
    const waiting = await desk.addRun({ task_id, scheduled_for: 2, state: 'waiting' })
    const queued = await desk.addRun({ task_id, scheduled_for: 3 })
    const reply = await desk.call('pause_task', { task_id })
    expect(reply).toMatchObject({ task_id, status: 'paused', changed: true, next_fires: [], running_run: running })
    expect(await desk.row(task_id)).toMatchObject({ pause_reason: 'requested', next_fire: null, due_at: null })
    expect(await desk.run(running)).toMatchObject({ state: 'running' })
    for (const run of [waiting, queued])
      expect(await desk.run(run)).toMatchObject({ state: 'ended', outcome: 'cancelled' })
    expect(desk.scheduling.wakes).toBe(2)
    expect(await desk.call('pause_task', { task_id })).toMatchObject({ status: 'paused', changed: false })
    expect(await desk.activity()).toEqual(['task_created', 'task_paused'])
  })
})

describeBothDatabases('resume_task', (database) => {
  it('fires next from now on: what the pause has swallowed never fires', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const { task_id } = await desk.call('schedule_task', daily)
    await desk.call('pause_task', { task_id })
    await desk.foundation.store.db.updateTable('tasks').set({ failures: 5, pause_reason: 'auto' }).execute()
    desk.foundation.clock.set('2026-03-10T12:00:00Z')
    const reply = await desk.call('resume_task', { task_id })
    expect(reply).toMatchObject({ status: 'active', changed: true })
    expect(reply.next_fires.map(({ utc }) => Date.parse(utc))[0]).toBe(Date.parse('2026-03-11T08:00:00Z'))
    expect(await desk.row(task_id)).toMatchObject({
      next_fire: Date.parse('2026-03-11T08:00:00Z'),
      due_at: Date.parse('2026-03-11T08:00:00Z'),
      failures: 0,
      pause_reason: null,
    })
    expect(await desk.call('resume_task', { task_id })).toMatchObject({ changed: false, next_fires: reply.next_fires })
    expect(await desk.activity()).toEqual(['task_created', 'task_paused', 'task_resumed'])
  })
})

describeBothDatabases('cancel_task', (database) => {
  it('blanks what was to be done, keeps history, stops what runs', async () => {
    await using desk = await openDesk({ location: await database.create() })
    desk.hubTools = [{ name: 'web_search', inputSchema: { type: 'object' } }]
    const { task_id } = await desk.call('schedule_task', { ...daily, tool: 'web_search', args: { query: 'secret' } })
    const done = await desk.addRun({ task_id, scheduled_for: 1, state: 'ended', outcome: 'ok' })
    const running = await desk.addRun({ task_id, scheduled_for: 2, state: 'running' })
    const reply = await desk.call('cancel_task', { task_id })
    expect(reply).toMatchObject({ task_id, status: 'cancelled', changed: true, next_fires: [] })
    expect(reply['text']).toContain(running)
    expect(await desk.row(task_id)).toMatchObject({
      prompt: '',
      args: null,
      status: 'cancelled',
      cancelled_at: desk.foundation.clock.now(),
      next_fire: null,
      due_at: null,
    })
    expect(await desk.run(done)).toMatchObject({ outcome: 'ok' })
    expect(await desk.run(running)).toMatchObject({ state: 'ended', outcome: 'cancelled' })
    expect((await desk.call('list_tasks')).tasks).toEqual([])
    expect(await desk.activity()).toEqual(['task_created', 'task_cancelled'])
  })
})

describe('a task that has ended', () => {
  it.each(['completed', 'failed'] as const)(
    'as %s is neither paused nor resumed, but may be cancelled',
    async (status) => {
      await using desk = await openDesk()
      const { task_id } = await desk.call('schedule_task', once)
      await end(desk, status)
      expect(await desk.refused('pause_task', { task_id })).toMatchObject({ code: 'CONFLICT' })
      expect(await desk.refused('resume_task', { task_id })).toMatchObject({
        code: 'CONFLICT',
        hint: 'Schedule a new one.',
      })
      expect(await desk.call('cancel_task', { task_id })).toMatchObject({ changed: true })
    },
  )
})

describe('a paused task', () => {
  it('that was for once is not resumed when its time has passed', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', once)
    await desk.call('pause_task', { task_id })
    desk.foundation.clock.set('2026-03-02T13:00:00Z')
    expect(await desk.refused('resume_task', { task_id })).toMatchObject({
      code: 'CONFLICT',
      hint: 'Schedule a new one.',
    })
    expect(await desk.row(task_id)).toMatchObject({ status: 'paused' })
  })

  it('that is malformed is resumed once it has been repaired', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', { ...daily, name: 'papers' })
    await desk.foundation.store.db
      .updateTable('tasks')
      .set({ schedule_value: 'never', status: 'paused', pause_reason: 'auto' })
      .execute()
    expect(await desk.refused('resume_task', { task_id })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('schedule_value'),
    })
    await desk.call('schedule_task', { ...daily, name: 'papers' })
    expect(await desk.call('resume_task', { task_id })).toMatchObject({ status: 'active', changed: true })
  })

  it('of a group that is gone stays paused', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', daily)
    await desk.call('pause_task', { task_id })
    await desk.foundation.store.db
      .insertInto('groups')
      .values({ folder: 'gone', name: 'gone', is_admin: 0, removed_at: 1 })
      .execute()
    await desk.foundation.store.db.updateTable('tasks').set({ group_folder: 'gone' }).execute()
    expect(await desk.refused('resume_task', { task_id }, admin(desk.foundation))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('gone'),
    })
  })
})

describe.each(['pause_task', 'resume_task', 'cancel_task'])('%s', (tool) => {
  it('refuses what is no id of a task', async () => {
    await using desk = await openDesk()
    for (const task_id of [
      '',
      'task_1',
      unknownTask.toLowerCase(),
      `${unknownTask} `,
      unknownTask.replace('K', 'I'),
      7,
    ]) {
      expect(await desk.refused(tool, { task_id })).toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('task_id'),
      })
    }
    expect(await desk.refused(tool)).toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await desk.refused(tool, { task_id: unknownTask, force: true })).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('says the same of a foreign, a cancelled and an unknown task', async () => {
    await using desk = await openDesk()
    const foreign = await desk.call('schedule_task', daily, admin(desk.foundation))
    const cancelled = await desk.call('schedule_task', daily)
    await desk.call('cancel_task', { task_id: cancelled.task_id })
    const refusals = []
    for (const task_id of [foreign.task_id, cancelled.task_id, unknownTask]) {
      const refusal = await desk.refused(tool, { task_id })
      refusals.push({ ...refusal, message: refusal.message.replace(task_id, 'ID') })
    }
    expect(refusals[0]).toMatchObject({ code: 'NOT_FOUND' })
    expect(refusals[1]).toEqual(refusals[0])
    expect(refusals[2]).toEqual(refusals[0])
    expect(await desk.row(foreign.task_id)).toMatchObject({ status: 'active' })
  })

  it('takes any task from the admin group', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', daily)
    expect(await desk.call(tool, { task_id }, admin(desk.foundation))).toMatchObject({ task_id })
  })

  it("takes a task that another agent of the caller's group has made", async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', daily)
    const bob = ada(desk.foundation, { principal: 'agent:bob' })
    expect(await desk.call(tool, { task_id }, bob)).toMatchObject({ task_id })
  })
})
