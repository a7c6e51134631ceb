import type { CodeSpan } from './code-spans.js'
import type { PairGrid } from './pair-grid.js'

/** Adds, for two codes, the number of their pairs of spans that have a character in common. A code with itself is nobody's pair. */
export function countOverlaps(spans: readonly CodeSpan[], grid: PairGrid): void {
  sweep(spans, ({ code }, open) => {
    const row = grid.rowOf(code, open.size)
    for (let index = 0; index < open.size; index++) {
      const other = open.codes[index]!
      row[other]! += open.depths[other]!
    }
  })
}

/** Adds, for two codes, the characters that both have. The spans of one code must not overlap. */
export function sumOverlaps(spans: readonly CodeSpan[], grid: PairGrid): void {
  const ends = new Float64Array(codesOf(spans))
  sweep(spans, ({ code, start, end }, open) => {
    const row = grid.rowOf(code, open.size)
    for (let index = 0; index < open.size; index++) {
      const other = open.codes[index]!
      row[other]! += Math.min(end, ends[other]!) - start
    }
    ends[code] = end
  })
}

/** The codes that have a span at the place where the sweep is: the first `size` of `codes`. */
interface OpenCodes {
  readonly codes: Int32Array
  size: number
  /** By code, how many of its spans are open. */
  readonly depths: Int32Array
}

/** From left to right; `visit` sees each span with the codes that were open where it begins. */
function sweep(spans: readonly CodeSpan[], visit: (span: CodeSpan, open: OpenCodes) => void): void {
  const codes = codesOf(spans)
  const places = new Int32Array(codes)
  const open: OpenCodes = { codes: new Int32Array(codes), size: 0, depths: new Int32Array(codes) }
  const byEnd = [...spans].sort((a, b) => a.end - b.end)
  let ended = 0
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    while (byEnd[ended]!.end <= span.start) leave(byEnd[ended++]!.code, open, places)
    visit(span, open)
    enter(span.code, open, places)
  }
}

function enter(code: number, open: OpenCodes, places: Int32Array): void {
  open.depths[code]! += 1
  if (open.depths[code]! > 1) return
  places[code] = open.size
  open.codes[open.size++] = code
}

/** The last of the open codes takes the place of the one that goes. */
function leave(code: number, open: OpenCodes, places: Int32Array): void {
  open.depths[code]! -= 1
  if (open.depths[code]! > 0) return
  const last = open.codes[--open.size]!
  open.codes[places[code]!] = last
  places[last] = places[code]!
}

function codesOf(spans: readonly CodeSpan[]): number {
  return spans.reduce((most, { code }) => Math.max(most, code + 1), 0)
}
