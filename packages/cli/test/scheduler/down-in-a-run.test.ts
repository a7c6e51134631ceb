import { expect, it, vi } from 'vitest'
import { AgentSession } from './support/agent-session.js'
import { commandOf, SchedulerInstallation, soon } from './support/scheduler-installation.js'

const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true, runner: commandOf('holding-agent') }]

it('down while a program runs: nothing of it stays, and the next start gives it its retry', async () => {
  const installation = new SchedulerInstallation({ groups })
  await installation.up()
  {
    using agent = await AgentSession.open(installation)
    await agent.get('schedule_task', { prompt: 'Work', schedule_type: 'once', ...soon() })
  }
  await installation.read('main', 'before.json')
  expect(await installation.run(['down'])).toMatchObject({ code: 0 })
  await vi.waitFor(() => expect(installation.processes()).toEqual([]), { timeout: 20_000, interval: 100 })

  const store = await installation.store()
  const run = () => store.db.selectFrom('runs').selectAll().executeTakeFirstOrThrow()
  expect(await run()).toMatchObject({ state: 'waiting', attempts: 1, outcome: null })
  const [attempt] = await store.db.selectFrom('attempts').selectAll().execute()
  expect(attempt).toMatchObject({ outcome: 'abandoned', error: expect.stringContaining('stopped') })
  expect(await store.db.selectFrom('processes').selectAll().execute()).toEqual([])
  const events = await store.db.selectFrom('activity').select('event_type').execute()
  expect(events.filter(({ event_type }) => event_type === 'system_stopped')).toHaveLength(1)

  await store.db.updateTable('runs').set({ retry_at: Date.now() }).execute()
  await installation.up()
  await vi.waitFor(async () => expect(await run()).toMatchObject({ outcome: 'ok', attempts: 2 }), {
    timeout: 20_000,
    interval: 100,
  })
}, 90_000)
