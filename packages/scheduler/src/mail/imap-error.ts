import { storable } from '@callboard/store'
import type { ImapServer } from './imap-server.js'

interface ImapFailure extends Error {
  readonly code?: string
  readonly authenticationFailed?: boolean
  readonly tlsFailed?: boolean
  readonly responseStatus?: string
  readonly responseText?: string
  readonly mailboxMissing?: boolean
}

/** One sentence for people and status, without credentials. */
export function describeImapError(error: unknown, server: ImapServer, mailbox: string): string {
  const words = storable(wordsFor(error, server, mailbox).replaceAll(/\s+/g, ' '), 300)
  return server.password === '' ? words : words.replaceAll(server.password, '***')
}

/** Whether the server refuses this one request, while the connection is good. */
export function isRefusedRequest(error: unknown): boolean {
  const { code = '', responseStatus } = error as ImapFailure
  return responseStatus === 'NO' || responseStatus === 'BAD' || code.startsWith('ParserError')
}

function wordsFor(error: unknown, { host, port }: ImapServer, mailbox: string): string {
  const { message, code, authenticationFailed, tlsFailed, responseText, mailboxMissing } = error as ImapFailure
  const place = `${host}:${port}`
  if (authenticationFailed) return `The mail server ${place} refuses user or password of IMAP_URL.`
  if (mailboxMissing) return `The mail server ${place} has no mailbox "${mailbox}": set IMAP_MAILBOX.`
  if (tlsFailed) return `${place} offers no encryption: use imaps:// in IMAP_URL, or a server that has STARTTLS.`
  if (isCertificateError(code)) return `The certificate of ${place} can't be trusted (${code}).`
  if (code === 'ECONNREFUSED') return `Nothing answers at ${place}: check IMAP_URL.`
  return `Mail could not be read from ${place}: ${responseText ?? message} ${code ?? ''}`.trim()
}

function isCertificateError(code = ''): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code)
}
