import type { Context } from '@callboard/worker'
import type { Foundation } from '../../src/foundation.js'
import type { Actor } from '../../src/tools/actor.js'
import type { ChangingTool, Reply, SchedulerTool } from '../../src/tools/scheduler-tool.js'

/** Who calls, in a test: an agent of a group, outside of a run unless told otherwise. */
export function actorOf({ groups }: Foundation, folder: string, change: Partial<Actor> = {}): Actor {
  const group = groups.byFolder(folder)!
  return {
    principal: `agent:${folder}`,
    group,
    isAdmin: group.isAdmin,
    isOperator: false,
    triggerDepth: 0,
    ...change,
  }
}

/** One call of a tool that changes something, as the worker makes it: parsed, in one transaction, then what comes after. */
export async function callChanging(
  { store }: Foundation,
  tool: SchedulerTool,
  args: unknown,
  actor: Actor,
): Promise<Reply<{ [key: string]: unknown }>> {
  const { input, output, change, afterwards } = tool as ChangingTool<never, never>
  const context = {} as Context
  const parsed = (input as SchedulerTool['input']).parse(args) as never
  const stored = await store.transaction((tx) => change(parsed, actor, tx, context))
  const reply = afterwards === undefined ? stored : await afterwards(stored, actor, context)
  return { ...reply, value: (output as SchedulerTool['output']).strict().parse(reply.value) }
}
