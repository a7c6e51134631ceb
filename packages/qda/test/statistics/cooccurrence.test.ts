import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CooccurrenceMode,
  type CooccurrenceOptions,
  cooccurrenceSteps,
  type PlacedCoding,
} from '../../src/statistics/cooccurrence.js'

/** All pieces of the count, one after the other. */
function codeCooccurrence(codings: Iterable<PlacedCoding>, options: CooccurrenceOptions) {
  const steps = cooccurrenceSteps(codings, options)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const at = (codeId: number, start: number, end: number, sourceId = 1): PlacedCoding => ({
  codeId,
  sourceId,
  start,
  end,
})
const overlap = { mode: 'overlap' } as const

test('codings that share a character occur together', () => {
  expect(codeCooccurrence([at(2, 5, 15), at(1, 0, 10)], overlap)).toEqual({
    pairs: [{ codeA: 1, codeB: 2, count: 1, sharedCharacters: 5, jaccard: 5 / 15 }],
    totalPairs: 1,
  })
})

test('those that touch, are in two sources, or have the same code do not', () => {
  expect(codeCooccurrence([at(1, 0, 5), at(2, 5, 9)], overlap).pairs).toEqual([])
  expect(codeCooccurrence([at(1, 0, 5), at(2, 0, 5, 2)], overlap).pairs).toEqual([])
  expect(codeCooccurrence([at(1, 0, 5), at(1, 2, 8)], overlap).pairs).toEqual([])
})

test('pairs of codings are counted, shared characters once', () => {
  const codings = [at(1, 0, 10), at(1, 4, 12), at(2, 5, 8)]
  expect(codeCooccurrence(codings, overlap).pairs).toEqual([
    { codeA: 1, codeB: 2, count: 2, sharedCharacters: 3, jaccard: 3 / 12 },
  ])
})

test('near: at most so many characters between them', () => {
  const codings = [at(1, 0, 5), at(2, 8, 9)]
  const near = (distance: number, list = codings) => codeCooccurrence(list, { mode: 'near', distance }).pairs
  expect(near(2)).toEqual([])
  expect(near(3)).toEqual([{ codeA: 1, codeB: 2, count: 1, sharedCharacters: 0, jaccard: 0 }])
  expect(near(0, [at(1, 5, 9), at(2, 0, 5)])).toHaveLength(1)
})

test('same span: exactly the same characters', () => {
  const codings = [at(1, 0, 5), at(2, 0, 5), at(2, 0, 5), at(1, 6, 9), at(2, 6, 8)]
  expect(codeCooccurrence(codings, { mode: 'same_span' }).pairs).toEqual([
    { codeA: 1, codeB: 2, count: 1, sharedCharacters: 7, jaccard: 1 / 3 },
  ])
})

test('source: anywhere in the same one', () => {
  const codings = [at(1, 0, 5), at(2, 4, 9), at(2, 20, 30), at(1, 0, 5, 2), at(3, 0, 0, 2)]
  expect(codeCooccurrence(codings, { mode: 'source' }).pairs).toEqual([
    { codeA: 1, codeB: 2, count: 1, sharedCharacters: 1, jaccard: 1 / 2 },
    { codeA: 1, codeB: 3, count: 1, sharedCharacters: 0, jaccard: 1 / 2 },
  ])
})

test('the most frequent pairs come first, and only those wanted', () => {
  const codings = [at(1, 0, 9), at(2, 0, 3), at(2, 5, 6), at(3, 0, 2), at(4, 0, 1)]
  const pairs = (options: { minCount?: number; top?: number }) => {
    const { pairs, totalPairs } = codeCooccurrence(codings, { ...overlap, ...options })
    return { ids: pairs.map(({ codeA, codeB }) => `${codeA}-${codeB}`), totalPairs }
  }
  expect(pairs({})).toEqual({ ids: ['1-2', '1-3', '2-3', '1-4', '2-4', '3-4'], totalPairs: 6 })
  expect(pairs({ top: 2 })).toEqual({ ids: ['1-2', '1-3'], totalPairs: 6 })
  expect(pairs({ minCount: 2 })).toEqual({ ids: ['1-2'], totalPairs: 1 })
  expect(pairs({ top: 0, minCount: 0 })).toEqual({ ids: [], totalPairs: 6 })
})

test('codings that are no span of characters are passed over', () => {
  expect(codeCooccurrence([at(1, 0, 9), at(2, 5, 5), at(3, 7, 2), at(4, Number.NaN, 3)], overlap).pairs).toEqual([])
  expect(codeCooccurrence([], overlap)).toEqual({ pairs: [], totalPairs: 0 })
})

test('more codes than a grid has room for are refused', () => {
  const codings = Array.from({ length: 2_001 }, (_, codeId) => at(codeId, 0, 5))
  expect(() => codeCooccurrence(codings, overlap)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
})

test('more overlap than a call can look at is refused', () => {
  const codings = Array.from({ length: 300_000 }, (_, index) => at(index % 1_000, 0, 5))
  expect(() => codeCooccurrence(codings, overlap)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
})

test('it is what comparing each with each gives', () => {
  const codings = fc.array(
    fc.record({ codeId: fc.integer({ min: 1, max: 5 }), sourceId: fc.nat(1), start: fc.nat(20), end: fc.nat(20) }),
    { maxLength: 25 },
  )
  const modes = fc.oneof(
    fc.constantFrom<CooccurrenceMode>({ mode: 'overlap' }, { mode: 'same_span' }, { mode: 'source' }),
    fc.record({ mode: fc.constant('near' as const), distance: fc.nat(4) }),
  )
  fc.assert(
    fc.property(codings, modes, (list, mode) => {
      const { pairs } = codeCooccurrence(list, mode)
      expect([...pairs].sort((a, b) => a.codeA - b.codeA || a.codeB - b.codeB)).toEqual(eachWithEach(list, mode))
    }),
    { numRuns: 300 },
  )
})

function eachWithEach(list: readonly PlacedCoding[], mode: CooccurrenceMode): unknown[] {
  const ids = [1, 2, 3, 4, 5]
  return ids.flatMap((codeA) =>
    ids.flatMap((codeB) => {
      const [a, b] = [codeA, codeB].map((id) => list.filter(({ codeId }) => codeId === id)) as [
        PlacedCoding[],
        PlacedCoding[],
      ]
      const [setA, setB] = [unitsOf(a, mode), unitsOf(b, mode)]
      const both = common(setA, setB)
      const count = countOf(a, b, mode)
      if (codeA >= codeB || count === 0) return []
      const sharedCharacters = common(charactersOf(a), charactersOf(b))
      return [
        { codeA, codeB, count, sharedCharacters, jaccard: both === 0 ? 0 : both / (setA.size + setB.size - both) },
      ]
    }),
  )
}

const isSpan = ({ start, end }: PlacedCoding) => start < end

function countOf(a: readonly PlacedCoding[], b: readonly PlacedCoding[], mode: CooccurrenceMode): number {
  if (mode.mode === 'same_span' || mode.mode === 'source') return common(unitsOf(a, mode), unitsOf(b, mode))
  const isTogether = (x: PlacedCoding, y: PlacedCoding) => {
    const gap = Math.max(x.start, y.start) - Math.min(x.end, y.end)
    return x.sourceId === y.sourceId && (mode.mode === 'near' ? gap <= mode.distance : gap < 0)
  }
  return a.filter(isSpan).flatMap((x) => b.filter(isSpan).filter((y) => isTogether(x, y))).length
}

function unitsOf(codings: readonly PlacedCoding[], { mode }: CooccurrenceMode): Set<string> {
  if (mode === 'source') return new Set(codings.map(({ sourceId }) => String(sourceId)))
  if (mode === 'overlap' || mode === 'near') return charactersOf(codings)
  return new Set(codings.filter(isSpan).map(({ sourceId, start, end }) => `${sourceId}:${start}:${end}`))
}

function charactersOf(codings: readonly PlacedCoding[]): Set<string> {
  const character = ({ sourceId, start, end }: PlacedCoding) =>
    Array.from({ length: Math.max(0, end - start) }, (_, index) => `${sourceId}:${start + index}`)
  return new Set(codings.flatMap(character))
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter((it) => b.has(it)).length
}
