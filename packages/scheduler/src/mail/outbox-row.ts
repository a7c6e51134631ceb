import type { Row } from '../records/row.js'
import type { OutgoingMail } from './mail-transport.js'
import type { NewMail } from './outbox.js'

/** A mail as it is stored. */
export type OutboxRow = Row<'outbox'>

/** Throws a TypeError for headers that a mail can't carry: these are never a caller's. */
export function newOutboxRow(id: string, mail: NewMail, now: number): OutboxRow {
  const { kind, messageId, to, subject, text, html = null, headers = {} } = mail
  requireCarriable({ ...headers, 'Message-ID': messageId, To: to })
  return {
    id,
    kind,
    message_id: messageId,
    recipient: to,
    subject: oneLine(subject),
    text,
    html,
    headers: JSON.stringify(headers),
    state: 'pending',
    tries: 0,
    next_try: now,
    lease_until: null,
    fence: 0,
    last_error: null,
    created_at: now,
    queued_at: now,
    sent_at: null,
  }
}

export function outgoingMail(row: OutboxRow): OutgoingMail {
  return {
    messageId: row.message_id,
    to: row.recipient,
    subject: row.subject,
    text: row.text,
    ...(row.html !== null && { html: row.html }),
    headers: JSON.parse(row.headers) as { [name: string]: string },
    date: row.created_at,
  }
}

/** No character of it ends a header line, or moves a cursor. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

/** Printable ASCII on one line within RFC 5322's 998 characters, so that it needs neither encoding nor folding. */
function requireCarriable(headers: { readonly [name: string]: string }): void {
  for (const [name, value] of Object.entries(headers)) {
    const whole = /^[A-Za-z0-9-]{1,70}$/.test(name) && /^[\x20-\x7e]{1,900}$/.test(value)
    if (!whole) throw new TypeError(`the header ${JSON.stringify(name)} can't be sent as it is`)
  }
}
