/** Written by the harness into both FIFOs around a run, so that no byte is ever counted to the wrong one. */
export interface RunMarks {
  readonly begin: string
  readonly end: string
}

/** `token` is random: output that looks like a mark cannot be one. */
export function runMarks(token: string): RunMarks {
  return { begin: `\0\x01callboard ${token} <\0`, end: `\0\x01callboard ${token} >\0` }
}

/** `between`: no run has these bytes; `ended`: both ends of the run were seen. */
export type MarkedPiece = { readonly kind: 'run' | 'between'; readonly bytes: Buffer } | { readonly kind: 'ended' }

type Phase = { readonly name: 'between' } | { readonly name: 'before' | 'inside'; readonly marks: RunMarks }

/** Splits one stream at the marks of the run that is expected, across chunks. */
export class MarkSplitter {
  #phase: Phase = { name: 'between' }
  #held: Buffer = Buffer.alloc(0)

  expect(marks: RunMarks): void {
    this.#phase = { name: 'before', marks }
  }

  /** Stops waiting: the process is gone, or its marks never came. */
  giveUp(): readonly MarkedPiece[] {
    const kind = this.#phase.name === 'inside' ? 'run' : 'between'
    const bytes = this.#held
    this.#phase = { name: 'between' }
    this.#held = Buffer.alloc(0)
    return bytes.length > 0 ? [{ kind, bytes }] : []
  }

  push(chunk: Buffer): readonly MarkedPiece[] {
    const pieces: MarkedPiece[] = []
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    this.#held = Buffer.alloc(0)
    while (rest.length > 0) {
      const phase = this.#phase
      if (phase.name === 'between') {
        pieces.push({ kind: 'between', bytes: rest })
        break
      }
      const kind = phase.name === 'inside' ? 'run' : 'between'
      const mark = Buffer.from(phase.name === 'inside' ? phase.marks.end : phase.marks.begin)
      const at = rest.indexOf(mark)
      const held = at < 0 ? heldBack(rest, mark) : 0
      const bytes = rest.subarray(0, at < 0 ? rest.length - held : at)
      if (bytes.length > 0) pieces.push({ kind, bytes })
      if (at < 0) {
        this.#held = Buffer.from(rest.subarray(rest.length - held))
        break
      }
      if (phase.name === 'inside') pieces.push({ kind: 'ended' })
      this.#phase = phase.name === 'inside' ? { name: 'between' } : { name: 'inside', marks: phase.marks }
      rest = rest.subarray(at + mark.length)
    }
    return pieces
  }
}

/** How many bytes at the end may be the beginning of the mark. */
function heldBack(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return length
  }
  return 0
}
