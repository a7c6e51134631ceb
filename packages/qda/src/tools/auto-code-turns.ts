import { QdaFailure } from '../failure.js'
import { patternMatchesMax, speakerSampleLength, turnPiecesMax } from '../limits.js'
import type { PatternSearch } from '../patterns/pattern-search.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { type SearchedSource, textsOf } from '../project/search-sources.js'
import type { TimeSlices } from '../project/time-slices.js'
import { findMarkers, type Marker, type MarkerFormat } from '../speakers/find-markers.js'
import { findTurns, type SpeakerTurn } from '../speakers/find-turns.js'
import { markersOfMatches } from '../speakers/markers-of-matches.js'
import { speakerKey, type TurnSummary } from '../speakers/speakers-of.js'
import { detached } from '../text/detached.js'
import { textHash } from '../text/text-hash.js'
import { TextIndex, type TextRange } from '../text/text-index.js'
import type { FoundSource } from './auto-code-passages.js'

export interface TurnsQuery {
  readonly sources: readonly SearchedSource[]
  /** Undefined: all. */
  readonly formats: readonly MarkerFormat[] | undefined
  /** Instead of formats; its group 1 is the label. */
  readonly pattern: string | undefined
  readonly includeLabel: boolean
  readonly signal: AbortSignal
}

/** What speakers say in one source. */
export interface SpokenSource extends FoundSource {
  /** By speaker key; what each of them says, in pieces from left to right, in code points. */
  readonly pieces: ReadonlyMap<string, readonly TextRange[]>
}

export interface FoundTurns {
  /** By id. */
  readonly sources: readonly SpokenSource[]
  readonly turns: readonly TurnSummary[]
}

/** Throws as PatternSearch does, and INVALID_ARGUMENT for more turns than can be held. */
export async function collectTurns(
  db: ProjectDatabase,
  patterns: PatternSearch,
  query: TurnsQuery,
  slices: TimeSlices,
): Promise<FoundTurns> {
  const found = new Found(query.includeLabel)
  const texts = textsOf(db, query.sources, slices)
  if (query.pattern === undefined)
    for await (const { id: source, text } of texts) {
      query.signal.throwIfAborted()
      found.add(source, text, findMarkers(text, query.formats))
    }
  else {
    const form = { pattern: query.pattern, match: 'regex', caseSensitive: false, multiline: true } as const
    const { isCut } = await patterns.search(
      texts,
      { ...form, scope: 'all', withGroup: true, limitTotal: patternMatchesMax, signal: query.signal },
      async ({ id: source, text }, matches) => {
        found.add(source, text, markersOfMatches(text, matches))
        await slices.pause()
      },
    )
    if (isCut) throw tooMany()
  }
  return found
}

class Found implements FoundTurns {
  readonly sources: SpokenSource[] = []
  readonly turns: TurnSummary[] = []
  readonly #includeLabel: boolean
  readonly #sampled = new Set<string>()
  #pieces = 0

  constructor(includeLabel: boolean) {
    this.#includeLabel = includeLabel
  }

  add({ id, name }: SearchedSource, text: string, markers: Iterable<Marker>): void {
    const index = new TextIndex(text)
    const pieces = new Map<string, TextRange[]>()
    for (const turn of findTurns(text, markers, { includeLabel: this.#includeLabel })) {
      const ranges = turn.pieces.map(({ start, end }) => ({
        start: index.toCodePoint(start),
        end: index.toCodePoint(end),
      }))
      this.#pieces += ranges.length
      if (this.#pieces > turnPiecesMax) throw tooMany()
      const key = speakerKey(turn.label)
      const known = pieces.get(key) ?? []
      for (const range of ranges) known.push(range)
      pieces.set(key, known)
      this.turns.push(this.#summary(turn, index, ranges))
    }
    if (pieces.size > 0) this.sources.push({ id, name, textHash: textHash(text), pieces })
  }

  /** Only a speaker's first turn needs a sample. */
  #summary({ label }: SpeakerTurn, index: TextIndex, ranges: readonly TextRange[]): TurnSummary {
    const [{ start, end }] = ranges as readonly [TextRange]
    const characters = ranges.reduce((sum, range) => sum + range.end - range.start, 0)
    const key = speakerKey(label)
    if (this.#sampled.has(key)) return { label: detached(label), characters, sample: '' }
    this.#sampled.add(key)
    const sample = detached(index.slice(start, Math.min(end, start + speakerSampleLength)))
    return { label: detached(label), characters, sample }
  }
}

const tooMany = (): QdaFailure =>
  new QdaFailure('INVALID_ARGUMENT', `More than ${turnPiecesMax} turns were found; nothing was coded`, {
    suggestions: ['Give source_ids, and call once for each part of the sources.'],
  })
