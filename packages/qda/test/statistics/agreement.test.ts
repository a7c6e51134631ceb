import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AgreementInput, coderAgreement } from '../../src/statistics/agreement.js'

const ten = [{ id: 1, length: 10 }]
const coding = (coder: string, start: number, end: number, { codeId = 7, sourceId = 1 } = {}) => ({
  coder,
  codeId,
  sourceId,
  start,
  end,
})
const compare = (input: Partial<AgreementInput>) =>
  coderAgreement({ coders: ['A', 'B'], codeIds: [7], sources: ten, codings: [], ...input })

test('one character of ten judged differently', () => {
  const { codes, pooled } = compare({ codings: [coding('A', 0, 5), coding('B', 1, 5)] })
  expect(pooled).toEqual({
    characters: 10,
    codedByAll: 4,
    codedBySome: 1,
    codedByNone: 5,
    codedBy: [
      { coder: 'A', characters: 5 },
      { coder: 'B', characters: 4 },
    ],
    observedAgreement: 0.9,
    cohensKappa: { value: 0.8 },
    krippendorffsAlpha: { value: 80 / 99 },
  })
  expect(codes).toEqual([{ codeId: 7, ...pooled }])
})

test('codings of one coder that overlap, touch or repeat are one', () => {
  const once = compare({ codings: [coding('A', 2, 8), coding('B', 3, 9)] })
  const often = [coding('A', 2, 5), coding('A', 4, 6), coding('A', 6, 8), coding('A', 2, 5), coding('B', 3, 9)]
  expect(compare({ codings: often })).toEqual(once)
})

test('without variation there is no coefficient, and a reason', () => {
  const reason = { value: null, reason: 'no_variation' }
  expect(compare({}).pooled).toMatchObject({ observedAgreement: 1, cohensKappa: reason, krippendorffsAlpha: reason })
  const all = [coding('A', 0, 10), coding('B', 0, 10)]
  expect(compare({ codings: all }).pooled).toMatchObject({ cohensKappa: reason, krippendorffsAlpha: reason })
})

test('one coder said yes to all, the other no: chance explains it', () => {
  expect(compare({ codings: [coding('A', 0, 10)] }).pooled).toMatchObject({
    observedAgreement: 0,
    cohensKappa: { value: 0 },
    krippendorffsAlpha: { value: (10 - 19) / 10 },
  })
})

test('without text there is nothing to compare', () => {
  const reason = { value: null, reason: 'no_text' }
  const { pooled } = compare({ sources: [], codings: [coding('A', 0, 5)] })
  expect(pooled).toMatchObject({
    characters: 0,
    observedAgreement: null,
    cohensKappa: reason,
    krippendorffsAlpha: reason,
  })
})

test('kappa is for two; alpha takes any number', () => {
  const three = compare({ coders: ['A', 'B', 'C'], codings: [coding('A', 0, 5), coding('B', 0, 5), coding('C', 0, 4)] })
  expect(three.pooled.cohensKappa).toEqual({ value: null, reason: 'not_two_coders' })
  // 30 values, 14 of them yes; one unit of the ten has one no among two yes.
  expect(three.pooled.krippendorffsAlpha).toEqual({ value: (14 * 16 - 29) / (14 * 16) })
})

test('codes are pooled as if each were read on a text of its own', () => {
  const codings = [coding('A', 0, 5), coding('B', 1, 5), coding('A', 0, 2, { codeId: 8 })]
  const { codes, pooled } = compare({ codeIds: [8, 7], codings })
  expect(codes.map(({ codeId, codedBySome }) => [codeId, codedBySome])).toEqual([
    [8, 2],
    [7, 1],
  ])
  expect(pooled).toMatchObject({ characters: 20, codedBySome: 3, codedByAll: 4 })
})

test('what was not asked for, or lies outside the text, does not count', () => {
  const asked = [coding('A', 0, 5), coding('B', 1, 5)]
  const others = [
    coding('C', 0, 9),
    coding('A', 0, 9, { codeId: 9 }),
    coding('A', 0, 9, { sourceId: 2 }),
    coding('A', 6, 6),
    coding('A', 9, 3),
    coding('B', Number.NaN, 3),
    coding('B', 12, 30),
  ]
  expect(compare({ codings: [...asked, ...others] })).toEqual(compare({ codings: asked }))
  expect(compare({ codings: [coding('A', -5, 30)] })).toEqual(compare({ codings: [coding('A', 0, 10)] }))
})

test('fewer than two different coders are refused', () => {
  expect(() => compare({ coders: ['A', 'A'] })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
})

test('it is what looking at each character gives', () => {
  const spans = fc.array(
    fc.record({
      coder: fc.constantFrom('A', 'B', 'C'),
      codeId: fc.constantFrom(7, 8),
      sourceId: fc.constantFrom(1, 2),
      start: fc.nat(12),
      end: fc.nat(12),
    }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(spans, fc.constantFrom(['A', 'B'], ['A', 'B', 'C']), (codings, coders) => {
      const sources = [
        { id: 1, length: 10 },
        { id: 2, length: 7 },
      ]
      const input = { coders, codeIds: [7, 8], sources, codings }
      const { pooled } = coderAgreement(input)
      const judgements = characterByCharacter(input)
      expect(pooled.characters).toBe(judgements.length)
      expect(pooled.observedAgreement).toBeCloseTo(observedOf(judgements), 12)
      expectClose(pooled.krippendorffsAlpha.value, alphaOf(judgements))
      if (coders.length === 2) expectClose(pooled.cohensKappa.value, kappaOf(judgements))
    }),
  )
})

/** One row for each character and code: what each coder says. */
function characterByCharacter({ coders, codeIds, sources, codings }: AgreementInput): boolean[][] {
  const all = [...codings]
  return codeIds.flatMap((codeId) =>
    sources.flatMap(({ id, length }) =>
      Array.from({ length }, (_, at) =>
        coders.map((coder) =>
          all.some(
            (it) => it.coder === coder && it.codeId === codeId && it.sourceId === id && it.start <= at && at < it.end,
          ),
        ),
      ),
    ),
  )
}

function orderedPairs(row: readonly boolean[]): [boolean, boolean][] {
  return row.flatMap((a, i) => row.flatMap((b, j): [boolean, boolean][] => (i === j ? [] : [[a, b]])))
}

function share<T>(items: readonly T[], is: (item: T) => boolean): number {
  return items.filter(is).length / items.length
}

function observedOf(rows: readonly boolean[][]): number {
  return share(rows.flatMap(orderedPairs), ([a, b]) => a === b)
}

function kappaOf(rows: readonly boolean[][]): number | null {
  const [a, b] = [0, 1].map((coder) => share(rows, (row) => row[coder]!)) as [number, number]
  const chance = a * b + (1 - a) * (1 - b)
  return chance === 1 ? null : (observedOf(rows) - chance) / (1 - chance)
}

function alphaOf(rows: readonly boolean[][]): number | null {
  const values = rows.flat()
  const yes = values.filter((value) => value).length
  const expected = (2 * yes * (values.length - yes)) / (values.length * (values.length - 1))
  return expected === 0 ? null : 1 - (1 - observedOf(rows)) / expected
}

function expectClose(value: number | null, wanted: number | null): void {
  if (value === null || wanted === null) expect(value).toBe(wanted)
  else expect(value).toBeCloseTo(wanted, 10)
}
