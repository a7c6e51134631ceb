import { z } from 'zod'
import type { SearchProvider } from './search-provider.js'

const answerSchema = z.object({
  results: z.array(
    z.object({ title: z.unknown(), url: z.unknown(), content: z.unknown(), publishedDate: z.unknown() }).partial(),
  ),
})

const noJson = 'it does not serve JSON: add `json` to `search.formats` in its settings.yml'

/** A SearXNG of one's own. `baseUrl` may hold a user and password for the proxy before it. */
export function searxng(baseUrl: string): SearchProvider {
  return {
    name: 'searxng',
    urlVariable: 'SEARXNG_URL',
    request(query) {
      const url = new URL(baseUrl)
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/search`
      url.searchParams.set('q', query)
      url.searchParams.set('format', 'json')
      const headers = { accept: 'application/json', ...authorizationOf(url) }
      // Fetch refuses URLs with a password, and they would show in logs.
      url.username = ''
      url.password = ''
      return { url: url.href, method: 'GET', headers }
    },
    hits(json) {
      const parsed = answerSchema.safeParse(json)
      return parsed.data?.results.map(({ title, url, content, publishedDate }) => ({
        title,
        url,
        snippet: content,
        published: publishedDate,
      }))
    },
    misconfigured({ status, contentType, text }) {
      if (status === 403) return noJson
      if (status === 401) return 'it asks for a user and password: write them into SEARXNG_URL'
      const isHtml = contentType.includes('html') || text.trimStart().startsWith('<')
      return status < 300 && isHtml ? noJson : undefined
    },
  }
}

function authorizationOf({ username, password }: URL): { authorization?: string } {
  if (username === '' && password === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}
