import type { Context } from '@callboard/worker'
import type { z } from 'zod'
import type { Writer } from '../changes/writer.js'
import type { OpenProject } from '../project/open-project.js'
import type { Actor } from './actor.js'

/** All four, always: the hub sends a call again where it is read-only or idempotent, so a mark is a promise. */
export interface ToolMarks {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: false
}

/** How far an agent may go by itself: T1 acts, T2 acts and tells, T3 shows first what it would do, T4 waits for a person. */
export type Level = 'T1' | 'T2' | 'T3' | 'T4'

/** Of a call, by name. */
export type Arguments = { readonly [key: string]: unknown }

export interface Call {
  readonly context: Context
  readonly session: string
  readonly actor: Actor
  /** UTC ms. */
  readonly now: number
}

/** A call of a session that has a project open. */
export interface ProjectCall extends Call {
  readonly project: OpenProject
}

/** `data` of an answer, with what stands beside it there. */
export class Answer<Data> {
  readonly data: Data
  readonly beside: { readonly [key: string]: unknown }

  constructor(data: Data, beside: { readonly [key: string]: unknown }) {
    this.data = data
    this.beside = beside
  }
}

interface ToolBase<Input extends z.ZodObject, Data extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  /** What agents are told of the input, where the schema that reads it says less. */
  readonly inputSchema?: { readonly [key: string]: unknown }
  /** Of the answer. Keys that only some answers have are optional; those of a write become so, as it may wait for a person. */
  readonly data: Data
  /** What may stand beside it. */
  readonly beside?: z.ZodRawShape
  /** Every key of the data stands at the top of the answer, too. */
  readonly isFlat?: true
  /** Only for operators; for others it does not exist. */
  readonly access?: 'operator'
  /** Arguments that are the text of a document: what is wrong with their characters is INVALID_CONTENT. */
  readonly contentArguments?: readonly string[]
  /** ms, where a call may take longer than others. */
  readonly timeoutMs?: number
}

type Returned<Data extends z.ZodType> = z.input<Data> | Answer<z.input<Data>>

/** Changes no project: it reads the session's, or decides which one that is. */
export interface PlainTool<Input extends z.ZodObject, Data extends z.ZodType> extends ToolBase<Input, Data> {
  readonly marks?: Partial<ToolMarks>
}

/** Reads the session's project. */
export interface ReadTool<Input extends z.ZodObject, Data extends z.ZodType> extends PlainTool<Input, Data> {
  read(input: z.output<Input>, call: ProjectCall): Promise<Returned<Data>> | Returned<Data>
}

/** Works without a project of the session. */
export interface FreeTool<Input extends z.ZodObject, Data extends z.ZodType> extends PlainTool<Input, Data> {
  answer(input: z.output<Input>, call: Call): Promise<Returned<Data>> | Returned<Data>
}

interface WriteBase<Input extends z.ZodObject, Data extends z.ZodType, Prepared> extends ToolBase<Input, Data> {
  readonly marks: { readonly destructiveHint: boolean; readonly idempotentHint: boolean }
  /** Of what it does once it does it; previews and dry runs are T1. Default: T2. */
  readonly level?: Level | ((input: z.output<Input>, call: ProjectCall, prepared: Prepared) => Level)
  /** All that has to wait for something, and the first look at what is there. Writes nothing. */
  prepare?(input: z.output<Input>, call: ProjectCall): Promise<Prepared> | Prepared
  /**
   * What it would do, for a call without `confirm`: the answer's keys without `preview`, `requires_approval` and `preview_token`,
   * which are added. A tool that has it takes `confirm` and `preview_token`. Default, where a preview is needed all the same: what
   * a dry run answers.
   */
  preview?(input: z.output<Input>, call: ProjectCall, prepared: Prepared): Partial<z.input<Data>>
  /** After all else, whatever came of it: gives back what `prepare` holds. */
  release?(prepared: Prepared): Promise<void> | void
  /** Calls that are not about the session's project at all: it need not have one. */
  readonly apart?: {
    isMeant(input: z.output<Input>): boolean
    answer(input: z.output<Input>, call: Call): Promise<Returned<Data>>
  }
  /** For the person who decides on the call, where the preview does not tell it: names and texts rather than ids. */
  describe?(input: z.output<Input>, call: ProjectCall, prepared: Prepared): { readonly [key: string]: unknown }
  /** Whether this call shows first what it would do. Default: every call of a tool that has a preview. */
  needsConfirm?(input: z.output<Input>, call: ProjectCall, prepared: Prepared): boolean
  /** Arguments that choose from what a preview shows, so that its token is good for calls with others. */
  readonly choices?: readonly string[]
  /** Beside the rows that it changes, what must still be the same when a preview is confirmed or a suggestion approved. */
  basis?(input: z.output<Input>, call: ProjectCall, prepared: Prepared): unknown
}

/** Changes rows of the project, all in one transaction. */
export interface RowsTool<Input extends z.ZodObject, Data extends z.ZodType, Prepared = undefined>
  extends WriteBase<Input, Data, Prepared> {
  /** Does it. Must not wait for anything. A QdaFailure takes everything back. */
  apply(writer: Writer, input: z.output<Input>, call: ProjectCall, prepared: Prepared): Returned<Data>
  /** After the transaction has got through. */
  afterwards?(call: ProjectCall): Promise<void> | void
}

/** Does something that no transaction holds: writes a file, or puts a whole database back. */
export interface OperationTool<Input extends z.ZodObject, Data extends z.ZodType, Prepared = undefined>
  extends WriteBase<Input, Data, Prepared> {
  /** Whether it changes the project itself, which then must be writable, and has a backup. */
  readonly changesProject: boolean
  /** It makes a backup itself, so that none is made before it. */
  readonly backsUpItself?: true
  /** Does it, or with `isDryRun` checks all that it can without doing it. Runs alone. */
  operate(input: z.output<Input>, call: ProjectCall, prepared: Prepared, isDryRun: boolean): Promise<Returned<Data>>
}

// biome-ignore lint/suspicious/noExplicitAny: whatever `prepare` gives goes to the same tool and nowhere else.
export type WriteTool = { readonly kind: 'rows' } & RowsTool<z.ZodObject, z.ZodType, any>
// biome-ignore lint/suspicious/noExplicitAny: the same.
export type FileTool = { readonly kind: 'operation' } & OperationTool<z.ZodObject, z.ZodType, any>

export type QdaTool =
  | ({ readonly kind: 'read' } & ReadTool<z.ZodObject, z.ZodType>)
  | ({ readonly kind: 'free' } & FreeTool<z.ZodObject, z.ZodType>)
  | WriteTool
  | FileTool

/** Lets the compiler infer what a tool takes and gives. */
export function readTool<Input extends z.ZodObject, Data extends z.ZodType>(tool: ReadTool<Input, Data>): QdaTool {
  return { kind: 'read', ...tool } as unknown as QdaTool
}

export function freeTool<Input extends z.ZodObject, Data extends z.ZodType>(tool: FreeTool<Input, Data>): QdaTool {
  return { kind: 'free', ...tool } as unknown as QdaTool
}

export function rowsTool<Input extends z.ZodObject, Data extends z.ZodType, Prepared = undefined>(
  tool: RowsTool<Input, Data, Prepared>,
): WriteTool {
  return { kind: 'rows', ...tool } as unknown as WriteTool
}

export function operationTool<Input extends z.ZodObject, Data extends z.ZodType, Prepared = undefined>(
  tool: OperationTool<Input, Data, Prepared>,
): FileTool {
  return { kind: 'operation', ...tool } as unknown as FileTool
}
