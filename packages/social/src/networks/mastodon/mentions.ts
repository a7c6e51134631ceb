import { mentionPagesMax, timelinePageMax } from '../../limits.js'
import { notificationsShape, type RemoteStatus } from './answer-shapes.js'
import type { MastodonApi } from './mastodon-api.js'
import { nextPageId } from './next-page.js'
import { compareIds, newestId } from './status-ids.js'

export interface Mentions {
  /** Newest first. */
  readonly statuses: readonly RemoteStatus[]
  readonly cursor?: string
}

/** Who mentioned us since that notification; without one, the last ones. The cursor is a notification's id, not a post's. */
export async function newMentions(
  api: MastodonApi,
  cursor: string | undefined,
  signal?: AbortSignal,
): Promise<Mentions> {
  const statuses: RemoteStatus[] = []
  let newest = cursor
  let before: string | undefined
  for (let page = 0; page < mentionPagesMax; page++) {
    const parameters = { 'types[]': 'mention', limit: String(timelinePageMax), since_id: cursor, max_id: before }
    const { value, headers } = await api.read('/api/v1/notifications', parameters, notificationsShape, { signal })
    // A next page begins anew at the oldest one: servers do not keep since_id in it, and some ignore it.
    const fresh = value.filter(({ id }) => cursor === undefined || compareIds(id, cursor) > 0)
    statuses.push(...fresh.flatMap(({ type, status }) => (type === 'mention' && status !== undefined ? [status] : [])))
    newest = newestId([newest, ...fresh.map(({ id }) => id)])
    before = nextPageId(headers.get('link'))
    if (cursor === undefined || before === undefined || fresh.length < value.length || fresh.length === 0) break
  }
  return { statuses, ...(newest !== undefined && { cursor: newest }) }
}
