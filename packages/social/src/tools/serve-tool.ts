import { randomUUID } from 'node:crypto'
import { type Context, result, text, type Worker } from '@callboard/worker'
import { z } from 'zod'
import { standingOf } from '../approval/standing.js'
import { isNetworkName } from '../config/network-names.js'
import type { SocialConfig } from '../config.js'
import { type Envelope, envelopeOf, failed, success } from '../envelope/envelope.js'
import { failure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { countGeneration } from '../ledger/generations.js'
import { requireFree, ruleOf, take } from '../ledger/rate-ledger.js'
import { type Actor, actorOf } from './actor.js'
import { callIdentity, callReplies } from './call-replies.js'
import { failureOf } from './failure-of.js'
import { backendOfAll } from './network-input.js'
import { parseArguments } from './parse-arguments.js'
import type { ChangingTool, Reply, SocialTool } from './social-tool.js'

type Arguments = { readonly [key: string]: unknown }
type AnyChange = ChangingTool<z.ZodObject, z.ZodType, unknown>

interface Call {
  readonly given: Arguments
  readonly input: Arguments
  readonly actor: Actor
  readonly context: Context
  readonly correlationId: string
}

/**
 * Registers a tool with all that is common to the tools of this worker: strict input, the envelope on every answer, who may
 * call it, one effect for each idempotency key, and the limit of what an agent may change in an hour.
 */
export function serveTool(worker: Worker, tool: SocialTool, foundation: Foundation): void {
  const { clock, config } = foundation
  const served = { ...tool, input: tool.input.strict() } as SocialTool
  worker.tool(tool.name, specOf(served), async (given, context) => {
    const begun = clock.monotonic()
    const correlationId = randomUUID()
    const backend = (input: Arguments) => ('network' in tool.input.shape ? backendAsked(config, input['network']) : {})
    const meta = () => ({ standing: standingOf(config), elapsedMs: clock.monotonic() - begun, correlationId })
    try {
      const reply = await answerCall(served, given, context, correlationId, foundation)
      return toResult(success(fittingData(served, reply), meta(), reply.meta))
    } catch (error) {
      // An aborted call is answered by the SDK: it knows why.
      if (context.signal.aborted) throw error
      return toResult(failed(failureOf(error, tool.name, context, foundation), meta(), backend(given)))
    }
  })
}

/** Of a failure: nobody knows more than what was asked. */
function backendAsked({ networks }: SocialConfig, network: unknown) {
  return backendOfAll(networks, isNetworkName(network) ? network : undefined)
}

/** The SDK takes anything, so that it is this worker's words, in its envelope, in which input is refused. */
function specOf(tool: SocialTool) {
  const { $schema: _, '~standard': __, ...schema } = z.toJSONSchema(tool.input, { io: 'input' }) as Arguments
  return {
    title: tool.title,
    description: tool.description,
    input: z.looseObject({}),
    inputSchema: { ...schema, type: 'object' as const },
    output: envelopeOf(tool.data),
    annotations: { title: tool.title, ...tool.marks },
    ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
    ...(tool.access === 'operator' && { roles: ['operator'] as const }),
  }
}

async function answerCall(
  tool: SocialTool,
  given: Arguments,
  context: Context,
  correlationId: string,
  foundation: Foundation,
): Promise<Reply<unknown>> {
  const actor = actorOf(context.caller)
  // The hub hides it from everybody else; here it is refused once more, in case it did not.
  if (tool.access === 'operator' && !actor.isOperator) throw failure('not_found', `There is no tool ${tool.name}.`)
  const input = await parseArguments(tool.input, given)
  if ('answer' in tool) {
    if (tool.generates && !actor.isOperator) await countGeneration(foundation, actor.owner)
    return tool.answer(input, actor, context, correlationId)
  }
  return change(tool, { given, input, actor, context, correlationId }, foundation)
}

/** One writer at a time: of two calls with one key, the second one finds the reply of the first. */
async function change(tool: AnyChange, call: Call, foundation: Foundation): Promise<Reply<unknown>> {
  const { store, clock, config } = foundation
  const { given, input, actor, context, correlationId } = call
  const identity = callIdentity(actor.owner, tool.name, given, context)
  const known = await callReplies.find(store.db, identity, clock.now())
  if (known !== undefined) return tool.replayed?.(known) ?? known
  // Whoever has used up the limit has nobody asked in vain.
  if (!actor.isOperator) {
    await requireFree(store.db, mutationOf(actor, clock.now()), ruleOf(config, 'mcp_mutation'), clock.now())
    if (tool.generates) await countGeneration(foundation, actor.owner)
  }
  const prepared = await tool.prepare?.(input, actor, context)
  const reply = await store.transaction(
    async (tx) => {
      const stored = await callReplies.find(tx, identity, clock.now())
      if (stored !== undefined) return tool.replayed?.(stored) ?? stored
      if (!actor.isOperator) await take(tx, mutationOf(actor, clock.now()), ruleOf(config, 'mcp_mutation'), clock.now())
      const { key, isKeyGiven, argumentsHash } = identity
      const made = await tool.change(input, actor, tx, prepared, { key, isKeyGiven, argumentsHash, correlationId })
      await callReplies.keep(tx, identity, made, clock.now())
      return made
    },
    { signal: context.signal },
  )
  tool.afterwards?.()
  return reply
}

const mutationOf = ({ owner }: Actor, at: number) =>
  ({ action: 'mcp_mutation', network: '', principal: owner, at }) as const

/** What does not fit would be refused further on, without an envelope. */
function fittingData(tool: SocialTool, { data }: Reply<unknown>): unknown {
  const { error } = tool.data.safeParse(data)
  if (error === undefined) return data
  throw failure(
    'serialization_error',
    `${tool.name} made an answer that does not fit its own schema; whatever it did is done. The log of the social worker tells more.`,
    { cause: error },
  )
}

/** The same object twice: as text for models, structured for programs. */
function toResult(envelope: Envelope) {
  return result({
    value: envelope,
    content: text(JSON.stringify(envelope)),
    ...(!envelope.success && { isError: true }),
  })
}
