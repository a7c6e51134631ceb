import { askSocial } from '../approvals/ask-social.js'
import type { OutboxRow } from '../approvals/items.js'
import { firstWords } from '../approvals/visible.js'
import { readEnvironment } from '../environment.js'
import { exit, print, printJson } from '../output.js'
import { tableOf } from '../table.js'
import { UsageError } from '../usage-error.js'

export interface ApprovalsOutboxOptions {
  readonly status?: string
  readonly network?: string
  readonly limit?: number
  readonly json?: boolean
}

const limitDefault = 50
const limitMax = 200
const errorShownMax = 80
const urlShownMax = 120

export async function runApprovalsOutbox(options: ApprovalsOutboxOptions): Promise<never> {
  const { status, network, limit = limitDefault, json } = options
  if (!Number.isInteger(limit) || limit > limitMax) {
    throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}.`)
  }
  const asked = { limit, ...(status !== undefined && { status }), ...(network !== undefined && { network }) }
  const { data: rows, meta } = await askSocial<readonly OutboxRow[]>(readEnvironment(), 'list_outbox', asked)
  const hasMore = meta.pagination?.has_more === true
  if (json) printJson({ outbox: rows, has_more: hasMore })
  else print([describeOutbox(rows), ...(hasMore ? ['', 'There is more: --limit shows up to 200.'] : [])].join('\n'))
  return exit(0)
}

export function describeOutbox(rows: readonly OutboxRow[]): string {
  if (rows.length === 0) return 'The outbox is empty.'
  const cells = rows.map((row) => [
    String(row.item_id),
    row.network,
    row.status,
    row.due_at,
    // Once it is out, what is counted is how often it was read back.
    row.status === 'posted' ? '-' : String(row.attempts),
    row.status === 'queued' ? (row.next_try_at ?? '-') : '-',
    `${row.parts.filter(({ status }) => status === 'sent' || status === 'verified').length}/${row.parts.length}`,
    row.verified_at === null ? '-' : 'yes',
    firstWords(row.parts[0]?.url ?? '-', urlShownMax),
    firstWords(row.last_error ?? '', errorShownMax),
  ])
  return tableOf('ITEM NETWORK STATUS DUE TRIES NEXT SENT VERIFIED WHERE ERROR', cells).join('\n')
}
