/** A stretch of a text that a coder gave a code, in code points, [start, end). */
export interface CodedSpan {
  readonly coder: string
  readonly codeId: number
  readonly sourceId: number
  readonly start: number
  readonly end: number
}

/** Of one code, in characters. */
export interface CoverageTable {
  /** At index n: those that exactly n coders coded. */
  readonly byCount: number[]
  /** At the index of a coder: those that this one coded. */
  readonly byCoder: number[]
}

export interface CoverageInput {
  readonly coders: readonly string[]
  readonly codeIds: readonly number[]
  readonly sources: readonly { readonly id: number; readonly length: number }[]
  readonly codings: Iterable<CodedSpan>
}

/** At this position one coding of this coder begins (1) or ends (-1). */
interface Boundary {
  readonly at: number
  readonly coder: number
  readonly step: 1 | -1
}

/** How many characters of each code how many coders coded; only the boundaries of codings are looked at. */
export function coverageOf(input: CoverageInput): Map<number, CoverageTable> {
  const lengths = new Map(input.sources.map(({ id, length }) => [id, length]))
  const total = [...lengths.values()].reduce((sum, length) => sum + length, 0)
  const tables = new Map(input.codeIds.map((id) => [id, emptyCoverage(input.coders.length)]))
  for (const [codeId, bySource] of boundariesOf(input, lengths)) {
    for (const boundaries of bySource.values()) sweep(boundaries, tables.get(codeId)!)
  }
  for (const { byCount } of tables.values()) byCount[0] = total - byCount.reduce((sum, count) => sum + count, 0)
  return tables
}

export function emptyCoverage(coders: number): CoverageTable {
  return { byCount: new Array<number>(coders + 1).fill(0), byCoder: new Array<number>(coders).fill(0) }
}

/** By code, then source. */
function boundariesOf(
  { coders, codeIds, codings }: CoverageInput,
  lengths: ReadonlyMap<number, number>,
): Map<number, Map<number, Boundary[]>> {
  const indexes = new Map(coders.map((coder, index) => [coder, index]))
  const found = new Map(codeIds.map((id) => [id, new Map<number, Boundary[]>()]))
  for (const { coder: name, codeId, sourceId, ...span } of codings) {
    const coder = indexes.get(name)
    const bySource = found.get(codeId)
    const start = Math.max(0, span.start)
    const end = Math.min(span.end, lengths.get(sourceId) ?? 0)
    if (coder === undefined || bySource === undefined || !(start < end)) continue
    const boundaries = bySource.get(sourceId) ?? []
    boundaries.push({ at: start, coder, step: 1 }, { at: end, coder, step: -1 })
    bySource.set(sourceId, boundaries)
  }
  return found
}

/** Counts what at least one coder coded. Codings of one coder that overlap are one. */
function sweep(boundaries: Boundary[], { byCount, byCoder }: CoverageTable): void {
  boundaries.sort((a, b) => a.at - b.at)
  const open = byCoder.map(() => 0)
  const since = byCoder.map(() => 0)
  let coding = 0
  let from = 0
  for (const { at, coder, step } of boundaries) {
    if (coding > 0) byCount[coding]! += at - from
    from = at
    const before = open[coder]!
    open[coder] = before + step
    if (before === 0) {
      coding++
      since[coder] = at
    } else if (before + step === 0) {
      coding--
      byCoder[coder]! += at - since[coder]!
    }
  }
}
