import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { AgentSession } from './support/agent-session.js'
import { commandOf, SchedulerInstallation, soon } from './support/scheduler-installation.js'

it('a hub killed while a program runs: its open connection goes on with the next hub, and the run ends well', async () => {
  const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true, runner: commandOf('holding-agent') }]
  const installation = new SchedulerInstallation({ groups })
  const hub = await installation.hub()
  await installation.scheduler()
  {
    using agent = await AgentSession.open(installation)
    await agent.get('schedule_task', { prompt: 'Work', schedule_type: 'once', ...soon() })
  }
  expect(await installation.read('main', 'before.json')).toMatchObject({ structuredContent: { state: 'logged' } })

  const ended = once(hub, 'exit')
  hub.kill('SIGKILL')
  await ended
  await installation.hub()
  // It asks at once, so that it may come before the scheduler has signed in and made its token good again.
  writeFileSync(installation.path('main', 'go'), '')

  expect(await installation.read('main', 'after.json')).toMatchObject({ structuredContent: { state: 'logged' } })
  using operator = await AgentSession.operator(installation)
  await vi.waitFor(
    async () => {
      const { runs } = await operator.get('list_runs')
      expect(runs).toMatchObject([{ outcome: 'ok', attempts: 1 }])
    },
    { timeout: 20_000, interval: 100 },
  )
  const store = await installation.store()
  const messages = await store.db.selectFrom('messages').select(['text', 'run_id']).orderBy('created_at').execute()
  expect(messages.map(({ text }) => text)).toEqual(['before', 'after'])
  expect(new Set(messages.map(({ run_id }) => run_id)).size).toBe(1)
}, 60_000)
