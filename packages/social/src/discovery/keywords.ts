import type { Business } from '../config.js'
import { foldText } from '../text/fold-text.js'

/** What is searched for: product, competitor and industry, each word once, however it is written. */
export function keywordsOf(business: Business): readonly string[] {
  const { product_keywords: product, competitor_keywords: competitor, industry_topics: industry } = business
  const all = [...product, ...competitor, ...industry]
  const known = new Map(all.map((keyword) => [keyOf(keyword), keyword] as const).reverse())
  return [...new Set(all.map(keyOf))].map((key) => known.get(key)!)
}

/** Round robin: the one behind that of the last turn; the first where there was none, or it is not searched for any more. */
export function keywordAfter(keywords: readonly string[], last: string | undefined): string | undefined {
  const place = last === undefined ? -1 : keywords.findIndex((keyword) => keyOf(keyword) === keyOf(last))
  return keywords[(place + 1) % Math.max(1, keywords.length)]
}

export const keyOf = (keyword: string): string => foldText(keyword).trim()
