import { searchMs } from '../limits.js'
import { refusal } from '../refusal.js'
import { askService, type Network, type Outcome } from './ask-service.js'
import { readHits } from './read-hits.js'
import type { SearchProvider, SearchResult, ServiceRequest } from './search-provider.js'

/** Asks the service once. Rejects with a refusal that says what went wrong; keys and addresses are in none. */
export async function searchWeb(
  provider: SearchProvider,
  request: ServiceRequest,
  network: Network,
  signal: AbortSignal,
): Promise<readonly SearchResult[]> {
  return resultsOf(provider, await askService(request, network, searchMs, signal))
}

function resultsOf(provider: SearchProvider, outcome: Outcome): readonly SearchResult[] {
  const { name, urlVariable } = provider
  switch (outcome.kind) {
    case 'answered':
      return readAnswer(provider, outcome)
    case 'redirected':
      throw refusal('NOT_CONFIGURED', `${name} answers with a redirect, and redirects are not followed.`, {
        hint: `Ask the operator to set ${urlVariable} to the address where the service itself is.`,
      })
    case 'timed_out':
      throw refusal('TIMEOUT', `${name} did not answer within ${searchMs / 1_000} seconds. Try again later.`)
    case 'too_large':
      throw refusal('UPSTREAM_ERROR', `The answer of ${name} is too large to be one.`)
    case 'unreachable':
      throw refusal('UPSTREAM_ERROR', `${name} can not be reached (${outcome.reason}). Try again later.`)
    default:
      throw outcome satisfies never
  }
}

function readAnswer(
  provider: SearchProvider,
  { answer, retryAfterMs }: Extract<Outcome, { kind: 'answered' }>,
): readonly SearchResult[] {
  const { name } = provider
  const { status, text } = answer
  const wrong = provider.misconfigured(answer)
  if (wrong !== undefined) throw refusal('NOT_CONFIGURED', `${name} can not be used: ${wrong}.`)
  if (status === 429) {
    const when = retryAfterMs === undefined ? {} : { retryAfterMs }
    throw refusal('RATE_LIMITED', `${name} takes no more searches for now. Try again later.`, when)
  }
  if (status < 200 || status >= 300) throw refusal('UPSTREAM_ERROR', `${name} failed with status ${status}.`)
  const hits = provider.hits(jsonOf(text))
  if (hits === undefined) throw refusal('UPSTREAM_ERROR', `What ${name} answered is not a list of results.`)
  return readHits(hits)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
