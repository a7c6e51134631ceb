import { expect, it, vi } from 'vitest'
import { AgentSession } from './support/agent-session.js'
import { commandOf, SchedulerInstallation, soon } from './support/scheduler-installation.js'

interface AttemptFile {
  readonly pid: number
  readonly child: number
  readonly environment: Readonly<Record<string, string>>
}

const patient = { timeout: 30_000, interval: 100 }

it('kill -9 in a run: it is taken over, what it has left is ended and may say nothing more, one retry succeeds', async () => {
  const groups = [
    { folder: 'main', tag: 'main', name: 'Main', admin: true },
    { folder: 'lab', tag: 'lab', name: 'Lab', runner: commandOf('holding-agent') },
  ]
  const installation = new SchedulerInstallation({ groups })
  await installation.up()
  using operator = await AgentSession.operator(installation)
  const task = { prompt: 'Work', schedule_type: 'once', target_chat_id: 'lab', ...soon() }
  const { task_id } = await operator.get('schedule_task', task)
  const first = await installation.read<AttemptFile>('lab', 'attempt-1.json')
  const token = first.environment['CALLBOARD_TOKEN']!
  // It belongs to the run, but is no member of its process group: nobody can end it.
  using escaped = await AgentSession.open(installation, token)
  const early = { text: 'early', priority: 'log' }
  expect(await escaped.call('send_message', early)).toMatchObject({ value: { state: 'logged' } })

  process.kill(installation.find('worker scheduler'), 'SIGKILL')
  const store = await installation.store()
  const run = () => store.db.selectFrom('runs').selectAll().where('task_id', '=', task_id).executeTakeFirstOrThrow()
  await vi.waitFor(async () => expect(await run()).toMatchObject({ state: 'waiting', attempts: 1 }), patient)
  const alive = installation.processes()
  expect(alive).not.toContain(first.pid)
  expect(alive).not.toContain(first.child)

  const late = { text: 'late', priority: 'log' }
  expect(await escaped.call('send_message', late)).toMatchObject({ code: 'unauthorized' })
  const anew = await installation.run(['call', 'send_message', 'text=late'], { CALLBOARD_TOKEN: token })
  expect(anew).toMatchObject({ code: 2, stderr: expect.stringContaining('or has ended') })
  const said = async () => (await store.db.selectFrom('messages').select('text').execute()).map(({ text }) => text)
  expect((await said()).sort()).toEqual(['before', 'early'])

  const { retry_at, finished_at } = await run()
  expect(finished_at).toBeNull()
  expect(retry_at).toBeGreaterThan(Date.now())
  // Half a minute is enough to be seen in the row; the test need not wait for it.
  await store.db.updateTable('runs').set({ retry_at: Date.now() }).where('task_id', '=', task_id).execute()
  await operator.get('schedule_task', { ...task, prompt: 'Wakes the engine', ...soon(3_600_000) })
  await vi.waitFor(async () => expect(await run()).toMatchObject({ outcome: 'ok', attempts: 2 }), patient)
  const { attempts } = await operator.get('list_runs', { run_id: (await run()).id })
  expect(attempts).toMatchObject([
    { attempt: 2, outcome: 'ok', result: 'attempt 2 is done' },
    { attempt: 1, outcome: 'abandoned' },
  ])
  expect((await said()).sort()).toEqual(['before', 'early'])
  const { entries } = await operator.get('get_activity_log', { agent: 'lab', limit: 100 })
  const types = (entries as { event_type: string }[]).map(({ event_type }) => event_type)
  for (const type of ['run_abandoned', 'run_retry', 'agent_completed']) {
    expect(types.filter((each) => each === type)).toHaveLength(1)
  }
}, 90_000)
