import type { Context, ToolSpec } from '@callboard/worker'
import type { z } from 'zod'
import type { Database } from '../records/schema.js'
import type { Actor } from './actor.js'

/** What a tool answers: the value that clients read, and the line (or lines) that a model reads before it. */
export interface Reply<Output> {
  readonly value: Output
  readonly text: string
  /** The text says all there is to say: nobody puts the value, whose texts may be strangers', behind it. */
  readonly isWhole?: true
}

export type AnyReply = Reply<{ readonly [key: string]: unknown }>

interface ToolBase<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** A strict object; refused input is refused by this worker in its own words. */
  readonly input: Input
  readonly output: Output
  readonly annotations: NonNullable<ToolSpec<z.ZodObject, z.ZodType>['annotations']>
  readonly timeoutMs?: number
}

interface GuardedTool {
  /** `group`: any registered group; `admin`: the admin group; `operator`: hidden from everybody else. */
  readonly access: 'group' | 'admin' | 'operator'
}

/** Who asks without having to be a group. */
export interface Reader {
  readonly isAdmin: boolean
}

/** Tells any caller, also one that no group knows. */
export interface OpenTool<Input extends z.ZodObject, Output extends z.ZodObject> extends ToolBase<Input, Output> {
  readonly access: 'anyone'
  tell(input: z.output<Input>, reader: Reader, context: Context): Promise<Reply<z.output<Output>>>
}

/** Reads, or acts elsewhere and keeps its own books. */
export interface AnsweringTool<Input extends z.ZodObject, Output extends z.ZodObject>
  extends ToolBase<Input, Output>,
    GuardedTool {
  answer(input: z.output<Input>, actor: Actor, context: Context): Promise<Reply<z.output<Output>>>
}

/**
 * Has an effect in the database, at most once for one idempotency key: `change` runs in the transaction that also stores its
 * reply. What comes after the commit (a first try to send, say) is `afterwards`, whose reply replaces the stored one.
 */
export interface ChangingTool<Input extends z.ZodObject, Output extends z.ZodObject>
  extends ToolBase<Input, Output>,
    GuardedTool {
  /** Refuses by what others than the database know; comes before the transaction, which waits for nobody. Not for repeats. */
  check?(input: z.output<Input>, actor: Actor, context: Context): Promise<void>
  change(input: z.output<Input>, actor: Actor, db: Database, context: Context): Promise<Reply<z.output<Output>>>
  afterwards?(reply: Reply<z.output<Output>>, actor: Actor, context: Context): Promise<Reply<z.output<Output>>>
}

export type SchedulerTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> =
  | OpenTool<Input, Output>
  | AnsweringTool<Input, Output>
  | ChangingTool<Input, Output>

/** Lets the compiler infer what a tool takes and gives. */
export function answering<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: AnsweringTool<Input, Output>,
): SchedulerTool {
  return tool as unknown as SchedulerTool
}

export function changing<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ChangingTool<Input, Output>,
): SchedulerTool {
  return tool as unknown as SchedulerTool
}

export function open<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: OpenTool<Input, Output>,
): SchedulerTool {
  return tool as unknown as SchedulerTool
}
