/** A mail as its bytes; `headers` come first and topmost. */
export function rawMail(fields: {
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  readonly messageId?: string | null
  readonly text?: string
  readonly headers?: readonly string[]
}): string {
  const {
    from = 'Ada <ada@example.org>',
    to = 'callboard@example.org',
    subject = 'Hello',
    messageId = '<one@example.org>',
    text = 'Hello!',
    headers = [],
  } = fields
  const lines = [
    ...headers,
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    ...(messageId === null ? [] : [`Message-ID: ${messageId}`]),
    ...(headers.some((header) => /^date:/i.test(header)) ? [] : ['Date: Mon, 02 Mar 2026 12:00:00 +0000']),
    ...(headers.some((header) => /^content-type:/i.test(header)) ? [] : ['Content-Type: text/plain; charset=utf-8']),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${text.replaceAll('\n', '\r\n')}\r\n`
}
