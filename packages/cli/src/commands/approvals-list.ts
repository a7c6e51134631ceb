import { advisoryNote } from '../approvals/advisory.js'
import { askSocial } from '../approvals/ask-social.js'
import { suggestionTable } from '../approvals/describe-suggestion.js'
import type { PendingItem } from '../approvals/items.js'
import { type Suggestion, waitingSuggestions } from '../approvals/suggestions.js'
import { timeSpan } from '../approvals/time-span.js'
import { firstWords } from '../approvals/visible.js'
import { type Environment, readEnvironment } from '../environment.js'
import { NobodyOfService } from '../hub-link/operator-client.js'
import { exit, print, printJson } from '../output.js'
import { tableOf } from '../table.js'
import { UsageError } from '../usage-error.js'

export interface ApprovalsListOptions {
  readonly network?: string
  readonly limit?: number
  readonly json?: boolean
}

const limitDefault = 50
/** What both workers give at most. */
const limitMax = 200
const textShownMax = 48

export async function runApprovalsList({ network, limit = limitDefault, json }: ApprovalsListOptions): Promise<never> {
  if (!Number.isInteger(limit) || limit > limitMax) {
    throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}.`)
  }
  const environment = readEnvironment()
  const [posts, suggestions] = [
    await askIfThere(() => pendingPosts(environment, limit, network)),
    // They are for no network.
    network === undefined ? await askIfThere(() => pendingSuggestions(environment, limit)) : nothing,
  ]
  if (posts.nobody !== undefined && (suggestions.nobody !== undefined || suggestions === nothing)) throw posts.nobody
  const away = await worthSaying(environment, { social: posts.nobody, qda: suggestions.nobody })
  const note = await advisoryNote(environment)
  const hasMore = posts.hasMore || suggestions.hasMore
  if (json) {
    printJson({
      items: posts.waiting,
      suggestions: suggestions.waiting,
      has_more: hasMore,
      away: away.map(([name]) => name),
      advisory: note !== undefined,
    })
  } else {
    const remarks = [
      ...(hasMore ? ['More wait: --limit shows up to 200.'] : []),
      ...away.map(([, sentence]) => sentence),
      ...(note === undefined ? [] : [note]),
    ]
    const parts = [describePending(posts.waiting, suggestions.waiting, Date.now()), remarks.join('\n')]
    print(parts.filter((part) => part !== '').join('\n\n'))
  }
  return exit(0)
}

/** What waits at one worker; or who is not there. */
interface Waiting<Row> {
  readonly waiting: readonly Row[]
  readonly hasMore: boolean
  readonly nobody?: NobodyOfService
}

const nothing: Waiting<never> = { waiting: [], hasMore: false }

async function pendingPosts(
  environment: Environment,
  limit: number,
  network: string | undefined,
): Promise<Waiting<PendingItem>> {
  const asked = { limit, ...(network !== undefined && { network }) }
  const { data, meta } = await askSocial<readonly PendingItem[]>(environment, 'list_pending_approvals', asked)
  return { waiting: data, hasMore: meta.pagination?.has_more === true }
}

async function pendingSuggestions(environment: Environment, limit: number): Promise<Waiting<Suggestion>> {
  const { suggestions, total_count: total } = await waitingSuggestions(environment, limit)
  return { waiting: suggestions, hasMore: total > suggestions.length }
}

async function askIfThere<Row>(ask: () => Promise<Waiting<Row>>): Promise<Waiting<Row>> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof NobodyOfService)) throw error
    return { ...nothing, nobody: error }
  }
}

/** A worker that this installation does not have is missed by nobody. */
async function worthSaying(
  environment: Environment,
  nobody: Readonly<Record<string, NobodyOfService | undefined>>,
): Promise<readonly (readonly [name: string, sentence: string])[]> {
  if (Object.values(nobody).every((each) => each === undefined)) return []
  const { readWholeConfig } = await import('../load-config.js')
  const { workers } = await readWholeConfig(environment)
  return Object.entries(nobody).flatMap(([name, error]) =>
    error !== undefined && (error.isKnown || workers.includes(name)) ? [[name, error.message] as const] : [],
  )
}

/** Each the oldest first. `now`: UTC ms. */
function describePending(posts: readonly PendingItem[], suggestions: readonly Suggestion[], now: number): string {
  const tables = [
    ...(posts.length === 0 ? [] : [postTable(posts, now)]),
    ...(suggestions.length === 0 ? [] : [suggestionTable(suggestions, now)]),
  ]
  return tables.length === 0 ? 'Nothing waits for approval.' : tables.join('\n\n')
}

function postTable(posts: readonly PendingItem[], now: number): string {
  const rows = posts.map((item) => [
    String(item.id),
    item.action_type,
    item.network,
    item.target_author ? `@${item.target_author}` : '-',
    item.owner,
    timeSpan(now - Date.parse(item.created_at)),
    item.expires_at === null ? '-' : expiry(Date.parse(item.expires_at) - now),
    String(item.risks.length),
    firstWords(item.generated_content, textShownMax),
  ])
  return tableOf('ID KIND NETWORK TO BY AGE EXPIRES RISKS TEXT', rows).join('\n')
}

const expiry = (ms: number): string => (ms <= 0 ? 'now' : `in ${timeSpan(ms)}`)
