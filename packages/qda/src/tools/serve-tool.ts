import type { Context, Worker } from '@callboard/worker'
import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import type { Foundation } from '../foundation.js'
import { databaseFailure } from '../project/database-failure.js'
import type { ProjectDesk } from '../sessions/project-desk.js'
import { actorOf } from './actor.js'
import { confirmInput, previewData, writeData, writeInput } from './common-input.js'
import type { Arguments, Call, QdaTool, ToolMarks } from './qda-tool.js'
import { readInput } from './read-input.js'
import { failureObject, outputOf, successObject, toResult } from './result-shape.js'
import { switchedOff, type WriteRunner } from './run-write.js'

export interface ServingParts extends Foundation {
  readonly desk: ProjectDesk
  readonly writes: WriteRunner
}

/** A tool with what all of its kind take and give. */
export function completed<Tool extends QdaTool>(tool: Tool, config: Foundation['config']): Tool {
  if (tool.kind === 'read' || tool.kind === 'free') return { ...tool, input: tool.input.strict() }
  const isConfirmed =
    tool.preview !== undefined || tool.needsConfirm !== undefined || config.levels.get(tool.name) === 'T3'
  const input = tool.input.extend({ ...writeInput, ...(isConfirmed && confirmInput) }).strict()
  // Partial: what waits for a person now has told nothing of what it did.
  const data =
    tool.data instanceof z.ZodObject
      ? tool.data.partial().extend({ ...writeData, ...(isConfirmed && previewData) })
      : tool.data
  return { ...tool, input, data }
}

/** Registers a completed tool: strict input, the session's project, and one form of every answer. */
export function serveTool(worker: Worker, tool: QdaTool, parts: ServingParts): void {
  worker.tool(tool.name, specOf(tool), async (given, context) => {
    try {
      return toResult(successObject(tool, await answerCall(tool, given, context, parts)))
    } catch (error) {
      // The SDK knows why an aborted call ended.
      if (context.signal.aborted) throw error
      return toResult(failureObject(failureOf(error, tool, parts)))
    }
  })
}

/** The SDK takes anything, so that it is this worker's words in which input is refused. */
function specOf(tool: QdaTool) {
  const { $schema: _, '~standard': __, ...schema } = z.toJSONSchema(tool.input, { io: 'input' }) as Arguments
  const given = tool.inputSchema ?? {}
  return {
    title: tool.title,
    description: tool.description,
    input: z.looseObject({}),
    inputSchema: { ...schema, ...given, type: 'object' as const },
    output: outputOf(tool),
    annotations: { title: tool.title, ...marksOf(tool) },
    ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
    ...(tool.access === 'operator' && { roles: ['operator'] as const }),
  }
}

function marksOf(tool: QdaTool): ToolMarks {
  const isPlain = tool.kind === 'read' || tool.kind === 'free'
  return {
    readOnlyHint: isPlain,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
    ...tool.marks,
  }
}

async function answerCall(tool: QdaTool, given: Arguments, context: Context, parts: ServingParts): Promise<unknown> {
  const actor = actorOf(context.caller)
  // The hub hides it from everybody else; here it is refused once more, in case it did not.
  if (tool.access === 'operator' && !actor.isOperator)
    throw new QdaFailure('PERMISSION_DENIED', `Only an operator may call ${tool.name}`)
  const input = await readInput(tool, given)
  const call: Call = { context, session: context.caller.session, actor, now: parts.clock.now() }
  if (tool.kind === 'free') {
    requireOn(tool, parts)
    return tool.answer(input, call)
  }
  if (tool.kind !== 'read' && tool.apart?.isMeant(input) === true) {
    requireOn(tool, parts)
    return tool.apart.answer(input, call)
  }
  return parts.desk.useOwn(call.session, (project) => {
    if (project === undefined) throw noProject()
    project.refresh()
    const own = { ...call, project }
    if (tool.kind !== 'read') return parts.writes.run(tool, input, own)
    requireOn(tool, parts)
    return tool.read(input, own)
  })
}

function requireOn({ name }: QdaTool, { config }: ServingParts): void {
  if (config.levels.get(name) === 'off') throw switchedOff(name)
}

const noProject = (): QdaFailure =>
  new QdaFailure('NO_PROJECT', 'No project open', {
    suggestions: ['Call open_project with the path of a .qda folder.'],
  })

function failureOf(error: unknown, { name }: QdaTool, { log }: ServingParts): QdaFailure {
  if (error instanceof QdaFailure) {
    log.debug({ tool: name, code: error.code }, 'a call failed')
    return error
  }
  const failure = databaseFailure(error)
  if (failure !== undefined) {
    log.warn({ err: error, tool: name }, 'a database did not do what it was asked for')
    return failure
  }
  log.error({ err: error, tool: name }, 'a call failed for a reason that nobody foresaw')
  return new QdaFailure('INTERNAL', `${name} failed for a reason that nobody foresaw; the qda worker's log tells more`)
}
