import { z } from 'zod'
import { plainText } from './plain-text.js'
import { refusedKey } from './refused-key.js'
import type { SearchProvider } from './search-provider.js'

// Without hits there is no `web`.
const answerSchema = z.object({
  web: z
    .object({
      results: z.array(
        z.object({ title: z.unknown(), url: z.unknown(), description: z.unknown(), page_age: z.unknown() }).partial(),
      ),
    })
    .nullish(),
})

/** What Brave takes of a query; it refuses longer ones. */
const charactersMax = 400
const wordsMax = 50

export function brave(baseUrl: string, key: string): SearchProvider {
  return {
    name: 'brave',
    urlVariable: 'BRAVE_URL',
    shorten: (query) => [...query.split(/\s+/).slice(0, wordsMax).join(' ')].slice(0, charactersMax).join('').trimEnd(),
    request(query) {
      const url = new URL(`${baseUrl.replace(/\/+$/, '')}/res/v1/web/search`)
      url.searchParams.set('q', query)
      url.searchParams.set('count', '10')
      return { url: url.href, method: 'GET', headers: { accept: 'application/json', 'x-subscription-token': key } }
    },
    hits(json) {
      const parsed = answerSchema.safeParse(json)
      if (!parsed.success) return undefined
      return (parsed.data.web?.results ?? []).map(({ title, url, description, page_age }) => ({
        // Both are HTML.
        title: plainText(title),
        url,
        snippet: plainText(description),
        published: page_age,
      }))
    },
    misconfigured({ status, text }) {
      // Brave answers a wrong key with 422, as it does other bad parameters.
      const isTokenRefused = status === 422 && text.includes('SUBSCRIPTION_TOKEN')
      return refusedKey(isTokenRefused ? 401 : status, 'BRAVE_API_KEY')
    },
  }
}
