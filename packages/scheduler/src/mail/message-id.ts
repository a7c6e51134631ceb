import { createHmac, timingSafeEqual } from 'node:crypto'

/** `<id.hmac@domain>`: whoever answers such a mail has got it. Without a key the id stands alone and proves nothing. */
export function signedMessageId(id: string, domain: string, key: string | undefined): string {
  return `<${key === undefined ? id : `${id}.${signature(id, key)}`}@${domain}>`
}

/** The id of a mail of ours, from a Message-ID that {@link signedMessageId} made with this key. */
export function ownIdOf(messageId: string, domain: string, key: string): string | undefined {
  const match = /^<([a-z]+_[0-9A-HJKMNP-TV-Z]{26})\.([A-Za-z0-9_-]{22})@([^\s<>@]+)>$/.exec(messageId.trim())
  if (match === null || match[3]?.toLowerCase() !== domain.toLowerCase()) return undefined
  const [, id = '', given = ''] = match
  return timingSafeEqual(Buffer.from(given), Buffer.from(signature(id, key))) ? id : undefined
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** 128 bits: enough against guessing, short enough for servers that fold long headers. */
function signature(id: string, key: string): string {
  return createHmac('sha256', key).update(`message-id ${id}`).digest().subarray(0, 16).toString('base64url')
}
