import type { Environment } from '../environment.js'
import { CommandError } from '../usage-error.js'
import { askQda } from './ask-qda.js'

/** Of what list_suggestions answers, what is shown. Times are ISO-8601. */
export interface Suggestion {
  /** A UUID. */
  readonly id: string
  readonly kind: string
  readonly tool: string
  readonly payload: unknown
  readonly actor: string
  readonly rationale?: string | null
  /** What it would change, by names and texts; `message` says it in a sentence. */
  readonly about?: { readonly [key: string]: unknown } | null
  readonly created_at: string
  readonly status: string
  readonly project_path: string
  readonly decided_by?: string | null
  readonly decided_at?: string | null
  readonly reason?: string | null
}

export interface SuggestionPage {
  readonly total_count: number
  readonly suggestions: readonly Suggestion[]
  readonly next_cursor?: string | null
}

/** What waits, the oldest first. */
export function waitingSuggestions(environment: Environment, limit: number): Promise<SuggestionPage> {
  return askQda<SuggestionPage>(environment, 'list_suggestions', { limit })
}

/**
 * The one whose id begins so: of those that wait, else of those that were decided.
 * @throws CommandError when there is none, or more than one; else as `askQda`.
 */
export async function findSuggestion(environment: Environment, beginning: string): Promise<Suggestion> {
  for (const status of statuses) {
    const found = await beginningWith(environment, beginning, status)
    const [first, second] = found
    if (second !== undefined) throw new CommandError(ambiguous(beginning, found))
    if (first !== undefined) return first
  }
  throw new CommandError(`There is no suggestion ${beginning}.`)
}

/** Whoever asks for one mostly wants to decide it. */
const statuses = ['pending', 'approved', 'rejected', 'withdrawn', 'stale']

async function beginningWith(environment: Environment, beginning: string, status: string): Promise<Suggestion[]> {
  const found: Suggestion[] = []
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page++) {
    const asked = { status, limit: pageRows, ...(cursor !== undefined && { cursor }) }
    const { suggestions, next_cursor: next } = await askQda<SuggestionPage>(environment, 'list_suggestions', asked)
    found.push(...suggestions.filter(({ id }) => id.startsWith(beginning)))
    if (!next) break
    cursor = next
  }
  return found
}

const pageRows = 200
/** A worker that never comes to an end is not asked for ever. */
const pagesMax = 500

function ambiguous(beginning: string, found: readonly Suggestion[]): string {
  const ids = found.slice(0, 5).map(({ id }) => id)
  return `${beginning} begins the ids of ${found.length} suggestions: ${ids.join(', ')}${found.length > 5 ? ', …' : ''}.`
}
