import { MarkReader, type OutputMark } from './output-marks.js'

/**
 * One stream of a kernel process over its whole life: which byte belongs to which run. Bytes without a mark are those of the
 * run that began last: what programs and C code write between two runs was left behind by the earlier one.
 */
export class StreamSplitter {
  readonly #reader: MarkReader
  readonly #onBytes: (run: number, bytes: Uint8Array) => void
  /** The run that began last, 0 before the first. */
  #current = 0
  #newest = 0
  /** The one whose end is waited for; older than the newest when it is run again. */
  #awaited = 0
  #piece = { run: 0, bytesLeft: 0 }
  #ended: (() => void) | undefined

  /** `token` is that of the process, see `OutputMark`. What `onBytes` is given is valid during the call only. */
  constructor(token: string, onBytes: (run: number, bytes: Uint8Array) => void) {
    this.#reader = new MarkReader(token)
    this.#onBytes = onBytes
  }

  /** Resolves when the run's last byte was read. */
  begin(run: number): Promise<void> {
    this.#awaited = run
    this.#newest = Math.max(run, this.#newest)
    return new Promise((resolve) => {
      this.#ended = resolve
    })
  }

  push(chunk: Buffer): void {
    let rest = this.#reader.resume(chunk)
    while (rest.length > 0) {
      if (this.#piece.bytesLeft > 0) {
        const bytes = rest.subarray(0, this.#piece.bytesLeft)
        this.#piece.bytesLeft -= bytes.length
        this.#pass(this.#piece.run, bytes)
        rest = rest.subarray(bytes.length)
        continue
      }
      const next = this.#reader.next(rest)
      if (next.part?.kind === 'bytes') this.#pass(this.#current, next.part.bytes)
      else if (next.part) this.#obey(next.part)
      rest = next.rest
    }
  }

  /** Stops waiting: the process is gone, or the marks of its run never came. */
  giveUp(): void {
    const held = this.#reader.resume(Buffer.alloc(0))
    this.#current = this.#awaited
    if (held.length > 0) this.#pass(this.#current, held)
    this.#settle()
  }

  #obey(mark: OutputMark): void {
    switch (mark.kind) {
      case 'begin':
        this.#current = Math.min(mark.run, this.#newest)
        return
      case 'end':
        if (mark.run === this.#awaited) this.#settle()
        return
      case 'piece':
        this.#piece = { run: Math.min(mark.run, this.#newest), bytesLeft: mark.length }
    }
  }

  #pass(run: number, bytes: Uint8Array): void {
    if (run > 0) this.#onBytes(run, bytes)
  }

  #settle(): void {
    const ended = this.#ended
    this.#ended = undefined
    ended?.()
  }
}
