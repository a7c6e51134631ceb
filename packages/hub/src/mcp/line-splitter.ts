import { unfinishedBytesFree } from './limits.js'
import type { LineBudget } from './line-budget.js'

/** A line without its end, or what is known of one that was too long to keep. */
export type Line =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  | { readonly kind: 'too_long'; readonly head: Buffer; readonly tail: Buffer }

const newline = 0x0a
const carriageReturn = 0x0d
const nothing = Buffer.alloc(0)
/** Enough of both ends of a skipped line to find the id of the request in it. */
const excerptBytes = 256
/** What keeping a piece costs beside its bytes, or else a line that drips in byte by byte would hold far more than it counts. */
const pieceOverheadBytes = 256

/** Cuts chunks into lines in linear time: pieces are kept as they came and joined once, when their line ends. */
export class LineSplitter {
  readonly #lineBytesMax: number
  readonly #budget: LineBudget | undefined
  #chunk: Buffer = nothing
  /** Where the next line of it begins. */
  #at = 0
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

  /** To be read by {@link next}, until that has nothing more. */
  push(chunk: Buffer): void {
    this.#chunk = chunk
    this.#at = 0
  }

  /** The next line of what was pushed; undefined: the rest is the beginning of one, and kept. */
  next(): Line | undefined {
    while (this.#at < this.#chunk.length) {
      const end = this.#chunk.indexOf(newline, this.#at)
      if (end === -1) {
        this.#keep(this.#chunk.subarray(this.#at))
        this.#at = this.#chunk.length
        this.#reserve()
        break
      }
      const piece = this.#chunk.subarray(this.#at, end)
      this.#at = end + 1
      const line = this.#complete(piece)
      if (line !== undefined) return line
    }
    this.#chunk = nothing
    this.#at = 0
    return undefined
  }

  /** What came after the last line end. */
  end(): Line | undefined {
    return this.#complete(nothing)
  }

  /** Lets go of what was kept; whatever still comes is dropped. */
  close(): void {
    this.#closed = true
    this.#chunk = nothing
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

  /** Undefined for an empty line. */
  #complete(piece: Buffer): Line | undefined {
    // The usual case: the line came in one piece.
    if (this.#length === 0 && this.#skipped === undefined && !this.#closed && piece.length <= this.#lineBytesMax) {
      const bytes = withoutCarriageReturn(piece)
      return bytes.length > 0 ? { kind: 'line', bytes } : undefined
    }
    this.#keep(piece)
    const skipped = this.#skipped
    if (skipped !== undefined) {
      this.#skipped = undefined
      return { kind: 'too_long', ...skipped }
    }
    const bytes = withoutCarriageReturn(this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces))
    this.#clear()
    if (bytes.length > this.#lineBytesMax) return { kind: 'too_long', head: headOf([bytes]), tail: tailOf([bytes]) }
    return bytes.length > 0 ? { kind: 'line', bytes } : undefined
  }

  #clear(): void {
    this.#pieces = []
    this.#length = 0
    this.#budget?.give(this.#taken)
    this.#taken = 0
  }
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes[bytes.length - 1] === carriageReturn ? bytes.subarray(0, -1) : bytes
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
