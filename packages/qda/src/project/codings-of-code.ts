import { placeCoding } from '../text/place-coding.js'
import type { TextIndex } from '../text/text-index.js'
import { hiddenCoders } from './coders.js'
import { type Coding, selectCodings } from './codings.js'
import { type CodedSpan, CodedSpans } from './overlaps.js'
import type { ProjectDatabase } from './project-database.js'
import { numberIn, textIn } from './segments.js'

/** What is coded in one source with one code, as one coder sees it. */
export class CodedPassages {
  /** Of coders that are not hidden. */
  readonly #visible: CodedSpans
  /** The coder's own, hidden or not, by place. */
  readonly #own: Map<string, number>
  /** What no other row of the coder may have stored. */
  readonly #stored: ReadonlySet<string>

  constructor(visible: readonly CodedSpan[], own: Map<string, number>, stored: ReadonlySet<string>) {
    this.#visible = new CodedSpans(visible)
    this.#own = own
    this.#stored = stored
  }

  /** The coder's own coding of exactly this passage. */
  same(start: number, end: number): number | undefined {
    return this.#own.get(key(start, end))
  }

  /** Whether these positions are stored already, for what by now is another passage. */
  isTaken(start: number, end: number): boolean {
    return this.#stored.has(key(start, end)) && this.same(start, end) === undefined
  }

  /** The first `limit` that share a character with the passage, by start. */
  on(start: number, end: number, limit: number): readonly CodedSpan[] {
    return this.#visible.on(start, end, limit)
  }

  /** One more of the coder's own. */
  add(span: CodedSpan): void {
    this.#visible.add(span)
    this.#own.set(key(span.start, span.end), span.id)
  }
}

/** Positions are those that are found: stored ones may be in other units. */
export function loadCoded(
  db: ProjectDatabase,
  index: TextIndex,
  { codeId, sourceId, coder }: { readonly codeId: number; readonly sourceId: number; readonly coder: string },
): CodedPassages {
  const rows = db.all<Coding>(`${selectCodings(db)} WHERE t.cid = ? AND t.fid = ?`, codeId, sourceId)
  const hidden = rows.length === 0 ? [] : hiddenCoders(db)
  const spans = rows.map((row) => ({ id: row.id, ...placed(index, row), owner: row.owner }))
  const own = spans.filter(({ owner }) => owner === coder)
  return new CodedPassages(
    spans.filter(({ owner }) => owner === null || !hidden.includes(owner)),
    new Map(own.map(({ id, start, end }) => [key(start, end), id])),
    new Set(rows.filter(({ owner }) => owner === coder).map(({ pos0, pos1 }) => `${pos0}:${pos1}`)),
  )
}

function placed(index: TextIndex, { pos0, pos1, seltext }: Coding) {
  const { start, end } = placeCoding({ index, pos0: numberIn(pos0), pos1: numberIn(pos1), seltext: textIn(seltext) })
  return { start, end }
}

const key = (start: number, end: number): string => `${start}:${end}`
