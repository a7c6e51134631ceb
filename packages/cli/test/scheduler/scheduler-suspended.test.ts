import { writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { AgentSession } from './support/agent-session.js'
import { commandOf, SchedulerInstallation, soon } from './support/scheduler-installation.js'

const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true, runner: commandOf('holding-agent') }]
const patient = { timeout: 60_000, interval: 100 }

it.each([
  ['which still works', 'an older, idle one', []],
  ['which ends well meanwhile', 'a newer one', ['leave']],
])(
  'a scheduler suspended beyond its lease with a program %s: %s takes over, and its result is dropped',
  async (_, survivor, words) => {
    const idle = new SchedulerInstallation({ groups })
    // With a hub of its own, and the same data: the idle one hears nothing of what this one is asked for.
    const installation = new SchedulerInstallation({ groups, variables: { CALLBOARD_DATA: idle.data } })
    const startIdle = async () => {
      await idle.hub()
      await idle.scheduler()
    }
    if (survivor !== 'a newer one') await startIdle()
    await installation.hub()
    const busy = await installation.scheduler()
    if (survivor === 'a newer one') await startIdle()
    {
      using agent = await AgentSession.open(installation)
      await agent.get('schedule_task', { prompt: 'Work', schedule_type: 'once', ...soon() })
    }
    const first = await idle.read<{ readonly pid: number; readonly child: number }>('main', 'attempt-1.json')
    await idle.read('main', 'before.json')
    const store = await idle.store()
    const attempts = () => store.db.selectFrom('attempts').select(['n', 'owner', 'outcome']).orderBy('n').execute()
    const run = () => store.db.selectFrom('runs').selectAll().executeTakeFirstOrThrow()
    const fenced = () => store.db.selectFrom('activity').selectAll().where('event_type', '=', 'run_fenced').execute()

    busy.kill('SIGSTOP')
    for (const word of words) writeFileSync(idle.path('main', word), '')
    await vi.waitFor(async () => expect(await run()).toMatchObject({ state: 'waiting', attempts: 1 }), patient)
    for (const left of [first.pid, first.child]) expect(installation.processes()).not.toContain(left)
    // Half a minute is enough to be seen in the row; the test need not wait for it.
    await store.db.updateTable('runs').set({ retry_at: Date.now() }).execute()
    await vi.waitFor(async () => expect(await run()).toMatchObject({ outcome: 'ok', attempts: 2 }), patient)
    expect(await fenced()).toEqual([])

    busy.kill('SIGCONT')
    await vi.waitFor(async () => expect(await fenced()).toHaveLength(1), patient)
    const [one, two] = await attempts()
    expect([one, two]).toMatchObject([
      { n: 1, outcome: 'abandoned' },
      { n: 2, outcome: 'ok' },
    ])
    expect(two!.owner).not.toBe(one!.owner)
    expect(await run()).toMatchObject({ state: 'ended', outcome: 'ok', attempts: 2 })
  },
  150_000,
)
