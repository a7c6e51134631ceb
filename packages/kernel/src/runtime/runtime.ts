import type { Death, KillCause } from './death.js'

export type StreamName = 'stdout' | 'stderr'

export type ResultMode = 'last' | 'all' | 'none'

/** One execution, as a runtime sees it. */
export interface Cell {
  readonly run: number
  readonly code: string
  readonly resultMode: ResultMode
}

/** How a cell ended while its process lived on. */
export interface CellEnd {
  readonly outcome: 'ok' | 'error' | 'interrupted'
  readonly result: string | null
  readonly error: string | null
  /** Bytes left out. */
  readonly resultOmitted: number
  readonly errorOmitted: number
  readonly durationS: number
  readonly names: NameChanges
}

/** Top-level names that a run bound, bound anew or deleted. */
export interface NameChanges {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly deleted: readonly string[]
}

/** MIME type to text, or to base64 for binary types. */
export interface MimeBundle {
  readonly data: { readonly [type: string]: unknown }
  readonly metadata: { readonly [type: string]: unknown }
}

/** What a runtime tells, as it happens; never after `died` has resolved. */
export interface RuntimeEvents {
  /** In order per stream. `run` is the one that started the writer, and may have ended before. */
  onOutput(run: number, stream: StreamName, bytes: Uint8Array): void
  onDisplay(run: number, bundle: MimeBundle): void
  /** From code in the kernel, e.g. a call of the module `vibeweaver`; `run` is the run that the asking thread belongs to. */
  onRequest(request: ModuleRequest): void
  /** One-way, from the kernel. */
  onNotice(method: string, params: unknown): void
  /** A sentence for the agent's next reply, e.g. that memory runs short. */
  onWarning?(sentence: string): void
}

/** A question of code in the kernel; exactly one of `resolve` and `reject` is called, or neither when the process ends. */
export interface ModuleRequest {
  readonly method: string
  readonly params: { readonly [name: string]: unknown }
  readonly run: number | null
  /** The firing of a rule whose action asks, if it is one: what it sets off is a link of its chain. */
  readonly firing?: number | null
  /** Aborted when the asker no longer waits. */
  readonly signal: AbortSignal
  resolve(value: unknown): void
  /** `kind` names a Python exception: one of `moduleErrorKinds`. */
  reject(kind: string, message: string): void
}

/** What is between the code and the machine, in the words that an agent reads. */
export interface Isolation {
  readonly sandbox: 'bubblewrap' | 'none'
  readonly network: boolean
  /** One sentence, true for this process. */
  readonly description: string
  /** Of the limits asked for, those that this system refused. */
  readonly limitsRefused: readonly string[]
}

/** One living interpreter process, whichever its language; at most one cell at a time. Everything of it ends with it. */
export interface Runtime {
  /** Of the interpreter itself, as this machine counts, never of a wrapper around it. */
  readonly pid: number
  /** As the system counts, to tell a pid that was given again; null where it cannot be known. */
  readonly pidStarted: string | null
  /** e.g. `python3 3.11.7`. */
  readonly description: string
  readonly isolation: Isolation
  /** Resolves exactly once, after the last output. */
  readonly died: Promise<Death>
  /** Resolves when the cell has ended and its output was read. Stays open when the process dies: race it with `died`. */
  execute(cell: Cell): Promise<CellEnd>
  /** Asks for the end of this run and of no other, by the gentlest means that can work. */
  interrupt(run: number): void
  /** SIGINT to everything that the kernel has started. */
  interruptGroup(): void
  /** Writes stack traces to where a later Death carries them, if the runtime can. */
  trace(): void
  /** Whether the interpreter itself answers within a second. */
  probe(): Promise<boolean>
  /** SIGTERM, then SIGKILL: over within a second. */
  terminate(cause: KillCause): Promise<Death>
  kill(cause: KillCause): Promise<Death>
  /** What only the runtime `python3` can do. */
  readonly python?: PythonAbilities
}

export interface PythonAbilities {
  /** Answered by a side thread of the harness, also while a cell runs. Rejects with `unavailable` when the interpreter is held. */
  ask(method: string, params: { readonly [name: string]: unknown }, timeoutMs?: number): Promise<unknown>
  /** One-way, to a side thread of the harness. */
  tell(method: string, params: { readonly [name: string]: unknown }): void
  /** Between runs only. How many names went, and modules that could not be dropped; undefined if the kernel did not answer in time. */
  clear(level: 'names' | 'modules'): Promise<{ readonly names: number; readonly kept: readonly string[] } | undefined>
}
