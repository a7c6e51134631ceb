import type { Clock } from '@callboard/worker/clock'
import type { SchedulerEnvironment } from '../environment.js'
import type { Foundation } from '../foundation.js'
import type { Hub } from '../hub/hub.js'
import { ChatRunner } from './chat-runner.js'
import type { HubPlaces } from './child-environment.js'
import { runnerFor } from './choose-runner.js'
import { CommandRunner } from './command-runner.js'
import { Conversations } from './conversations.js'
import type { Runner } from './runner.js'
import { ToolRunner } from './tool-runner.js'

export interface RunnersOptions extends Pick<Foundation, 'store' | 'groups' | 'log'>, HubPlaces {
  readonly clock: Clock
  readonly hub: Hub
  readonly environment: SchedulerEnvironment
}

/** Carries each request out as its task and its group want it. */
export function openRunners({ environment, ...options }: RunnersOptions): Runner {
  const parts = {
    ...options,
    environment: environment.variables,
    conversations: new Conversations(options.store, options.clock),
  }
  const runners = { command: new CommandRunner(parts), http: new ChatRunner(parts), tool: new ToolRunner(parts) }
  return {
    async run(request, signal) {
      const chosen = runnerFor(request, runners)
      return 'run' in chosen ? chosen.run(request, signal) : { text: '', error: chosen }
    },
  }
}
