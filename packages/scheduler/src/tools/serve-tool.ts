import { StoreError } from '@callboard/store'
import { type Context, result, text, type Worker } from '@callboard/worker'
import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import { refusal } from '../refusal.js'
import type { Actor } from './actor.js'
import { actorOf } from './actor-of.js'
import { callIdentity, callReplies } from './call-replies.js'
import { failureOf } from './failure-of.js'
import { requireLiveRun } from './live-run.js'
import { parseArguments } from './parse-arguments.js'
import { recordRefusal, withoutEvent } from './record-refusal.js'
import type { AnyReply, ChangingTool, Reader, SchedulerTool } from './scheduler-tool.js'

type Arguments = { readonly [key: string]: unknown }

/**
 * Registers a tool with all that is common to the tools of this worker: who may call it, strict input, one effect for each
 * idempotency key, an activity row for each refusal, and the form of answers and errors.
 */
export function serveTool(worker: Worker, tool: SchedulerTool, foundation: Foundation): void {
  const input = tool.input.def.catchall === undefined ? tool.input.strict() : tool.input
  const served = { ...tool, input } as SchedulerTool
  worker.tool(tool.name, specOf(served), async (given, context) => {
    try {
      return toResult(await answerCall(served, given, context, foundation))
    } catch (error) {
      const failure = failureOf(error, tool.name, context, foundation.log)
      // A database that has just failed would only keep the caller waiting.
      if (!(error instanceof StoreError)) await recordRefusal(failure, tool.name, context.caller, foundation)
      throw withoutEvent(failure)
    }
  })
}

/** The SDK takes anything, so that it is this worker's words in which input is refused. */
function specOf(tool: SchedulerTool) {
  const { $schema: _, '~standard': __, ...schema } = z.toJSONSchema(tool.input, { io: 'input' }) as Arguments
  return {
    title: tool.title,
    description: tool.description,
    input: z.looseObject({}),
    inputSchema: { ...schema, type: 'object' as const },
    output: tool.output,
    annotations: tool.annotations,
    ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
    ...(tool.access === 'operator' && { roles: ['operator'] as const }),
  }
}

async function answerCall(
  tool: SchedulerTool,
  given: Arguments,
  context: Context,
  foundation: Foundation,
): Promise<AnyReply> {
  if (tool.access === 'anyone') {
    return tool.tell(await parseArguments(tool.input, given), readerOf(context.caller, foundation), context)
  }
  const actor = actorOf(context.caller, foundation.groups)
  requireAccess(tool, actor)
  const input = await parseArguments(tool.input, given)
  if ('change' in tool) return change(tool, { given, input, actor, context, foundation })
  if (tool.annotations.readOnlyHint !== true) await requireLiveRun(foundation.store.db, actor)
  return tool.answer(input, actor, context)
}

function readerOf(caller: Context['caller'], { groups }: Foundation): Reader {
  const group = caller.group === undefined ? undefined : groups.byFolder(caller.group)
  const isOperatorAlone = caller.group === undefined && caller.roles.includes('operator')
  return { isAdmin: isOperatorAlone || group?.isAdmin === true }
}

function requireAccess({ name, access }: SchedulerTool, { isAdmin, isOperator }: Actor): void {
  if (access === 'operator' && !isOperator) throw refusal('NOT_FOUND', `There is no tool ${name}.`)
  if (access === 'admin' && !isAdmin) {
    throw refusal('FORBIDDEN', `Only the admin group may use ${name}.`, {
      hint: 'Ask the admin group by trigger_email.',
    })
  }
}

interface Change {
  readonly given: Arguments
  readonly input: Arguments
  readonly actor: Actor
  readonly context: Context
  readonly foundation: Foundation
}

/** One writer at a time: of two calls with one key, the second one finds the reply of the first. */
async function change(
  tool: ChangingTool<z.ZodObject, z.ZodObject>,
  { given, input, actor, context, foundation }: Change,
): Promise<AnyReply> {
  const { store, clock, log } = foundation
  const identity = callIdentity(actor.principal, tool.name, given, context.idempotencyKey)
  if (tool.check !== undefined && (await callReplies.find(store.db, identity, clock.now())) === undefined) {
    await tool.check(input, actor, context)
  }
  const { reply, isRepeat } = await store.transaction(
    async (tx) => {
      await requireLiveRun(tx, actor)
      const stored = await callReplies.find(tx, identity, clock.now())
      if (stored !== undefined) return { reply: stored, isRepeat: true }
      const made = await tool.change(input, actor, tx, context)
      await callReplies.keep(tx, identity, made, clock.now())
      return { reply: made, isRepeat: false }
    },
    { signal: context.signal },
  )
  if (isRepeat || tool.afterwards === undefined) return reply
  try {
    const better = await tool.afterwards(reply, actor, context)
    await callReplies.keep(store.db, identity, better, clock.now())
    return better
  } catch (err) {
    // The change is made, whatever came after it: the first reply is still true.
    log.warn({ err, tool: tool.name }, 'what follows a change failed')
    return reply
  }
}

/** One text: what a model reads first, then the value as the schema has it. */
function toResult({ value, text: lines, isWhole }: AnyReply) {
  return result({ value, content: text(isWhole ? lines : `${lines}\n${JSON.stringify(value)}`) })
}
