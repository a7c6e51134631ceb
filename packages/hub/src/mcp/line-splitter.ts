import { unfinishedBytesFree } from './limits.js'
import type { LineBudget } from './line-budget.js'

/** A line without its end, or what is known of one that was too long to keep. */
export type Line =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  | { readonly kind: 'too_long'; readonly head: Buffer; readonly tail: Buffer }

const newline = 0x0a
const carriageReturn = 0x0d
/** Enough of both ends of a skipped line to find the id of the request in it. */
const excerptBytes = 256
/** What keeping a piece costs beside its bytes, or else a line that drips in byte by byte would hold far more than it counts. */
const pieceOverheadBytes = 256

/** Cuts chunks into lines in linear time: pieces are kept as they came and joined once, when their line ends. */
export class LineSplitter {
  readonly #lineBytesMax: number
  readonly #budget: LineBudget | undefined
  #pieces: Buffer[] = []
  #length = 0
  /** Of the budget. */
  #taken = 0
  #closed = false
  #skipped: { head: Buffer; tail: Buffer } | undefined

  /** `budget`: shared with other splitters; a line that finds it used up is too long. */
  constructor(lineBytesMax: number, budget?: LineBudget) {
    this.#lineBytesMax = lineBytesMax
    this.#budget = budget
  }

  *push(chunk: Buffer): Generator<Line> {
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(newline, start)
      this.#keep(chunk.subarray(start, end === -1 ? chunk.length : end))
      if (end === -1) {
        this.#reserve()
        return
      }
      start = end + 1
      yield* this.#take()
    }
  }

  /** What came after the last line end. */
  *end(): Generator<Line> {
    yield* this.#take()
  }

  /** Lets go of what was kept; whatever still comes is dropped. */
  close(): void {
    this.#closed = true
    this.#clear()
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0 || this.#closed) return
    if (this.#skipped !== undefined) {
      this.#skipped.tail = tailOf([this.#skipped.tail, piece])
      return
    }
    this.#pieces.push(piece)
    this.#length += piece.length
    // One byte more is allowed for the carriage return that is not part of the line.
    if (this.#length > this.#lineBytesMax + 1) this.#skip()
  }

  /** For what stays until the next chunk: a line that comes whole costs the budget nothing. */
  #reserve(): void {
    const held = this.#length + this.#pieces.length * pieceOverheadBytes - unfinishedBytesFree
    const more = held - this.#taken
    if (this.#budget === undefined || more <= 0) return
    if (this.#budget.take(more)) this.#taken = held
    else this.#skip()
  }

  #skip(): void {
    this.#skipped = { head: headOf(this.#pieces), tail: tailOf(this.#pieces) }
    this.#clear()
  }

  *#take(): Generator<Line> {
    const skipped = this.#skipped
    if (skipped !== undefined) {
      this.#skipped = undefined
      yield { kind: 'too_long', ...skipped }
      return
    }
    const bytes = withoutCarriageReturn(this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces))
    this.#clear()
    if (bytes.length > this.#lineBytesMax) yield { kind: 'too_long', head: headOf([bytes]), tail: tailOf([bytes]) }
    else if (bytes.length > 0) yield { kind: 'line', bytes }
  }

  #clear(): void {
    this.#pieces = []
    this.#length = 0
    this.#budget?.give(this.#taken)
    this.#taken = 0
  }
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes
}

function headOf(pieces: readonly Buffer[]): Buffer {
  const kept: Buffer[] = []
  let length = 0
  for (const piece of pieces) {
    if (length >= excerptBytes) break
    kept.push(piece.subarray(0, excerptBytes - length))
    length += kept.at(-1)!.length
  }
  return Buffer.concat(kept)
}

function tailOf(pieces: readonly Buffer[]): Buffer {
  const kept: Buffer[] = []
  let length = 0
  for (let index = pieces.length - 1; index >= 0 && length < excerptBytes; index--) {
    kept.unshift(pieces[index]!.subarray(-(excerptBytes - length)))
    length += kept[0]!.length
  }
  return Buffer.concat(kept)
}
