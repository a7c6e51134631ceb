import { hashOfJson } from '@callboard/worker/canonical-json'
import type { Business, SocialConfig } from '../config.js'
import { KeywordIndex } from './keyword-index.js'
import { causesOf } from './reasons.js'
import { baseFactors, type Factors, recencyFactor } from './signals.js'

/** What a score is computed from. */
export interface ScoreInput {
  readonly text: string
  /** Undefined where the network does not say. */
  readonly followers?: number
  /** UTC ms. */
  readonly postedAt: number
  readonly likes: number
  readonly reposts: number
  readonly replies: number
  readonly hasMedia: boolean
  readonly isQuote: boolean
}

export const signals = [
  'keyword_relevance',
  'follower',
  'recency',
  'engagement',
  'reply_count',
  'content_type',
] as const
export type Signal = (typeof signals)[number]

/** Points as they are shown: 0 to 100, one decimal. */
export interface Score extends Readonly<Record<Signal, number>> {
  readonly total: number
  readonly meets_threshold: boolean
  readonly verdict: 'REPLY' | 'SKIP'
  readonly threshold: number
  /** The most that each signal can give; but for rounding they sum to 100. */
  readonly maxima: Readonly<Record<Signal, number>>
  readonly matched_keywords: readonly string[]
  /** One sentence for each signal: `3 min old: 11.1 of 11.1`. */
  readonly reasons: readonly string[]
}

interface Base {
  /** Without recency; unrounded. */
  readonly points: number
  readonly matched: readonly string[]
}

/** Explains how well a post fits the profile. Pure: one input and time give one score, in tools, feed and loops alike. */
export class Scorer {
  /** Changes when the same post may score otherwise; the threshold is no part of that. */
  readonly version: string
  readonly #keywords: KeywordIndex
  readonly #threshold: number
  /** Unrounded, of a hundred. */
  readonly #maxima: Factors

  constructor({ scoring, business }: { readonly scoring: SocialConfig['scoring']; readonly business: Business }) {
    this.#keywords = new KeywordIndex(business, scoring.keyword_saturation)
    this.#threshold = scoring.threshold
    this.#maxima = maximaOf(scoring)
    this.version = versionOf([rulesVersion, this.#keywords.keywords, scoring.keyword_saturation, this.#maxima])
  }

  /** Points that a post has for being new, unrounded; they go with its age. */
  get recencyMax(): number {
    return this.#maxima.recency
  }

  score(input: ScoreInput, now: number): Score {
    const { factors, points: base, matched } = this.#baseOf(input)
    const all = { ...factors, recency: recencyFactor(input, now) }
    const total = rounded(base + this.#maxima.recency * all.recency)
    const shown = eachSignal((signal) => rounded(this.#maxima[signal] * all[signal]))
    const maxima = eachSignal((signal) => rounded(this.#maxima[signal]))
    const causes = causesOf(input, matched, now)
    const meets = total >= this.#threshold
    return {
      total,
      ...shown,
      meets_threshold: meets,
      verdict: meets ? 'REPLY' : 'SKIP',
      threshold: this.#threshold,
      maxima,
      matched_keywords: matched,
      reasons: signals.map((name) => `${causes[name]}: ${shown[name].toFixed(1)} of ${maxima[name].toFixed(1)}`),
    }
  }

  /** All but recency, unrounded: what is stored, and ordered by. */
  base(input: ScoreInput): Base {
    const { points, matched } = this.#baseOf(input)
    return { points, matched }
  }

  #baseOf(input: ScoreInput): Base & { readonly factors: Factors } {
    const { matched, factor } = this.#keywords.relevanceOf(input.text)
    const factors = baseFactors(input, factor)
    const points = signals.reduce((sum, signal) => sum + this.#maxima[signal] * factors[signal], 0)
    return { points, matched, factors }
  }
}

/** Raised whenever this folder computes otherwise. */
const rulesVersion = 1

/** As shares of a hundred; all 0 when no signal counts. */
function maximaOf(scoring: SocialConfig['scoring']): Factors {
  const sum = signals.reduce((total, signal) => total + scoring[`${signal}_max`], 0)
  return eachSignal((signal) => (sum === 0 ? 0 : (100 * scoring[`${signal}_max`]) / sum))
}

function versionOf(rules: unknown): string {
  return hashOfJson(rules).slice(0, 16)
}

function eachSignal(value: (signal: Signal) => number): Record<Signal, number> {
  return {
    keyword_relevance: value('keyword_relevance'),
    follower: value('follower'),
    recency: value('recency'),
    engagement: value('engagement'),
    reply_count: value('reply_count'),
    content_type: value('content_type'),
  }
}

/** What is shown of points, and what a score is compared by: one decimal. */
function rounded(points: number): number {
  return Math.round(points * 10) / 10
}
