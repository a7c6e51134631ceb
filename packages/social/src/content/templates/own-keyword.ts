import type { Business } from '../../config.js'
import { visibleText } from '../output/visible-text.js'

/** The longest word or phrase of our own that the text has, as the text writes it; a competitor's is none. */
export function ownKeyword(text: string, business: Business): string | undefined {
  const { product_keywords, industry_topics, content_pillars } = business
  const all = [...product_keywords, ...industry_topics, ...content_pillars].map(plain)
  const searched = plain(text)
  for (const keyword of all.sort((a, b) => b.length - a.length)) {
    const found = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(keyword)}(?![\\p{L}\\p{N}])`, 'iu').exec(searched)
    if (found !== null) return found[0]
  }
  return undefined
}

function plain(text: string): string {
  return visibleText(text.normalize('NFKC')).replaceAll(/\s+/g, ' ').trim()
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
