import { spansPerBlockMax } from '../limits.js'

/** Code points, half-open. */
export interface CodedSpan {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly owner: string | null
}

interface Block {
  readonly spans: CodedSpan[]
  /** The furthest end: a block that ends before a passage has nothing on it. */
  end: number
}

/**
 * Spans in order of their starts, to which more come. Finding some on a passage skips whole blocks before it, so that one
 * span over everything does not make every search a walk over all.
 */
export class CodedSpans {
  readonly #blocks: Block[]

  /** `spans` in any order. */
  constructor(spans: readonly CodedSpan[]) {
    const sorted = spans.toSorted((one, other) => one.start - other.start)
    this.#blocks = []
    for (let from = 0; from < sorted.length; from += spansPerBlockMax / 2)
      this.#blocks.push(blockOf(sorted.slice(from, from + spansPerBlockMax / 2)))
  }

  add(span: CodedSpan): void {
    const at = Math.max(0, this.#blockBehind(span.start) - 1)
    const block = this.#blocks[at]
    if (block === undefined) {
      this.#blocks.push(blockOf([span]))
      return
    }
    const behind = block.spans.findIndex(({ start }) => start > span.start)
    block.spans.splice(behind < 0 ? block.spans.length : behind, 0, span)
    block.end = Math.max(block.end, span.end)
    if (block.spans.length > spansPerBlockMax) this.#split(at, block.spans)
  }

  /** The first `limit` that share a character with the passage, by start. */
  on(start: number, end: number, limit: number): readonly CodedSpan[] {
    const found: CodedSpan[] = []
    for (const block of this.#blocks) {
      if (found.length >= limit || block.spans[0]!.start >= end) break
      if (block.end <= start) continue
      for (const span of block.spans) if (span.start < end && span.end > start) found.push(span)
    }
    return found.slice(0, limit)
  }

  /** The first block that starts behind a position. */
  #blockBehind(position: number): number {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#blocks[middle]!.spans[0]!.start <= position) low = middle + 1
      else high = middle
    }
    return low
  }

  #split(at: number, spans: readonly CodedSpan[]): void {
    const half = spans.length >>> 1
    this.#blocks.splice(at, 1, blockOf(spans.slice(0, half)), blockOf(spans.slice(half)))
  }
}

function blockOf(spans: CodedSpan[]): Block {
  return { spans, end: spans.reduce((furthest, { end }) => Math.max(furthest, end), 0) }
}
