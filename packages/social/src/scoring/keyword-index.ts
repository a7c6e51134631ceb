import type { Business } from '../config.js'
import { PhraseMatcher } from '../text/phrase-matcher.js'

/** What the profile is about: words of its product, its competitors and its industry; a word weighs 1, a phrase 2. */
export class KeywordIndex {
  readonly #matcher: PhraseMatcher
  /** The weight with which nothing is missing. */
  readonly #enough: number

  constructor({ product_keywords, competitor_keywords, industry_topics }: Business, saturation: number) {
    this.#matcher = new PhraseMatcher([...product_keywords, ...competitor_keywords, ...industry_topics])
    this.#enough = Math.min(weightOf(this.#matcher.phrases), saturation)
  }

  /** As written. */
  get keywords(): readonly string[] {
    return this.#matcher.phrases
  }

  /** The keywords that the text has, and how relevant that makes it: 0 to 1. */
  relevanceOf(text: string): { readonly matched: readonly string[]; readonly factor: number } {
    const matched = this.#matcher.matches(text)
    return { matched, factor: matched.length === 0 ? 0 : Math.min(1, weightOf(matched) / this.#enough) }
  }
}

function weightOf(keywords: readonly string[]): number {
  return keywords.reduce((sum, keyword) => sum + (/\S\s+\S/.test(keyword.trim()) ? 2 : 1), 0)
}
