import { z } from 'zod'
import { searchResultsMax } from '../limits.js'
import { refusedKey } from './refused-key.js'
import type { SearchProvider } from './search-provider.js'

const answerSchema = z.object({
  results: z.array(
    z.object({ title: z.unknown(), url: z.unknown(), snippet: z.unknown(), date: z.unknown() }).partial(),
  ),
})

/** Its search, not its chat: the answer is written by whatever endpoint the operator chose. */
export function perplexity(baseUrl: string, key: string): SearchProvider {
  return {
    name: 'perplexity',
    urlVariable: 'PERPLEXITY_URL',
    request: (query) => ({
      url: `${baseUrl.replace(/\/+$/, '')}/search`,
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: searchResultsMax }),
    }),
    hits(json) {
      const parsed = answerSchema.safeParse(json)
      return parsed.data?.results.map(({ title, url, snippet, date }) => ({ title, url, snippet, published: date }))
    },
    misconfigured: ({ status }) => refusedKey(status, 'PERPLEXITY_API_KEY'),
  }
}
