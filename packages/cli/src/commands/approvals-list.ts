import { advisoryNote } from '../approvals/advisory.js'
import { askSocial } from '../approvals/ask-social.js'
import type { PendingItem } from '../approvals/items.js'
import { timeSpan } from '../approvals/time-span.js'
import { firstWords } from '../approvals/visible.js'
import { readEnvironment } from '../environment.js'
import { exit, print, printJson } from '../output.js'
import { tableOf } from '../table.js'
import { UsageError } from '../usage-error.js'

export interface ApprovalsListOptions {
  readonly network?: string
  readonly limit?: number
  readonly json?: boolean
}

const limitDefault = 50
/** What list_pending_approvals gives at most. */
const limitMax = 200
const textShownMax = 48

export async function runApprovalsList({ network, limit = limitDefault, json }: ApprovalsListOptions): Promise<never> {
  if (!Number.isInteger(limit) || limit > limitMax) {
    throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}.`)
  }
  const environment = readEnvironment()
  const asked = { limit, ...(network !== undefined && { network }) }
  const { data: items, meta } = await askSocial<readonly PendingItem[]>(environment, 'list_pending_approvals', asked)
  const note = await advisoryNote(environment)
  const hasMore = meta.pagination?.has_more === true
  if (json) printJson({ items, has_more: hasMore, advisory: note !== undefined })
  else print([describePending(items, Date.now()), ...remarks(hasMore, note)].join('\n'))
  return exit(0)
}

/** Oldest first. `now`: UTC ms. */
export function describePending(items: readonly PendingItem[], now: number): string {
  if (items.length === 0) return 'Nothing waits for approval.'
  const rows = items.map((item) => [
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

function remarks(hasMore: boolean, note: string | undefined): readonly string[] {
  const lines = [...(hasMore ? ['More wait: --limit shows up to 200.'] : []), ...(note === undefined ? [] : [note])]
  return lines.length === 0 ? [] : ['', ...lines]
}
