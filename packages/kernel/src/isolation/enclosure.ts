import type { KernelLimits } from '../config.js'
import type { KillCause } from '../runtime/death.js'
import { killGroup } from '../runtime/process-group.js'
import type { ContainedProcess } from './contained-process.js'
import { type ControlGroup, type ControlGroups, ownOutOfMemoryKills } from './control-group.js'
import { memoryTogetherShare, strayKillRounds } from './limits.js'
import { ProcessWatch } from './process-watch.js'

export interface EnclosureOptions {
  readonly limits: KernelLimits
  readonly onWarning?: (sentence: string) => void
}

/** Around one kernel and all its programs: the limits that hold for them together, and their common end. */
export class Enclosure {
  readonly watch: ProcessWatch
  /** What to do when they went too far. */
  onOver: (cause: KillCause, detail: string) => void = () => {}
  readonly #contained: ContainedProcess
  readonly #pid: number
  readonly #groups: ControlGroups
  readonly #group: ControlGroup | undefined
  #kills = 0

  /** `pid`: of the kernel, which must not have started anything of its user's yet. */
  constructor(contained: ContainedProcess, pid: number, options: EnclosureOptions, groups: ControlGroups) {
    const { processes, memoryBytes } = options.limits
    const limits = { processes, memoryBytes: Math.round(memoryBytes * memoryTogetherShare) }
    this.#contained = contained
    this.#pid = pid
    this.#groups = groups
    const enclosed = groups.enclose(pid, limits)
    this.#group = enclosed
    this.watch = new ProcessWatch({
      root: contained.root ?? pid,
      group: pid,
      limits,
      onOver: (cause, detail) => this.onOver(cause, detail),
      onNear: (sentence) => options.onWarning?.(sentence),
      ...(enclosed !== undefined && { outOfMemoryKills: () => enclosed.outOfMemoryKills }),
    })
  }

  /** After the end of the kernel itself: ends what it has left, as far as that can be found, and waits for nothing. */
  async clear(): Promise<void> {
    this.watch.close()
    killGroup(this.#pid, 'SIGKILL')
    if (!this.#contained.endsAsOne) await this.#killStrays()
    if (this.#group === undefined) return
    this.#kills = this.#group.outOfMemoryKills
    this.#groups.retire(this.#group)
  }

  /** Before a deliberate end: afterwards nothing tells whose programs those were that left the group. */
  remember(): void {
    if (!this.#contained.endsAsOne) void this.watch.survivors()
  }

  /** `before`: the kills of the worker's own control group when the kernel was started. */
  outOfMemory(before: number | undefined): boolean {
    if (this.#group?.countsKills) return this.#kills > 0
    return (ownOutOfMemoryKills() ?? 0) > (before ?? 0)
  }

  /** Programs that left the group, e.g. by `setsid`. */
  async #killStrays(): Promise<void> {
    for (let round = 0; round < strayKillRounds; round += 1) {
      const strays = await this.watch.survivors()
      if (strays.length === 0) return
      for (const { pid } of strays) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // Ended meanwhile.
        }
      }
    }
  }
}
