import { HeadAndTail } from './head-and-tail.js'
import { lateBytesMax } from './limits.js'
import { MarkSplitter, type RunMarks } from './run-marks.js'
import { TerminalText } from './terminal-text.js'

export interface CapturedText {
  readonly text: string
  readonly omittedBytes: number
}

/** One stream of a kernel process over its whole life: what belongs to which run, cleaned and bounded. */
export class StreamCapture {
  readonly #splitter = new MarkSplitter()
  readonly #onChange: () => void
  #run = new CapturedRun()
  #late = new CapturedRun(lateBytesMax)
  #ended: (() => void) | undefined

  /** `onChange` is called after output of a run, not of late output. */
  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Calls `ended` once, when the run's last byte was read. */
  begin(marks: RunMarks, ended: () => void): void {
    this.#run = new CapturedRun()
    this.#ended = ended
    this.#splitter.expect(marks)
  }

  push(chunk: Buffer): void {
    const before = this.#run.totalBytes
    for (const piece of this.#splitter.push(chunk)) {
      if (piece.kind === 'run') this.#run.push(piece.bytes)
      else if (piece.kind === 'between') this.#late.push(piece.bytes)
      else this.#end()
    }
    if (this.#run.totalBytes !== before) this.#onChange()
  }

  giveUp(): void {
    for (const piece of this.#splitter.giveUp()) {
      if (piece.kind === 'run') this.#run.push(piece.bytes)
    }
    this.#end()
  }

  /** Bytes of the run so far, as they came. */
  get totalBytes(): number {
    return this.#run.totalBytes
  }

  read(): CapturedText {
    return this.#run.read()
  }

  /** What came between runs since the last call. */
  takeLate(): CapturedText {
    const late = this.#late.read()
    this.#late = new CapturedRun(lateBytesMax)
    return late
  }

  #end(): void {
    const ended = this.#ended
    this.#ended = undefined
    ended?.()
  }
}

class CapturedRun {
  readonly #kept: HeadAndTail
  readonly #terminal: TerminalText
  #total = 0

  constructor(bytesMax?: number) {
    this.#kept = new HeadAndTail(bytesMax)
    this.#terminal = new TerminalText((bytes) => this.#kept.push(bytes))
  }

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
