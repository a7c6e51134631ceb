import { autoCodingsMax, autoCodingsShownMax, hitContextLengthDefault } from '../limits.js'
import type { PatternForm } from '../patterns/expression.js'
import type { PatternMatch } from '../patterns/found-matches.js'
import type { PatternSearch } from '../patterns/pattern-search.js'
import type { MatchScope } from '../patterns/thread-messages.js'
import { loadCoded } from '../project/codings-of-code.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { type Hit, hitOf } from '../project/search-hit.js'
import { type SearchedSource, textsOf } from '../project/search-sources.js'
import type { TimeSlices } from '../project/time-slices.js'
import { type Extension, extendMatch } from '../text/extend-match.js'
import { textHash } from '../text/text-hash.js'
import { TextIndex, type TextRange } from '../text/text-index.js'
import { type FoundSource, requireFewPassages } from './auto-code-passages.js'

export interface MatchesQuery extends PatternForm {
  readonly sources: readonly SearchedSource[]
  readonly codeId: number
  /** Whose codings count as already there. */
  readonly coder: string
  readonly scope: MatchScope
  readonly extend: Extension
  /** The number of the first match that is shown. */
  readonly from: number
  readonly signal: AbortSignal
}

export interface MatchedSource extends FoundSource {
  /** What would be coded, from left to right, without overlap; code points. */
  readonly passages: readonly TextRange[]
}

export interface FoundPassages {
  /** By id. Matches are numbered through all of them, from 0. */
  readonly sources: readonly MatchedSource[]
  readonly total: number
  readonly alreadyCoded: number
  readonly shown: readonly (Hit & { readonly index: number })[]
}

/** Throws as PatternSearch does, and INVALID_ARGUMENT for more matches than one call codes. */
export async function findPassages(
  db: ProjectDatabase,
  patterns: PatternSearch,
  query: MatchesQuery,
  slices: TimeSlices,
): Promise<FoundPassages> {
  const found = new Found(db, query)
  await patterns.search(textsOf(db, query.sources, slices), query, async ({ id: source, text }, matches) => {
    found.add(source, text, matches)
    await slices.pause()
  })
  requireFewPassages(found.total, found.units)
  return found
}

class Found implements FoundPassages {
  readonly sources: MatchedSource[] = []
  readonly shown: (Hit & { readonly index: number })[] = []
  total = 0
  alreadyCoded = 0
  units = 0
  readonly #db: ProjectDatabase
  readonly #query: MatchesQuery

  constructor(db: ProjectDatabase, query: MatchesQuery) {
    this.#db = db
    this.#query = query
  }

  add({ id, name }: SearchedSource, text: string, matches: readonly PatternMatch[]): void {
    if (this.total > autoCodingsMax) {
      // Only how many there are is of interest by now.
      this.total += matches.length
      return
    }
    const { codeId, coder, extend } = this.#query
    const index = new TextIndex(text)
    const passages = joined(matches.map((match) => extendMatch(index, inCodePoints(index, match), extend)))
    const coded = loadCoded(this.#db, index, { codeId, sourceId: id, coder })
    for (const passage of passages) {
      this.#show(id, index, passage)
      this.total += 1
      this.units += index.toUtf16(passage.end) - index.toUtf16(passage.start)
      if (coded.same(passage.start, passage.end) !== undefined) this.alreadyCoded += 1
    }
    this.sources.push({ id, name, textHash: textHash(text), passages })
  }

  #show(sourceId: number, index: TextIndex, passage: TextRange): void {
    if (this.total < this.#query.from || this.shown.length === autoCodingsShownMax) return
    this.shown.push({ index: this.total, ...hitOf(sourceId, index, passage, hitContextLengthDefault) })
  }
}

const inCodePoints = (index: TextIndex, { start, end }: PatternMatch): TextRange => ({
  start: index.toCodePoint(start),
  end: index.toCodePoint(end),
})

/** Matches of one sentence become one passage; so do matches of sentences that overlap. */
function joined(passages: readonly TextRange[]): readonly TextRange[] {
  const found: TextRange[] = []
  for (const passage of passages) {
    const last = found.at(-1)
    if (last === undefined || passage.start >= last.end) found.push(passage)
    else found[found.length - 1] = { start: last.start, end: Math.max(last.end, passage.end) }
  }
  return found
}
