import { lateRunsNamedMax } from '../limits.js'
import type { OutputKeeper } from '../output/output-keeper.js'
import type { KeptDisplay } from '../output/rich-content.js'
import type { RunOutput } from '../output/run-output.js'
import { RunOutputs } from '../output/run-outputs.js'
import type { MimeBundle, StreamName } from '../runtime/runtime.js'

/** Where the output of one kernel's runs goes, while they run and when it comes late. */
export class KernelOutputs {
  readonly #owner: string
  readonly #keeper: OutputKeeper
  readonly #outputs: RunOutputs
  /** Runs that wrote after their end since a reply told of it. */
  readonly #late = new Set<number>()
  /** What replayed code writes was written before. */
  #muted = false
  /** In order, and all of it before the store is closed. */
  #recorded: Promise<void> = Promise.resolve()

  constructor(owner: string, keeper: OutputKeeper) {
    this.#owner = owner
    this.#keeper = keeper
    this.#outputs = new RunOutputs({
      onLate: (run, output) => {
        this.#late.add(run)
        // Without the store it is still in memory, or in its file, for a while.
        this.#recorded = this.#recorded.then(() => keeper.recordLate(owner, run, output)).catch(() => {})
      },
      recall: (run) => keeper.recall(owner, run),
    })
  }

  open(run: number, onChange: () => void): RunOutput {
    const output = this.#keeper.open(this.#owner, run, onChange)
    this.#outputs.add(run, output)
    return output
  }

  push(run: number, stream: StreamName, bytes: Uint8Array): void {
    if (!this.#muted) this.#outputs.push(run, stream, bytes)
  }

  display(run: number, bundle: MimeBundle): readonly KeptDisplay[] {
    return this.#muted ? [] : this.#outputs.display(run, bundle)
  }

  /** Before the run is reported and recorded. Idempotent. */
  end(run: number): void {
    this.#outputs.end(run)
  }

  /** Sentences for the next reply: whoever started a thread would not look for its traceback in an old run. */
  takeLate(): readonly string[] {
    const runs = [...this.#late]
    this.#late.clear()
    if (runs.length === 0) return []
    const named = runs.slice(-lateRunsNamedMax).join(', ')
    const more = runs.length > lateRunsNamedMax ? ` and ${runs.length - lateRunsNamedMax} more` : ''
    return [`Background work of run ${named}${more} has written after its end; weave_peek with that run_id reads it.`]
  }

  /** Sentences for the reply of this run. */
  losses(output: RunOutput): readonly string[] {
    const late = this.#outputs.takeLostBytes()
    if (late === 0) return output.losses
    const sentence = `${late} bytes that background work of earlier runs wrote are lost: their output is no longer kept.`
    return [...output.losses, sentence]
  }

  async muting<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#muted = true
    try {
      return await work()
    } finally {
      this.#muted = false
    }
  }

  /** The process has ended. Resolves when all that came late is on record. */
  async close(): Promise<void> {
    this.#outputs.close()
    await this.#recorded
  }
}
