import type { Context } from '@callboard/worker'
import type { z } from 'zod'
import type { ForumFailure } from '../failure/forum-failure.js'
import type { Scope, SiteClient, WriteRequest } from '../http/site-client.js'
import type { Selection } from '../sites/selection.js'

/** One call, with the forum as it was selected when the call began. */
export interface ToolCall {
  readonly selection: Selection
  /** That of the selection. */
  readonly client: SiteClient
  readonly scope: Scope
  /** For whom something is kept: the root principal of the call. */
  readonly owner: string
  readonly context: Context
}

/** All four, always: the hub sends a call again where it is read-only or idempotent, so a mark is a promise. */
export interface ToolMarks {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

interface ToolBase<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  /** Of the answer, key by key: what is not in it is not answered. */
  readonly output: Output
}

/** Changes nothing on the forum. */
export interface ReadTool<Input extends z.ZodObject, Output extends z.ZodObject> extends ToolBase<Input, Output> {
  /** Where they are not those of a read. */
  readonly marks?: { readonly readOnlyHint: false }
  read(input: z.output<Input>, call: ToolCall): Promise<z.input<Output>>
}

/** What a write had as its effect; `queued`: held for moderation. */
export interface Effect<Output> {
  readonly output: Output
  readonly outcome?: 'done' | 'queued'
}

/**
 * Changes something on the forum by one request, which is sent once. What is common to all writes is done around it: whether the
 * session may, the pace, the journal, what became of it; `outcome`, `recovered` and `duplicate` are added to its output.
 */
export interface WriteTool<Input extends z.ZodObject, Output extends z.ZodObject, Prepared = undefined>
  extends ToolBase<Input, Output> {
  readonly marks: { readonly destructiveHint: boolean; readonly idempotentHint: boolean }
  /** Arguments that are secrets: in no key, log or answer. */
  readonly secrets?: readonly (keyof z.output<Input> & string)[]
  /** Equal arguments are another call, unless the caller gives a key. */
  readonly equalCallsAreDifferent?: true
  /** Sets what others may set to something else: once it is done, an equal call is another one, unless the caller gives a key. */
  readonly setsValue?: true
  /** What must be read, or refused, before anything is sent. A ForumFailure from here means that nothing has happened. */
  prepare?(input: z.output<Input>, call: ToolCall): Promise<Prepared>
  request(input: z.output<Input>, call: ToolCall, prepared: Prepared): WriteRequest
  /** From the answer to that request. Throws a ForumFailure where the answer tells that it was refused, or nothing. */
  effect(
    answer: unknown,
    input: z.output<Input>,
    call: ToolCall,
    prepared: Prepared,
  ): Promise<Effect<z.input<Output>>> | Effect<z.input<Output>>
  /** More of why the forum refused it, by reading alone, e.g. what stands there in its place. */
  refused?(failure: ForumFailure, input: z.output<Input>, call: ToolCall): Promise<ForumFailure>
  /** How an agent finds out whether it had its effect: an imperative sentence. */
  readonly lookFirst?: string
  /**
   * Looks for the effect where no answer told: by reading alone. `sentAt` is UTC ms by this machine's clock, which the forum's
   * need not agree with. `prepared` is absent when an earlier call has sent it. Absent: nothing tells.
   */
  find?(
    input: z.output<Input>,
    call: ToolCall,
    sentAt: number,
    prepared: Prepared | undefined,
  ): Promise<z.input<Output> | undefined>
}

export type ForumTool =
  | ({ readonly kind: 'read' } & ReadTool<z.ZodObject, z.ZodObject>)
  // biome-ignore lint/suspicious/noExplicitAny: whatever `prepare` gives goes to the same tool and nowhere else.
  | ({ readonly kind: 'write' } & WriteTool<z.ZodObject, z.ZodObject, any>)

/** Lets the compiler infer what a tool takes and gives. */
export function readTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ReadTool<Input, Output>,
): ForumTool {
  return { kind: 'read', ...tool } as unknown as ForumTool
}

export function writeTool<Input extends z.ZodObject, Output extends z.ZodObject, Prepared = undefined>(
  tool: WriteTool<Input, Output, Prepared>,
): ForumTool {
  return { kind: 'write', ...tool } as unknown as ForumTool
}
