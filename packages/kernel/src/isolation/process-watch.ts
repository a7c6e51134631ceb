import type { KillCause } from '../runtime/death.js'
import { warnShare, watchIntervalMs } from './limits.js'
import { memoryTogether } from './memory.js'
import { familyOf, type ProcessEntry, processTable } from './process-table.js'

export interface FamilyLimits {
  readonly processes: number
  readonly memoryBytes: number
}

export interface FamilyUse {
  readonly processes: number
  readonly memoryBytes: number
}

export type Verdict =
  | { readonly kind: 'over'; readonly cause: KillCause; readonly detail: string }
  | { readonly kind: 'near'; readonly of: 'processes' | 'memory'; readonly detail: string }

/** What a kernel and its programs use against what they may. */
export function judge(use: FamilyUse, limits: FamilyLimits): readonly Verdict[] {
  const processes = `${use.processes} of at most ${limits.processes} processes`
  const memory = `${mebibytes(use.memoryBytes)} of at most ${mebibytes(limits.memoryBytes)} MiB of memory`
  const over: Verdict[] = []
  if (use.processes > limits.processes) over.push({ kind: 'over', cause: 'process_limit', detail: processes })
  if (use.memoryBytes > limits.memoryBytes) over.push({ kind: 'over', cause: 'memory_limit', detail: memory })
  const near: Verdict[] = []
  if (use.processes > limits.processes * warnShare) near.push({ kind: 'near', of: 'processes', detail: processes })
  if (use.memoryBytes > limits.memoryBytes * warnShare) near.push({ kind: 'near', of: 'memory', detail: memory })
  return over.length > 0 ? over : near
}

export interface ProcessWatchOptions {
  /** Of the sandbox's init, or of the kernel itself. */
  readonly root: number
  /** Of the kernel's process group. */
  readonly group: number
  readonly limits: FamilyLimits
  readonly onOver: (cause: KillCause, detail: string) => void
  /** A sentence for the agent; once per thing that runs short, until it is plenty again. */
  readonly onNear: (sentence: string) => void
  /** How many of the kernel's programs the system has killed so far for want of memory. */
  readonly outOfMemoryKills?: () => number
}

/**
 * Looks at all programs of one kernel while it runs a cell or something that a cell left running. Limits that the system
 * itself holds are better; this one is there on every system, and it sees programs that left the group.
 */
export class ProcessWatch {
  readonly #options: ProcessWatchOptions
  readonly #warned = new Set<string>()
  #seen: ReadonlyMap<number, string> = new Map()
  #busy = false
  #others = false
  #lastLook = false
  #kills = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ProcessWatchOptions) {
    this.#options = options
  }

  /** A cell runs. */
  busy(): void {
    this.#busy = true
    this.#arm()
  }

  idle(): void {
    this.#busy = false
    this.#lastLook = true
    this.#tellKills()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** Programs of this kernel that live, those that left its group too, as far as they were ever seen. */
  async survivors(): Promise<readonly ProcessEntry[]> {
    return this.#family(await processTable(0)).filter(({ ended }) => !ended)
  }

  async look(): Promise<void> {
    const { root, group, limits } = this.#options
    const family = this.#family(await processTable())
    if (this.#closed) return
    // Shared pages are counted again for each process; what is well below even so needs no closer look.
    const resident = family.reduce((sum, entry) => sum + entry.residentBytes, 0)
    const memoryBytes = resident > limits.memoryBytes * warnShare ? await memoryTogether(family) : resident
    if (this.#closed) return
    // The sandbox's init is none of the kernel's.
    const processes = family.filter(({ pid }) => pid !== root || root === group).length
    this.#others = processes > ownProcesses
    this.#tell(judge({ processes, memoryBytes }, limits))
    this.#tellKills()
  }

  /** The kernel lives, so it was one of its programs. */
  #tellKills(): void {
    const kills = this.#options.outOfMemoryKills?.() ?? 0
    if (kills <= this.#kills) return
    const count = kills - this.#kills
    this.#kills = kills
    const most = mebibytes(this.#options.limits.memoryBytes)
    this.#options.onNear(
      `Out of memory: the system killed ${count === 1 ? 'a program' : `${count} programs`} of this kernel, which may use ${most} MiB together with it.`,
    )
  }

  /** What was once seen belongs to it for good: a program that became a daemon is no descendant any more. */
  #family(entries: readonly ProcessEntry[]): readonly ProcessEntry[] {
    const { root, group } = this.#options
    const isOwn = ({ pid, group: own, started }: ProcessEntry) =>
      pid === root || own === group || this.#seen.get(pid) === started
    const family = familyOf(entries, isOwn)
    this.#seen = new Map(family.map(({ pid, started }) => [pid, started]))
    return family
  }

  #tell(verdicts: readonly Verdict[]): void {
    const near = new Set<string>()
    for (const verdict of verdicts) {
      if (verdict.kind === 'over') return this.#options.onOver(verdict.cause, verdict.detail)
      near.add(verdict.of)
      if (!this.#warned.has(verdict.of)) {
        this.#options.onNear(`The kernel and its programs use ${verdict.detail}. Beyond that they are killed together.`)
      }
    }
    this.#warned.clear()
    for (const of of near) this.#warned.add(of)
  }

  #arm(): void {
    if (this.#closed || this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.#lookAndArm(), watchIntervalMs)
    // Nothing waits for it: the kernel itself keeps the worker alive.
    this.#timer.unref()
  }

  async #lookAndArm(): Promise<void> {
    this.#lastLook = false
    await this.look()
    this.#timer = undefined
    // Once more after a cell's end: what it did last is told with the next reply.
    if (this.#busy || this.#others || this.#lastLook) this.#arm()
  }
}

/** Python and its guardian. */
const ownProcesses = 2

function mebibytes(bytes: number): number {
  return Math.round(bytes / (1024 * 1024))
}
