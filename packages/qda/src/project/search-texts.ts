import { hitUnitsPerPageMax, patternMatchesMax } from '../limits.js'
import type { PatternForm } from '../patterns/expression.js'
import type { PatternMatch } from '../patterns/found-matches.js'
import type { PatternSearch } from '../patterns/pattern-search.js'
import { TextIndex, type TextRange } from '../text/text-index.js'
import type { ProjectDatabase } from './project-database.js'
import { type Hit, hitOf } from './search-hit.js'
import { type SearchedSource, textsOf } from './search-sources.js'
import { compareCursors, type SegmentsCursor } from './segments-cursor.js'
import type { TimeSlices } from './time-slices.js'

export interface HitsQuery extends PatternForm {
  readonly sources: readonly SearchedSource[]
  readonly contextLength: number
  /** Of the page, which ends earlier where its texts are long. */
  readonly limit: number
  /** Source and start of the last hit of the page before. */
  readonly after?: SegmentsCursor | undefined
  readonly signal: AbortSignal
}

export interface HitsPage {
  /** By source id, then by place. */
  readonly hits: readonly (Hit & { readonly source_name: string; readonly line_number: number })[]
  readonly hasMore: boolean
  /** Of all pages. */
  readonly total: number
  readonly sourceCount: number
  /** False: there are more than a search counts. */
  readonly isComplete: boolean
}

/** All hits are counted, and those of one page shown. Throws as PatternSearch does. */
export async function searchTexts(
  db: ProjectDatabase,
  patterns: PatternSearch,
  query: HitsQuery,
  slices: TimeSlices,
): Promise<HitsPage> {
  const { sources, signal } = query
  const page = new Page(query)
  const { isCut } = await patterns.search(
    textsOf(db, sources, slices),
    { ...query, scope: 'all', limitTotal: patternMatchesMax, signal },
    async ({ id: source, text }, matches) => {
      page.add(source, text, matches)
      await slices.pause()
    },
  )
  const { hits, hasMore, total, sourceCount } = page
  return { hits, hasMore, total, sourceCount, isComplete: !isCut }
}

class Page {
  readonly hits: HitsPage['hits'][number][] = []
  hasMore = false
  total = 0
  sourceCount = 0
  readonly #query: HitsQuery
  #units = 0

  constructor(query: HitsQuery) {
    this.#query = query
  }

  add(source: SearchedSource, text: string, matches: readonly PatternMatch[]): void {
    const isShown = !this.hasMore && source.id >= (this.#query.after?.[0] ?? 0)
    const ranges = isShown || source.parts !== undefined ? this.#show(source, text, matches) : matches
    this.total += ranges.length
    this.sourceCount += ranges.length > 0 ? 1 : 0
  }

  /** Those that count. */
  #show(source: SearchedSource, text: string, matches: readonly PatternMatch[]): readonly TextRange[] {
    const { limit, after, contextLength } = this.#query
    const index = new TextIndex(text)
    const ranges = matches.map(({ start, end }) => ({ start: index.toCodePoint(start), end: index.toCodePoint(end) }))
    const counted = source.parts === undefined ? ranges : insideOf(source.parts, ranges)
    for (const range of counted) {
      if (this.hasMore) break
      if (after !== undefined && compareCursors([source.id, range.start], after) <= 0) continue
      this.hasMore = this.hits.length === limit || this.#units > hitUnitsPerPageMax
      if (!this.hasMore) this.#push(source, index, hitOf(source.id, index, range, contextLength))
    }
    return counted
  }

  #push(source: SearchedSource, index: TextIndex, hit: Hit): void {
    this.#units += hit.text.length + hit.context_before.length + hit.context_after.length
    this.hits.push({ ...hit, source_name: source.name, line_number: index.lineAt(hit.start_position) })
  }
}

/** Both from left to right. */
function insideOf(parts: readonly TextRange[], ranges: readonly TextRange[]): readonly TextRange[] {
  let at = 0
  return ranges.filter(({ start, end }) => {
    while (at < parts.length && parts[at]!.end < end) at += 1
    return at < parts.length && parts[at]!.start <= start
  })
}
