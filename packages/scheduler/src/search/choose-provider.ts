import type { SchedulerConfig } from '../config.js'
import { refusal } from '../refusal.js'
import { brave } from './brave.js'
import { perplexity } from './perplexity.js'
import type { SearchProvider } from './search-provider.js'
import { searxng } from './searxng.js'

/** In order of preference. */
const variables = { searxng: 'SEARXNG_URL', brave: 'BRAVE_API_KEY', perplexity: 'PERPLEXITY_API_KEY' } as const

/** The one that is asked for (a configuration that asks for one has its key), else the first that is configured. */
export function chosenProvider(config: SchedulerConfig): SearchProvider | undefined {
  const { search_provider: asked } = config
  if (asked !== undefined) return configured(config, asked)
  for (const name of Object.keys(variables) as SearchProvider['name'][]) {
    const provider = configured(config, name)
    if (provider !== undefined) return provider
  }
  return undefined
}

/** Says which variables are missing. */
export function noProvider(): Error {
  const names = Object.values(variables)
  return refusal('NOT_CONFIGURED', `No search service is configured: none of ${names.join(', ')} is set.`, {
    hint: 'Ask the operator to set one of them.',
  })
}

function configured(config: SchedulerConfig, name: SearchProvider['name']): SearchProvider | undefined {
  const { searxng_url, brave_url, brave_api_key, perplexity_url, perplexity_api_key } = config
  switch (name) {
    case 'searxng':
      return searxng_url === undefined ? undefined : searxng(searxng_url)
    case 'brave':
      return brave_api_key === undefined ? undefined : brave(brave_url, brave_api_key)
    case 'perplexity':
      return perplexity_api_key === undefined ? undefined : perplexity(perplexity_url, perplexity_api_key)
    default:
      return name satisfies never
  }
}
