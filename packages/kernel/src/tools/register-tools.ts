import type { Context, Worker } from '@callboard/worker'
import type { Agent } from '../kernel/agent.js'
import type { House } from '../open-house.js'
import { completeCode, completeSpec } from './complete-tool.js'
import { evalSpecFor, runEval } from './eval-tool.js'
import { eventsSpec, readEvents } from './events-tool.js'
import { help, helpSpec } from './help-tool.js'
import { historySpec, listRuns } from './history-tool.js'
import { imageSpec, imageTemplate, readImage } from './image-resource.js'
import { inspectName, inspectSpec } from './inspect-tool.js'
import { interruptRun, interruptSpec } from './interrupt-tool.js'
import { peekRun, peekSpec } from './peek-tool.js'
import { resetKernel, resetSpec } from './reset-tool.js'
import { readSession, sessionSpec } from './session-tool.js'
import { listVariables, variablesSpec } from './variables-tool.js'
import { waitForRun, waitSpecFor } from './wait-tool.js'

/** All tools and resources of the worker; those of the contract first. */
export function registerTools(worker: Worker, house: House): void {
  const { pool, runs, sessions } = house
  const tool: Worker['tool'] = (name: string, spec: never, handler: never) => {
    house.tools.push({ name, spec })
    return worker.tool(name, spec, handler)
  }
  const existing = (context: Context, name: string | null | undefined) => pool.find(agentOf(context), name)

  tool('weave_eval', evalSpecFor(house.config), (input, context) => runEval(input, context, agentOf(context), house))
  tool('weave_session', sessionSpec, (input, context) => {
    const agent = agentOf(context)
    return readSession(input, agent, house, pool.kernelOf(agent, input.kernel))
  })
  tool('weave_reset', resetSpec, (input, context) => resetKernel(input, agentOf(context), pool))
  tool('weave_help', helpSpec, async ({ topic }) => help(topic, await house.helpSource()))
  tool('weave_wait', waitSpecFor(house.config), (input, context) => waitForRun(input, context, agentOf(context), house))
  tool('weave_peek', peekSpec, (input, context) => peekRun(input, agentOf(context), house))
  tool('weave_interrupt', interruptSpec, (input, context) => interruptRun(input, agentOf(context), house))
  tool('weave_variables', variablesSpec, (input, context) => listVariables(input, existing(context, input.kernel)))
  tool('weave_inspect', inspectSpec, (input, context) => inspectName(input, existing(context, input.kernel)))
  tool('weave_complete', completeSpec, (input, context) => completeCode(input, existing(context, input.kernel)))
  tool('weave_history', historySpec, (input, context) => listRuns(input, agentOf(context), runs))
  tool('weave_events', eventsSpec, (input, context) =>
    readEvents(input, agentOf(context).owner, sessions.events, context.signal, house.attendance),
  )
  worker.resourceTemplate(imageTemplate, imageSpec, (uri, variables, context) =>
    readImage(uri, variables, async (runId) => {
      const { owner } = agentOf(context)
      return (await runs.find(owner, runId)) && house.spool.run(owner, runId).path
    }),
  )
}

/** The owner is who the call is for at its root: a scheduled run of an agent finds the agent's own things. */
function agentOf({ caller }: { readonly caller: Context['caller'] }): Agent {
  return { owner: caller.onBehalfOf ?? caller.principal, session: caller.session }
}
