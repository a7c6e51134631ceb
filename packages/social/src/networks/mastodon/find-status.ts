import { clockSkewMs, ownPostPagesMax, timelinePageMax } from '../../limits.js'
import { comparableText } from '../../text/comparable-text.js'
import { htmlToText } from '../../text/html-to-text.js'
import type { FindOutcome, Prepared } from '../network-adapter.js'
import { type RemoteStatus, statusesShape } from './answer-shapes.js'
import type { MastodonApi } from './mastodon-api.js'
import { nextPageId } from './next-page.js'
import type { StatusReader } from './status-reader.js'

/**
 * Looks through our own posts, newest first, back to when the key was made. A server forgets keys after an hour, and some
 * never knew them: only a post that is not there may be sent again.
 */
export async function findStatus(
  prepared: Prepared,
  { api, reader, ownId }: { readonly api: MastodonApi; readonly reader: StatusReader; readonly ownId: string },
  signal?: AbortSignal,
): Promise<FindOutcome> {
  const { parent } = prepared.part
  const parentId = parent && (await reader.localId(parent, signal))
  const earliest = prepared.key.createdAt - clockSkewMs
  let before: string | undefined
  for (let page = 0; page < ownPostPagesMax; page++) {
    const path = `/api/v1/accounts/${encodeURIComponent(ownId)}/statuses`
    const parameters = { limit: String(timelinePageMax), exclude_reblogs: 'true', max_id: before }
    const { value, headers } = await api.read(path, parameters, statusesShape, { signal })
    const match = value.find((status) => Date.parse(status.created_at) >= earliest && isIt(status, prepared, parentId))
    if (match !== undefined) return sent(match, api.baseUrl)
    // Pinned ones come first on some servers: only a whole page of old posts is the end.
    if (value.every((status) => Date.parse(status.created_at) < earliest)) return { kind: 'absent' }
    before = nextPageId(headers.get('link'))
    if (before === undefined) return { kind: 'absent' }
  }
  const seen = ownPostPagesMax * timelinePageMax
  return { kind: 'undecidable', message: `it is not among the last ${seen} posts; look for it on ${api.host}` }
}

function isIt(status: RemoteStatus, { part }: Prepared, parentId: string | undefined): boolean {
  return (
    status.in_reply_to_id === parentId &&
    status.media_attachments.length === part.media.length &&
    isSameText(part.contentWarning ?? '', status.spoiler_text) &&
    isSameText(part.text, htmlToText(status.content))
  )
}

function isSameText(sent: string, shown: string): boolean {
  return comparableText(sent) === comparableText(shown)
}

function sent({ id, url, uri, account }: RemoteStatus, baseUrl: string): FindOutcome {
  return { kind: 'sent', ref: { id }, url: url ?? uri ?? `${baseUrl}/@${account.acct}/${id}` }
}
