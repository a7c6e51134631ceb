import { storable } from '@callboard/store'
import { postTextMax } from '../../limits.js'
import { htmlToText } from '../../text/html-to-text.js'
import type { NetworkPost } from '../network-adapter.js'
import { type RemoteAccount, type RemoteStatus, statusShape } from './answer-shapes.js'

/** From whose side a post is seen. */
export interface Viewpoint {
  readonly account: RemoteAccount
  readonly baseUrl: string
  /** Of what we post. */
  readonly visibility: string
}

export function networkPost(status: RemoteStatus, viewpoint: Viewpoint): NetworkPost {
  const { account } = status
  const refusal = replyRefusal(status, viewpoint)
  return {
    ref: { id: status.id },
    url: status.url ?? status.uri ?? `${viewpoint.baseUrl}/@${account.acct}/${status.id}`,
    authorId: account.id,
    authorUsername: account.acct,
    ...(account.followers_count !== undefined && { authorFollowers: account.followers_count }),
    text: storable(htmlToText(status.content), postTextMax),
    ...(status.language !== undefined && { lang: status.language }),
    postedAt: Date.parse(status.created_at),
    likes: status.favourites_count ?? 0,
    reposts: status.reblogs_count ?? 0,
    replies: status.replies_count ?? 0,
    media: status.media_attachments.length,
    isQuote: isThere(status.quote),
    isRepost: isThere(status.reblog),
    ...(status.in_reply_to_id !== undefined && { replyTo: { id: status.in_reply_to_id } }),
    addressesUs: addressesUs(status, viewpoint.account.id),
    ...(refusal !== undefined && { replyRefusal: refusal }),
  }
}

function addressesUs(status: RemoteStatus, ownId: string): boolean {
  if (status.account.id === ownId) return false
  if (status.in_reply_to_account_id === ownId) return true
  return status.mentions.some((mention) => mention?.id === ownId) || quotedAuthor(status.quote) === ownId
}

/** `{ state, quoted_status }`, or on older servers the post itself. */
function quotedAuthor(quote: unknown): string | undefined {
  for (const each of [quote, isThere(quote) && 'quoted_status' in quote ? quote.quoted_status : undefined]) {
    const quoted = statusShape.safeParse(each)
    if (quoted.success) return quoted.data.account.id
  }
  return undefined
}

/** From what all see to what only they see whom it names. */
const widths = ['direct', 'private', 'unlisted', 'public']

function replyRefusal({ visibility = 'public', account }: RemoteStatus, viewpoint: Viewpoint): string | undefined {
  if (account.id === viewpoint.account.id) return undefined
  if (visibility !== 'private' && visibility !== 'direct') return undefined
  if (widths.indexOf(viewpoint.visibility) <= widths.indexOf(visibility)) return undefined
  const readers = visibility === 'direct' ? 'the people it names' : "its author's followers"
  return `it is for ${readers} only, and our reply would be ${viewpoint.visibility}`
}

function isThere(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
