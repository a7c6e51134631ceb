/**
 * What the harness writes between the bytes of a stream: `<` and `>` where a run begins and ends, and `=` before a piece
 * that another run's thread or task has written. The token is random, so output that looks like a mark cannot be one.
 *
 *     NUL SOH "callboard " token " " ( "<" run | ">" run | "=" run " " length ) NUL
 */
export type OutputMark =
  | { readonly kind: 'begin' | 'end'; readonly run: number }
  | { readonly kind: 'piece'; readonly run: number; readonly length: number }

export type MarkedPart = OutputMark | { readonly kind: 'bytes'; readonly bytes: Buffer }

export function markPrefix(token: string): Buffer {
  return Buffer.from(`\0\x01callboard ${token} `)
}

/** Finds the marks in one stream, across chunks. */
export class MarkReader {
  readonly #prefix: Buffer
  #held: Buffer = Buffer.alloc(0)

  constructor(token: string) {
    this.#prefix = markPrefix(token)
  }

  /** The next part and what follows it. `part` is undefined when the rest is held back until more comes. */
  next(bytes: Buffer): { readonly part: MarkedPart | undefined; readonly rest: Buffer } {
    const at = bytes.indexOf(this.#prefix)
    if (at < 0) return this.#plain(bytes, bytes.length - this.#prefixBegun(bytes))
    if (at > 0) return this.#plain(bytes, at)
    const start = this.#prefix.length
    const end = bytes.indexOf(0, start)
    if (end < 0 && bytes.length - start <= bodyBytesMax) return this.#hold(bytes)
    const mark = end < 0 ? undefined : parseMark(bytes.toString('latin1', start, Math.min(end, start + bodyBytesMax)))
    // Only code that has found the token can bring this about; it harms its own output.
    if (!mark) return this.#plain(bytes, start)
    return { part: mark, rest: bytes.subarray(end + 1) }
  }

  /** The chunk, with what was held back before it. */
  resume(chunk: Buffer): Buffer {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    this.#held = empty
    return bytes
  }

  #plain(bytes: Buffer, length: number): { readonly part: MarkedPart | undefined; readonly rest: Buffer } {
    if (length === 0) return this.#hold(bytes)
    return { part: { kind: 'bytes', bytes: bytes.subarray(0, length) }, rest: bytes.subarray(length) }
  }

  #hold(bytes: Buffer): { readonly part: undefined; readonly rest: Buffer } {
    this.#held = Buffer.from(bytes)
    return { part: undefined, rest: empty }
  }

  /** How many bytes at the end may be the beginning of a mark. The prefix has its only NUL in front. */
  #prefixBegun(bytes: Buffer): number {
    const from = bytes.subarray(Math.max(0, bytes.length - this.#prefix.length + 1))
    const at = from.lastIndexOf(0)
    const end = at < 0 ? empty : from.subarray(at)
    return end.equals(this.#prefix.subarray(0, end.length)) ? end.length : 0
  }
}

const empty = Buffer.alloc(0)
/** Two numbers of at most sixteen digits. */
const bodyBytesMax = 40

function parseMark(body: string): OutputMark | undefined {
  const [, kind, run, length] = /^([<>=])(\d{1,15})(?: (\d{1,6}))?$/.exec(body) ?? []
  if (kind === '=')
    return length === undefined ? undefined : { kind: 'piece', run: Number(run), length: Number(length) }
  if (kind === undefined || length !== undefined) return undefined
  return { kind: kind === '<' ? 'begin' : 'end', run: Number(run) }
}
