import { once } from 'node:events'
import { expect, it } from 'vitest'
import { AgentSession } from './support/agent-session.js'
import { SchedulerInstallation } from './support/scheduler-installation.js'

const groups = [{ folder: 'main', tag: 'main', name: 'Main', admin: true }]

it.each([
  ['SIGKILL', 'unavailable'],
  // Whoever asks at once asks the one that stands still, and nobody can tell whether it has begun.
  ['SIGSTOP', 'outcome_unknown'],
] as const)(
  'a scheduler after %s: its status is an error, never an old status',
  async (signal, told) => {
    const installation = new SchedulerInstallation({ groups })
    await installation.hub()
    const scheduler = await installation.scheduler()
    using agent = await AgentSession.open(installation)
    expect(await agent.call('get_system_status')).toMatchObject({ value: { registered_groups: 1 } })
    const ended = once(scheduler, 'exit')
    scheduler.kill(signal)
    if (signal === 'SIGKILL') await ended

    const { value, code, message } = await agent.call('get_system_status')
    expect({ value, code }).toEqual({ value: undefined, code: told })
    expect(message).toMatch(/worker of (scheduler|get_system_status)/)
  },
  90_000,
)
