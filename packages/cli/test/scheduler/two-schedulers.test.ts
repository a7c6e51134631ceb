import { describeBothDatabases } from '@callboard/store/testing'
import { systemClock } from '@callboard/worker/clock'
import { expect, it, vi } from 'vitest'
import { idMaker } from '../../../scheduler/src/ids.js'
import { taskRow } from '../../../scheduler/test/support/engine-rig.js'
import { SchedulerInstallation } from './support/scheduler-installation.js'

const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true }]
const taskCount = 50
const slotsEach = 10
const everyMs = 1_000

describeBothDatabases('two schedulers', ({ create }) => {
  it(`share ${taskCount * slotsEach} slots: each runs once`, async () => {
    const installation = new SchedulerInstallation({
      groups,
      location: await create(),
      config: { max_concurrent_runs: 16 },
    })
    const store = await installation.store()
    const admin = { folder: 'main', tag: 'main', name: 'Main', is_admin: 1 as const }
    await store.db.insertInto('groups').values(admin).execute()
    // Both are up by then.
    const anchor = Date.now() + 6_000
    const foundation = { clock: systemClock, newId: idMaker(systemClock) }
    const schedule = { type: 'interval' as const, everyMs, anchor, timeZone: 'UTC' }
    const tasks = Array.from({ length: taskCount }, (_, n) => {
      const args = JSON.stringify({ text: `task ${n}`, priority: 'log' })
      const next = { next_fire: anchor + everyMs, due_at: anchor + everyMs }
      return taskRow(foundation, { schedule, tool: 'send_message', args, overlap: 'allow', ...next })
    })
    await store.db.insertInto('tasks').values(tasks).execute()

    await installation.hub()
    await Promise.all([installation.scheduler(), installation.scheduler()])
    const last = anchor + slotsEach * everyMs
    const slots = () => store.db.selectFrom('runs').selectAll().where('scheduled_for', '<=', last).execute()
    await vi.waitFor(
      async () => {
        const rows = await slots()
        expect(rows.length).toBe(taskCount * slotsEach)
        expect(rows.filter(({ state }) => state !== 'ended')).toEqual([])
      },
      { timeout: 60_000, interval: 250 },
    )

    const runs = await slots()
    const expected = tasks.flatMap(({ id }) =>
      Array.from({ length: slotsEach }, (_, k) => `${id} ${anchor + (k + 1) * everyMs}`),
    )
    expect(runs.map(({ task_id, scheduled_for }) => `${task_id} ${scheduled_for}`).sort()).toEqual(expected.sort())
    expect(runs.filter(({ outcome, attempts }) => outcome !== 'ok' || attempts !== 1)).toEqual([])
    const ids = new Set(runs.map(({ id }) => id))
    const inSlots = (rows: readonly { readonly run_id: string | null }[]) =>
      rows.map(({ run_id }) => run_id).filter((id) => id !== null && ids.has(id))
    // What the runs have done, and the attempts at it: one each.
    const messages = await store.db.selectFrom('messages').select('run_id').execute()
    expect(inSlots(messages).sort()).toEqual([...ids].sort())
    const attempts = await store.db.selectFrom('attempts').select(['run_id', 'owner']).execute()
    expect(inSlots(attempts).sort()).toEqual([...ids].sort())
    expect(new Set(attempts.map(({ owner }) => owner)).size).toBe(2)
  }, 120_000)
})
