import type { Business, SocialConfig } from '../config.js'

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
  /** The most that each signal can give; they sum to 100. */
  readonly maxima: Readonly<Record<Signal, number>>
  readonly matched_keywords: readonly string[]
  /** One sentence for each signal: `3 min old: 11.1 of 11.1`. */
  readonly reasons: readonly string[]
}

/** Explains how well a post fits the profile. Pure: one input and time give one score, in tools, feed and loops alike. */
export class Scorer {
  constructor(_options: { readonly scoring: SocialConfig['scoring']; readonly business: Business }) {}

  /** Changes when the same post may score otherwise. */
  get version(): string {
    throw new Error('not yet')
  }

  score(_input: ScoreInput, _now: number): Score {
    throw new Error('not yet')
  }

  /** All but recency, unrounded: what is stored, and ordered by. */
  base(_input: ScoreInput): { readonly points: number; readonly matched: readonly string[] } {
    throw new Error('not yet')
  }
}
