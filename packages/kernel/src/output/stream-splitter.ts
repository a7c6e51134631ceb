import { MarkSplitter, type RunMarks } from './run-marks.js'

/** One stream of a kernel process over its whole life: which byte belongs to which run. */
export class StreamSplitter {
  readonly #splitter = new MarkSplitter()
  readonly #onBytes: (run: number, bytes: Uint8Array) => void
  #run = 0
  #ended: (() => void) | undefined

  constructor(onBytes: (run: number, bytes: Uint8Array) => void) {
    this.#onBytes = onBytes
  }

  /** Resolves when the run's last byte was read. */
  begin(run: number, marks: RunMarks): Promise<void> {
    this.#next = run
    this.#splitter.expect(marks)
    return new Promise((resolve) => {
      this.#ended = resolve
    })
  }

  #next = 0

  push(chunk: Buffer): void {
    for (const piece of this.#splitter.push(chunk)) {
      if (piece.kind === 'ended') this.#end()
      else this.#pass(piece.kind === 'run', piece.bytes)
    }
  }

  giveUp(): void {
    for (const piece of this.#splitter.giveUp()) {
      if (piece.kind !== 'ended') this.#pass(piece.kind === 'run', piece.bytes)
    }
    this.#end()
  }

  /** What comes between two runs was written by something that the earlier one left behind. */
  #pass(inside: boolean, bytes: Uint8Array): void {
    if (inside) this.#run = this.#next
    if (this.#run > 0) this.#onBytes(this.#run, bytes)
  }

  #end(): void {
    this.#run = this.#next
    const ended = this.#ended
    this.#ended = undefined
    ended?.()
  }
}
