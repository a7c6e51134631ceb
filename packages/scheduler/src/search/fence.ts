import type { SearchResult } from './search-provider.js'

const fence = 'untrusted-search-results'

/** Text from the web, marked as such. Nothing inside can end the fence: it holds no `<` of its own. */
export function fenced(text: string): string {
  const inside = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<${fence}>\n${inside}\n</${fence}>`
}

/** `[1] Title`, address, and what is said of it. */
export function numbered(results: readonly SearchResult[]): string {
  return results.map((result, index) => entry(result, index + 1)).join('\n\n')
}

function entry({ title, url, snippet, published }: SearchResult, number: number): string {
  const lines = [`[${number}] ${title}`, url, published, snippet]
  return lines.filter((line) => line !== undefined && line !== '').join('\n    ')
}
