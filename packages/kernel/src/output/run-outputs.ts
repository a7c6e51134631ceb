import { lateRunsBytesMax, lateRunsMax, lateSettleMs } from '../limits.js'
import type { MimeBundle, StreamName } from '../runtime/runtime.js'
import { RunOutput } from './run-output.js'
import type { RunSpool } from './run-spool.js'

export interface RunOutputsEvents {
  /** A run that had ended has written more, and its output is closed again: its row is due. */
  onLate(run: number, output: RunOutput): void
}

interface Entry {
  readonly output: RunOutput
  ended: boolean
  settling: NodeJS.Timeout | undefined
}

/** The outputs of one kernel's runs, for as long as more may come: ended runs that have been silent for longest go first. */
export class RunOutputs {
  readonly #events: RunOutputsEvents
  /** Least recently written first. */
  readonly #entries = new Map<number, Entry>()
  #lostBytes = 0

  constructor(events: RunOutputsEvents) {
    this.#events = events
  }

  begin(run: number, onChange: () => void, spool?: RunSpool): RunOutput {
    const output = new RunOutput(onChange, spool)
    this.#entries.set(run, { output, ended: false, settling: undefined })
    return output
  }

  /** Running, or ended not long ago. */
  get(run: number): RunOutput | undefined {
    return this.#entries.get(run)?.output
  }

  push(run: number, stream: StreamName, bytes: Uint8Array): void {
    const entry = this.#entries.get(run)
    if (!entry) {
      this.#lostBytes += bytes.length
      return
    }
    entry.output.push(stream, bytes)
    if (entry.ended) this.#late(run, entry)
  }

  display(run: number, bundle: MimeBundle): void {
    this.#entries.get(run)?.output.display(bundle)
  }

  /** Before the run's row is written. */
  end(run: number): void {
    const entry = this.#entries.get(run)
    if (!entry) return
    entry.ended = true
    entry.output.close()
    this.#forgetOld()
  }

  /** Written by threads of runs that ended so long ago that nothing here remembers them; reading it sets it to 0. */
  takeLostBytes(): number {
    const lost = this.#lostBytes
    this.#lostBytes = 0
    return lost
  }

  /** The process is gone: nothing more will come. Late output that is not recorded yet is told of now. */
  close(): void {
    for (const [run, entry] of this.#entries) this.#settle(run, entry)
    for (const [run, entry] of this.#entries) if (entry.ended) this.#entries.delete(run)
  }

  #late(run: number, entry: Entry): void {
    this.#entries.delete(run)
    this.#entries.set(run, entry)
    entry.settling ??= setTimeout(() => this.#settle(run, entry), lateSettleMs).unref()
  }

  #settle(run: number, entry: Entry): void {
    if (entry.settling === undefined) return
    clearTimeout(entry.settling)
    entry.settling = undefined
    entry.output.close()
    this.#events.onLate(run, entry.output)
    this.#forgetOld()
  }

  #forgetOld(): void {
    let bytes = [...this.#entries.values()].reduce((sum, { output }) => sum + output.memoryBytes, 0)
    for (const [run, { ended, settling, output }] of this.#entries) {
      if (this.#entries.size <= lateRunsMax && bytes <= lateRunsBytesMax) return
      if (!ended || settling !== undefined) continue
      bytes -= output.memoryBytes
      this.#entries.delete(run)
    }
  }
}
