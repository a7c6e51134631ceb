import { type Context, ToolError, type ToolReturn, type ToolSpec, type Worker } from '@callboard/worker'
import { z } from 'zod'
import { errorResult } from '../failure/error-result.js'
import { ForumFailure } from '../failure/forum-failure.js'
import type { Foundation } from '../foundation.js'
import type { Scope } from '../http/site-client.js'
import { type JsonRecord, textAt } from '../json/read-json.js'
import { answerMarginMs, callMs } from '../limits.js'
import type { SiteDesk } from '../sites/site-desk.js'
import { outputOfWrite, type Writer } from '../writes/run-write.js'
import type { ForumTool, ToolCall, ToolMarks } from './forum-tool.js'
import { marksOf } from './marks.js'
import { readInput } from './read-input.js'

type Arguments = { readonly [key: string]: unknown }

export interface ServingParts extends Foundation {
  readonly desk: SiteDesk
  readonly writer: Writer
}

/** What the hub is told of a tool. Its input is refused here, in this worker's words. */
interface Announced {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly marks: ToolMarks
}

/**
 * Registers a tool with all that is common to the tools of this worker: the session's forum, strict input, what a write needs
 * around it, and one form of every failure.
 */
export function serveTool(worker: Worker, tool: ForumTool, parts: ServingParts): void {
  const input = tool.input.strict()
  const served = { ...tool, input } as ForumTool
  const output = tool.kind === 'read' ? tool.output : outputOfWrite(tool.output)
  const spec = specOf({ ...tool, input, output, marks: marksOf(tool) })
  const listed = tool.kind === 'read' || parts.desk.listsWritesForAll
  worker.tool(tool.name, { ...spec, listed }, (given, context) => {
    // What is wrong with arguments is said with their values.
    const redactor = parts.redactor.also(secretsIn(given, tool))
    return guarded(tool.name, context, { ...parts, redactor }, () => answerCall(served, given, context, parts))
  })
}

export function specOf({ title, description, input, output, marks }: Announced) {
  const { $schema: _, '~standard': __, ...schema } = z.toJSONSchema(input, { io: 'input' }) as Arguments
  return {
    title,
    description,
    input: z.looseObject({}),
    inputSchema: { ...schema, type: 'object' as const },
    output,
    annotations: { title, ...marks },
    timeoutMs: callMs + 2 * answerMarginMs,
  } satisfies ToolSpec<z.ZodObject, z.ZodObject>
}

async function answerCall(
  tool: ForumTool,
  given: Arguments,
  context: Context,
  parts: ServingParts,
): Promise<JsonRecord> {
  const call = await callOf(context, parts)
  const { selection } = call
  if (tool.kind === 'write' && selection.whyNoWrites !== undefined)
    throw new ForumFailure('tool_unavailable', selection.whyNoWrites, { outcome: 'rejected' })
  const input = await readInput(tool.input, given)
  // A forum may say later what it was told. A word of any text, or a key of any answer, would be missing everywhere.
  for (const secret of secretsIn(given, tool)) if (!/^[a-z_-]+$/i.test(secret)) parts.redactor.add(secret)
  return tool.kind === 'read' ? tool.read(input, call) : parts.writer.run(tool, input, call)
}

function secretsIn(given: JsonRecord, tool: ForumTool): readonly string[] {
  const names = tool.kind === 'write' ? (tool.secrets ?? []) : []
  return names.flatMap((name) => textAt(given, name) ?? [])
}

/** With the forum as the session has it selected now; a later selection does not move the call. */
export async function callOf(
  context: Context,
  { desk, clock }: { readonly desk: SiteDesk } & Pick<Foundation, 'clock'>,
): Promise<ToolCall> {
  const { session, principal, onBehalfOf } = context.caller
  const scope = scopeOf(context, { clock })
  const selection = await desk.selectionFor(session, scope)
  return { selection, client: selection.client, scope, owner: onBehalfOf ?? principal, context }
}

/** Ends a little before the caller's own deadline: the answer must get there. */
export function scopeOf({ deadline, signal }: Context, { clock }: Pick<Foundation, 'clock'>): Scope {
  return { deadline: Math.min(deadline - answerMarginMs, clock.now() + callMs), signal }
}

/** Runs `answer` so that whatever goes wrong is said in this worker's form, and no secret leaves. */
export async function guarded(
  name: string,
  context: Context,
  { redactor, log }: Pick<Foundation, 'redactor' | 'log'>,
  answer: () => Promise<JsonRecord>,
): Promise<ToolReturn<JsonRecord>> {
  try {
    return redactor.value(await answer())
  } catch (error) {
    if (error instanceof ForumFailure) {
      log.debug({ tool: name, code: error.code, status: error.details.status }, 'a call failed')
      return errorResult(redactedFailure(error, redactor))
    }
    // The SDK knows why an aborted call ended.
    if (context.signal.aborted) throw error
    log.error({ err: error, tool: name }, 'a call failed for a reason that nobody foresaw')
    throw new ToolError(
      'internal',
      `${name} failed for a reason that nobody foresaw; the forum worker's log tells more.`,
    )
  }
}

function redactedFailure({ code, message, details }: ForumFailure, redactor: Foundation['redactor']): ForumFailure {
  return new ForumFailure(code, redactor.text(message), redactor.value(details))
}
