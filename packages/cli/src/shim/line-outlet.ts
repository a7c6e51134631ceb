import type { Writable } from 'node:stream'

/**
 * Writes lines to a stream; those that came one after the other in a chunk, as most do, leave as the one piece of memory that
 * they are. Whoever reads where they come from stops while {@link isBehind}.
 */
export class LineOutlet {
  readonly #stream: Writable
  #isGathering = false
  #piece: Buffer | undefined
  /** Lines that follow each other directly: where they end in the memory of the piece. */
  #end = 0

  constructor(stream: Writable) {
    this.#stream = stream
  }

  /** What the reader has not taken yet fills the stream's buffer; `drain` follows. */
  get isBehind(): boolean {
    return this.#stream.writableNeedDrain && this.#stream.writableLength > 0
  }

  /** What is written meanwhile leaves together at the end. */
  gather(act: () => void): void {
    if (this.#isGathering) return act()
    this.#isGathering = true
    this.#stream.cork()
    try {
      act()
    } finally {
      this.#isGathering = false
      this.flush()
      this.#stream.uncork()
    }
  }

  write(line: Buffer | string): void {
    if (typeof line === 'string' || !this.#isGathering) {
      this.flush()
      this.#stream.write(line)
      return
    }
    if (this.#piece?.buffer === line.buffer && this.#end === line.byteOffset) this.#end += line.length
    else this.#begin(line)
  }

  /** What was written leaves now: before an end, which nothing may follow. */
  flush(): void {
    const piece = this.#piece
    if (piece === undefined) return
    this.#piece = undefined
    const length = this.#end - piece.byteOffset
    this.#stream.write(length === piece.length ? piece : Buffer.from(piece.buffer, piece.byteOffset, length))
  }

  #begin(line: Buffer): void {
    this.flush()
    this.#piece = line
    this.#end = line.byteOffset + line.length
  }
}
