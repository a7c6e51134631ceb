import { expect, it, vi } from 'vitest'
import { AgentSession } from './support/agent-session.js'
import { commandOf, SchedulerInstallation, soon } from './support/scheduler-installation.js'

const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true, runner: commandOf('holding-agent') }]

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'no program of a scheduler that is stopped outlives `up`, ended by %s',
  async (signal) => {
    const installation = new SchedulerInstallation({ groups })
    const up = await installation.up()
    {
      using agent = await AgentSession.open(installation)
      await agent.get('schedule_task', { prompt: 'Work', schedule_type: 'once', ...soon() })
    }
    await installation.read('main', 'before.json')
    process.kill(installation.find('worker scheduler'), 'SIGSTOP')
    up.kill(signal)
    await vi.waitFor(() => expect(installation.processes()).toEqual([]), { timeout: 10_000, interval: 100 })
  },
  60_000,
)
