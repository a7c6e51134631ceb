import { QdaFailure } from '../failure.js'
import { type CodedSpan, type CoverageTable, coverageOf, emptyCoverage } from './coverage.js'

export interface AgreementInput {
  /** At least two different ones. */
  readonly coders: readonly string[]
  readonly codeIds: readonly number[]
  /** Each of them was read by all of these coders: what one left uncoded is a "no". Lengths in code points. */
  readonly sources: readonly { readonly id: number; readonly length: number }[]
  /** Those of other coders, codes and sources are passed over; so is what lies outside a text. */
  readonly codings: Iterable<CodedSpan>
}

/** Why there is no coefficient: no text, nothing to tell chance from agreement by, or not the two coders kappa is made for. */
export type NoCoefficient = 'no_text' | 'no_variation' | 'not_two_coders'

export type Coefficient = { readonly value: number } | { readonly value: null; readonly reason: NoCoefficient }

export interface AgreementFigures {
  /** What was compared: code points, once for each code. */
  readonly characters: number
  /** Of these, coded by all, by some and by none. */
  readonly codedByAll: number
  readonly codedBySome: number
  readonly codedByNone: number
  readonly codedBy: readonly { readonly coder: string; readonly characters: number }[]
  /** The part of the pairs of judgements that agree; null where there is no text. */
  readonly observedAgreement: number | null
  readonly cohensKappa: Coefficient
  readonly krippendorffsAlpha: Coefficient
}

export interface CodeAgreement extends AgreementFigures {
  readonly codeId: number
}

export interface Agreement {
  /** In the order of the codes asked for. */
  readonly codes: readonly CodeAgreement[]
  /** All codes together, as if each were read on a text of its own. */
  readonly pooled: AgreementFigures
}

/**
 * How far coders agree where a code applies. The unit is one code point, and for each code a coder says yes or no to it.
 * Takes n log n of the number of codings, however long the texts are. Throws QdaFailure INVALID_ARGUMENT for fewer than two coders.
 */
export function coderAgreement(input: AgreementInput): Agreement {
  const coders = [...new Set(input.coders)]
  if (coders.length < 2) {
    throw new QdaFailure('INVALID_ARGUMENT', 'Agreement needs at least two different coders.', { details: { coders } })
  }
  const tables = coverageOf({ ...input, coders })
  const pooled = emptyCoverage(coders.length)
  for (const table of tables.values()) addCoverage(pooled, table)
  return {
    codes: [...tables].map(([codeId, table]) => ({ codeId, ...figuresOf(table, coders) })),
    pooled: figuresOf(pooled, coders),
  }
}

function addCoverage(sum: CoverageTable, table: CoverageTable): void {
  for (const [count, characters] of table.byCount.entries()) sum.byCount[count]! += characters
  for (const [coder, characters] of table.byCoder.entries()) sum.byCoder[coder]! += characters
}

function figuresOf({ byCount, byCoder }: CoverageTable, coders: readonly string[]): AgreementFigures {
  const characters = byCount.reduce((sum, count) => sum + count, 0)
  const codedByNone = byCount[0]!
  const codedByAll = byCount[coders.length]!
  return {
    characters,
    codedByAll,
    codedBySome: characters - codedByAll - codedByNone,
    codedByNone,
    codedBy: coders.map((coder, index) => ({ coder, characters: byCoder[index]! })),
    observedAgreement: characters === 0 ? null : 1 - unequalPairs(byCount) / (characters * pairsOf(coders.length)),
    cohensKappa: characters === 0 ? none('no_text') : kappa(byCount, byCoder),
    krippendorffsAlpha: characters === 0 ? none('no_text') : alpha(byCount, characters),
  }
}

/** (observed - chance) / (1 - chance), with whole numbers as long as these are exact. */
function kappa(byCount: readonly number[], byCoder: readonly number[]): Coefficient {
  if (byCoder.length !== 2) return none('not_two_coders')
  const both = byCount[2]!
  const neither = byCount[0]!
  const onlyFirst = byCoder[0]! - both
  const onlySecond = byCoder[1]! - both
  const disagreementByChance = (both + onlyFirst) * (onlyFirst + neither) + (both + onlySecond) * (onlySecond + neither)
  if (disagreementByChance === 0) return none('no_variation')
  return { value: (2 * (both * neither - onlyFirst * onlySecond)) / disagreementByChance }
}

/** 1 - observed disagreement / expected disagreement, for nominal values that none left out. */
function alpha(byCount: readonly number[], characters: number): Coefficient {
  const coders = byCount.length - 1
  const values = characters * coders
  const yes = byCount.reduce((sum, count, yesPerUnit) => sum + count * yesPerUnit, 0)
  const expected = yes * (values - yes) * (coders - 1)
  if (expected === 0) return none('no_variation')
  return { value: (expected - (values - 1) * unequalPairs(byCount)) / expected }
}

/** Pairs of coders who judge a character differently, over all characters. */
function unequalPairs(byCount: readonly number[]): number {
  const coders = byCount.length - 1
  return byCount.reduce((sum, characters, yes) => sum + characters * yes * (coders - yes), 0)
}

function pairsOf(coders: number): number {
  return (coders * (coders - 1)) / 2
}

function none(reason: NoCoefficient): Coefficient {
  return { value: null, reason }
}
