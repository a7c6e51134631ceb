/** A line with its end, or both ends of one that was too long to keep. */
export type Line =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  | { readonly kind: 'too_long'; readonly head: Buffer; readonly tail: Buffer }

const newline = 0x0a
/** Enough of both ends of a skipped line to find the id of the request in it. */
const excerptBytes = 256

/** Cuts chunks into lines in linear time: pieces are kept as they came and joined once, when their line ends. */
export class LineSplitter {
  readonly #lineBytesMax: number
  #pieces: Buffer[] = []
  #length = 0
  #skipped: { readonly head: Buffer; tail: Buffer } | undefined

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax
  }

  *push(chunk: Buffer): Generator<Line> {
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(newline, start)
      this.#keep(chunk.subarray(start, end === -1 ? chunk.length : end + 1))
      if (end === -1) return
      start = end + 1
      yield this.#take()
    }
  }

  /** What came after the last line end, as a line. */
  *end(): Generator<Line> {
    if (this.#length > 0) yield* this.push(Buffer.from('\n'))
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length
    if (this.#skipped !== undefined) {
      this.#skipped.tail = Buffer.concat([this.#skipped.tail, piece.subarray(-excerptBytes)]).subarray(-excerptBytes)
      return
    }
    this.#pieces.push(piece)
    // The line end is not part of the line.
    if (this.#length <= this.#lineBytesMax + 1) return
    const whole = Buffer.concat(this.#pieces)
    this.#skipped = {
      head: Buffer.from(whole.subarray(0, excerptBytes)),
      tail: Buffer.from(whole.subarray(-excerptBytes)),
    }
    this.#pieces = []
  }

  #take(): Line {
    const skipped = this.#skipped
    const pieces = this.#pieces
    this.#skipped = undefined
    this.#pieces = []
    this.#length = 0
    if (skipped !== undefined) return { kind: 'too_long', ...skipped }
    return { kind: 'line', bytes: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces) }
  }
}
