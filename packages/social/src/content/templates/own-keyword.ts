import type { Business } from '../../config.js'

/** The longest word or phrase of our own that the text has; a competitor's is none. As the profile writes it. */
export function ownKeyword(text: string, business: Business): string | undefined {
  const { product_keywords, industry_topics, content_pillars } = business
  const plain = folded(text)
  return [...product_keywords, ...industry_topics, ...content_pillars]
    .sort((a, b) => b.length - a.length)
    .find((keyword) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(folded(keyword))}(?![\\p{L}\\p{N}])`, 'u').test(plain))
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ')
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
