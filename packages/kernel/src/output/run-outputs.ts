import { lateRunsBytesMax, lateRunsMax, lateSettleMs, lateWaitingBytesMax } from '../limits.js'
import type { MimeBundle, StreamName } from '../runtime/runtime.js'
import type { KeptDisplay } from './rich-content.js'
import type { RunOutput } from './run-output.js'
import type { RunSpool } from './run-spool.js'
import { resumeOutput, type StoredTexts } from './stored-output.js'

export interface RunOutputsEvents {
  /** A run that had ended has written more, and its output is closed again: its row is due. */
  onLate(run: number, output: RunOutput): void
  /** A run that nothing here remembers writes again: what its row holds. Undefined when there is no such row. */
  recall(run: number): Promise<{ readonly row: StoredTexts; readonly spool: RunSpool } | undefined>
}

interface Entry {
  readonly output: RunOutput
  ended: boolean
  settling: NodeJS.Timeout | undefined
}

interface Waiting {
  readonly chunks: { readonly stream: StreamName; readonly bytes: Buffer }[]
  bytes: number
}

/**
 * The outputs of one kernel's runs. Ended ones stay for a while, those silent for longest go first; one that is gone comes
 * back from its row when it writes again.
 */
export class RunOutputs {
  readonly #events: RunOutputsEvents
  /** Least recently written first. */
  readonly #entries = new Map<number, Entry>()
  readonly #recalled = new Map<number, Waiting>()
  #lostBytes = 0

  constructor(events: RunOutputsEvents) {
    this.#events = events
  }

  /** Of a run that is about to begin. */
  add(run: number, output: RunOutput): void {
    this.#entries.set(run, { output, ended: false, settling: undefined })
  }

  /** Running, or ended not long ago. */
  get(run: number): RunOutput | undefined {
    return this.#entries.get(run)?.output
  }

  push(run: number, stream: StreamName, bytes: Uint8Array): void {
    const entry = this.#entries.get(run)
    if (!entry) return this.#recall(run, stream, bytes)
    entry.output.push(stream, bytes)
    if (entry.ended) this.#late(run, entry)
  }

  display(run: number, bundle: MimeBundle): readonly KeptDisplay[] {
    return this.#entries.get(run)?.output.display(bundle) ?? []
  }

  /** Before the run's row is written. */
  end(run: number): void {
    const entry = this.#entries.get(run)
    if (!entry) return
    entry.ended = true
    entry.output.close()
    this.#forgetOld()
  }

  /** Written late by runs whose row or file is gone; reading it sets it to 0. */
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

  #recall(run: number, stream: StreamName, bytes: Uint8Array): void {
    let waiting = this.#recalled.get(run)
    if (!waiting) {
      waiting = { chunks: [], bytes: 0 }
      this.#recalled.set(run, waiting)
      void this.#bringBack(run, waiting)
    }
    if (waiting.bytes + bytes.length > lateWaitingBytesMax) {
      this.#lostBytes += bytes.length
      return
    }
    waiting.chunks.push({ stream, bytes: Buffer.from(bytes) })
    waiting.bytes += bytes.length
  }

  async #bringBack(run: number, waiting: Waiting): Promise<void> {
    // A store that is away loses what is late, never a run of its own.
    const output = await this.#resume(run).catch(() => undefined)
    this.#recalled.delete(run)
    if (!output) {
      this.#lostBytes += waiting.bytes
      return
    }
    const entry: Entry = { output, ended: true, settling: undefined }
    for (const { stream, bytes } of waiting.chunks) output.push(stream, bytes)
    this.#late(run, entry)
  }

  async #resume(run: number): Promise<RunOutput | undefined> {
    const found = await this.#events.recall(run)
    return found && resumeOutput(found.row, found.spool)
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
