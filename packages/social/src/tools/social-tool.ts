import type { Context } from '@callboard/worker'
import type { z } from 'zod'
import type { ExtraMeta } from '../envelope/envelope.js'
import type { Database } from '../records/schema.js'
import type { Actor } from './actor.js'

/** What a tool answers: the envelope's `data`, and what it adds to `meta`. */
export interface Reply<Data> {
  readonly data: Data
  readonly meta?: ExtraMeta
}

/** All four, always: the hub sends a call again where it is read-only or idempotent, so a mark is a promise. */
export interface ToolMarks {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

interface ToolBase<Input extends z.ZodObject, Data extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Refused input is refused by this worker in its own words; unknown parameters are refused. */
  readonly input: Input
  /** Of the envelope's `data`. */
  readonly data: Data
  readonly marks: ToolMarks
  /** `operator`: for everybody else it does not exist. Default: anyone. */
  readonly access?: 'operator'
  readonly timeoutMs?: number
  /** It has a text written: agents may do that so often in an hour. */
  readonly generates?: true
}

/** Reads, or asks a network or an LLM and stores nothing that a repeat would store twice. */
export interface AnsweringTool<Input extends z.ZodObject, Data extends z.ZodType> extends ToolBase<Input, Data> {
  /** `correlationId`: a UUID, for the action log. */
  answer(input: z.output<Input>, actor: Actor, context: Context, correlationId: string): Promise<Reply<z.input<Data>>>
}

/**
 * Has an effect in the database, at most once for one idempotency key: `change` runs in the transaction that also stores its
 * reply. What has to ask others first does so in `prepare`, whose result `change` gets; a repeat prepares nothing.
 */
export interface ChangingTool<Input extends z.ZodObject, Data extends z.ZodType, Prepared = undefined>
  extends ToolBase<Input, Data> {
  prepare?(input: z.output<Input>, actor: Actor, context: Context): Promise<Prepared>
  change(
    input: z.output<Input>,
    actor: Actor,
    db: Database,
    prepared: Prepared,
    context: ChangeContext,
  ): Promise<Reply<z.input<Data>>>
  /** What a repeat is told in place of the first reply; default: the first reply. */
  replayed?(reply: Reply<z.input<Data>>): Reply<z.input<Data>>
  /** Behind the commit: wakes whoever has something to do now. */
  afterwards?(): void
}

export interface ChangeContext {
  /** Of this call, given or not. */
  readonly key: string
  /** Whether the caller gave it: else two equal calls are not known to be one. */
  readonly isKeyGiven: boolean
  /** SHA-256 of the arguments, hex. */
  readonly argumentsHash: string
  /** A UUID, for the action log. */
  readonly correlationId: string
}

export type SocialTool =
  | AnsweringTool<z.ZodObject, z.ZodType>
  // biome-ignore lint/suspicious/noExplicitAny: whatever `prepare` gives goes to `change` of the same tool and nowhere else.
  | ChangingTool<z.ZodObject, z.ZodType, any>

/** Lets the compiler infer what a tool takes and gives. */
export function answering<Input extends z.ZodObject, Data extends z.ZodType>(
  tool: AnsweringTool<Input, Data>,
): SocialTool {
  return tool as unknown as SocialTool
}

export function changing<Input extends z.ZodObject, Data extends z.ZodType, Prepared = undefined>(
  tool: ChangingTool<Input, Data, Prepared>,
): SocialTool {
  return tool as unknown as SocialTool
}

/** Reads this worker's own data. */
export const reads: ToolMarks = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Prepares what may be published later, and asks networks. */
export const proposes: ToolMarks = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}

/** Settles what becomes of an item; once more changes nothing more. */
export const decides: ToolMarks = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
}
