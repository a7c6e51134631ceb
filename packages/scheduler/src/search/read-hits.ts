import { storable } from '@callboard/store'
import { searchPublishedMax, searchResultsMax, searchSnippetMax, searchTitleMax, searchUrlMax } from '../limits.js'
import type { RawHit, SearchResult } from './search-provider.js'

/** The first ten that lead somewhere; a bad one is left out, and spoils no other. */
export function readHits(hits: readonly RawHit[]): readonly SearchResult[] {
  return hits.flatMap((hit) => readHit(hit) ?? []).slice(0, searchResultsMax)
}

function readHit({ title, url, snippet, published }: RawHit): SearchResult | undefined {
  const address = webAddress(url)
  if (address === undefined) return undefined
  const date = oneLine(published, searchPublishedMax)
  return {
    title: oneLine(title, searchTitleMax) || address,
    url: address,
    snippet: oneLine(snippet, searchSnippetMax),
    ...(date !== '' && { published: date }),
  }
}

/** Normalized, so that it holds neither spaces nor line feeds. */
function webAddress(url: unknown): string | undefined {
  if (typeof url !== 'string' || url.length > searchUrlMax || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && href.length <= searchUrlMax ? href : undefined
}

/** Without control and direction characters, which could make a terminal or a reader see another text. */
function oneLine(text: unknown, lengthMax: number): string {
  if (typeof text !== 'string') return ''
  const readable = text
    .replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
  return storable(readable.trim(), lengthMax)
}
