import type { MimeBundle, StreamName } from '../runtime/runtime.js'
import type { ReadableText } from './readable-text.js'
import type { KeptDisplay } from './rich-content.js'
import { RunImages } from './run-images.js'
import type { RunSpool } from './run-spool.js'
import { type ResumedStream, StreamOutput } from './stream-output.js'

/** Everything that one run has written and shown, cleaned; bounded in memory, on disk where it is longer. */
export class RunOutput {
  readonly stdout: StreamOutput
  readonly stderr: StreamOutput
  /** Absent where nothing is kept on disk. */
  readonly images: RunImages | undefined
  readonly #onChange: () => void
  readonly #spool: RunSpool | undefined

  /** Without `spool` nothing is kept beyond what a reply shows. */
  constructor(
    onChange: () => void,
    spool?: RunSpool,
    resumed?: { readonly stdout: ResumedStream; readonly stderr: ResumedStream },
  ) {
    this.#onChange = onChange
    this.#spool = spool
    this.images = spool && new RunImages(spool.path, (bytes) => spool.reserve(bytes))
    this.stdout = new StreamOutput('stdout', spool, resumed?.stdout)
    this.stderr = new StreamOutput('stderr', spool, resumed?.stderr)
  }

  /** `bytes` may be used again by the caller afterwards. Also after `close`: threads and tasks go on. */
  push(stream: StreamName, bytes: Uint8Array): void {
    this[stream].push(bytes)
    this.#onChange()
  }

  /** Returns what was kept of it. */
  display(bundle: MimeBundle): readonly KeptDisplay[] {
    return this.images?.add(bundle) ?? []
  }

  /** For the run's row: the folder of its files, null when all fitted inline. */
  get spool(): string | null {
    return this.#spool?.used ? this.#spool.folder : null
  }

  /** What could not be kept, a sentence each. */
  get losses(): readonly string[] {
    const lost = this.images?.lost ?? 0
    const shown = lost > 0 ? `${lost} displays of this run were not kept: there was no room for them.` : null
    return [this.stdout.loss, this.stderr.loss, shown].filter((loss) => loss !== null)
  }

  get memoryBytes(): number {
    return this.stdout.memoryBytes + this.stderr.memoryBytes
  }

  /** Call it before the row is written: unfinished lines become final. Idempotent; what comes late asks for one more. */
  close(): void {
    this.stdout.close()
    this.stderr.close()
  }
}

/** What weave_peek needs of a run's output, live or stored. */
export interface ReadableOutput {
  readonly stdout: ReadableText
  readonly stderr: ReadableText
}
