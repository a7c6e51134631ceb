import { displaysMax } from '../limits.js'
import type { MimeBundle, StreamName } from '../runtime/runtime.js'
import { HeadAndTail } from './head-and-tail.js'
import { TerminalText } from './terminal-text.js'

export interface CapturedText {
  readonly text: string
  readonly omittedBytes: number
}

/** Everything that one run has written and shown, cleaned and bounded. */
export class RunOutput {
  readonly stdout: StreamOutput
  readonly stderr: StreamOutput
  readonly displays: MimeBundle[] = []
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
    this.stdout = new StreamOutput()
    this.stderr = new StreamOutput()
  }

  /** Folder of what does not fit into a row. */
  get spool(): string | null {
    return null
  }

  close(): void {}

  push(stream: StreamName, bytes: Uint8Array): void {
    this[stream].push(bytes)
    this.#onChange()
  }

  display(bundle: MimeBundle): void {
    if (this.displays.length < displaysMax) this.displays.push(bundle)
    this.#onChange()
  }
}

export class StreamOutput {
  readonly #kept = new HeadAndTail()
  readonly #terminal = new TerminalText((bytes) => this.#kept.push(bytes))
  #total = 0

  /** As they came. */
  get totalBytes(): number {
    return this.#total
  }

  push(bytes: Uint8Array): void {
    this.#total += bytes.length
    this.#terminal.push(bytes)
  }

  read(): CapturedText {
    return this.#kept.read(this.#terminal.pending)
  }
}
