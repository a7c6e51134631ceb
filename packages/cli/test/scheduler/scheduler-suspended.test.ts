import { writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { AgentSession } from './support/agent-session.js'
import { commandOf, SchedulerInstallation, soon } from './support/scheduler-installation.js'

const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true, runner: commandOf('holding-agent') }]
const patient = { timeout: 60_000, interval: 100 }

it.each([
  ['which still works', []],
  ['which ends well meanwhile', ['leave']],
])(
  'a scheduler suspended beyond its lease with a program %s: another one takes over, and its result is dropped',
  async (_, words) => {
    const installation = new SchedulerInstallation({ groups })
    await installation.hub()
    await installation.scheduler()
    await installation.scheduler()
    {
      using agent = await AgentSession.open(installation)
      await agent.get('schedule_task', { prompt: 'Work', schedule_type: 'once', ...soon() })
    }
    const first = await installation.read<{ readonly pid: number; readonly child: number }>('main', 'attempt-1.json')
    await installation.read('main', 'before.json')
    const store = await installation.store()
    const attempts = () => store.db.selectFrom('attempts').select(['n', 'owner', 'outcome']).orderBy('n').execute()
    const run = () => store.db.selectFrom('runs').selectAll().executeTakeFirstOrThrow()
    const fenced = () => store.db.selectFrom('activity').selectAll().where('event_type', '=', 'run_fenced').execute()

    const [{ owner } = { owner: '' }] = await attempts()
    const processes = await store.db.selectFrom('processes').select(['id', 'pid']).execute()
    const { pid } = processes.find(({ id }) => id === owner)!
    process.kill(pid, 'SIGSTOP')
    for (const word of words) writeFileSync(installation.path('main', word), '')
    await vi.waitFor(async () => expect(await run()).toMatchObject({ state: 'waiting', attempts: 1 }), patient)
    for (const left of [first.pid, first.child]) expect(installation.processes()).not.toContain(left)
    // Half a minute is enough to be seen in the row; the test need not wait for it.
    await store.db.updateTable('runs').set({ retry_at: Date.now() }).execute()
    await vi.waitFor(async () => expect(await run()).toMatchObject({ outcome: 'ok', attempts: 2 }), patient)
    expect(await fenced()).toEqual([])

    process.kill(pid, 'SIGCONT')
    await vi.waitFor(async () => expect(await fenced()).toHaveLength(1), patient)
    const [one, two] = await attempts()
    expect([one, two]).toMatchObject([
      { n: 1, owner, outcome: 'abandoned' },
      { n: 2, outcome: 'ok' },
    ])
    expect(two!.owner).not.toBe(owner)
    expect(await run()).toMatchObject({ state: 'ended', outcome: 'ok', attempts: 2 })
  },
  150_000,
)
