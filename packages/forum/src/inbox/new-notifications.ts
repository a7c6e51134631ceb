import { idAt, integerAt, type JsonRecord } from '../json/read-json.js'
import { requireRecords } from '../json/require-records.js'
import { inboxRequestsMax, notificationsOverlap, notificationsPerPage } from '../limits.js'
import type { ToolCall } from '../tools/forum-tool.js'

type Asking = Pick<ToolCall, 'client' | 'scope'>

export interface NewNotifications {
  /** By id, ascending. */
  readonly notifications: readonly JsonRecord[]
  /** Id of the last one that has been read. */
  readonly upTo: number
  readonly hasMore: boolean
  /** False where there were so many that the oldest ones are left out. */
  readonly isComplete: boolean
}

/** The oldest ones after that id; the newest ones where nothing was read before. */
export async function readNewNotifications(
  after: number | undefined,
  limit: number,
  asking: Asking,
): Promise<NewNotifications> {
  const { found, isComplete } = await readDownTo(after, asking)
  const ids = [...found.keys()].sort((a, b) => a - b)
  const given = after === undefined ? ids.slice(-limit) : ids.slice(0, limit)
  const hasMore = after !== undefined && ids.length > limit
  return {
    notifications: given.map((id) => found.get(id)!),
    upTo: given.at(-1) ?? after ?? 0,
    hasMore,
    isComplete,
  }
}

/** Newest first, as the forum lists them; one page where there is no end to go down to. */
async function readDownTo(after: number | undefined, asking: Asking) {
  const found = new Map<number, JsonRecord>()
  let offset = 0
  for (let asked = 0; asked < inboxRequestsMax; asked += 1) {
    const { rows, total } = await pageOf(offset, asking)
    const ids = rows.map((row) => idAt(row, 'id')).filter((id) => id !== undefined)
    for (const row of rows) {
      const id = idAt(row, 'id')
      if (id !== undefined && id > (after ?? 0)) found.set(id, row)
    }
    const isEnd = total === undefined ? rows.length < notificationsPerPage : offset + rows.length >= total
    if (after === undefined || rows.length === 0 || isEnd || ids.some((id) => id <= after)) {
      return { found, isComplete: true }
    }
    // Some of them again: one that is deleted meanwhile moves those below up.
    offset += Math.max(1, rows.length - notificationsOverlap)
  }
  return { found, isComplete: false }
}

async function pageOf(offset: number, { client, scope }: Asking) {
  const query = [
    ['limit', notificationsPerPage],
    ['offset', offset],
  ] as const
  const answer = await client.get('/notifications.json', query, scope)
  return {
    rows: requireRecords(answer, 'notifications', '/notifications.json'),
    total: integerAt(answer, 'total_rows_notifications'),
  }
}
