import { storable } from '@callboard/store'
import { mailErrorMax } from '../limits.js'
import type { SendResult } from './mail-transport.js'
import type { SmtpSettings } from './smtp-settings.js'

/** What nodemailer tells of a failure. */
interface SmtpFailure extends Error {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
}

/**
 * Only an answer about this very mail is final. A 5xx to a greeting, to STARTTLS or to a password is about the connection:
 * mail waits until that is mended.
 */
export function sendFailure(thrown: unknown, settings: SmtpSettings): Exclude<SendResult, { kind: 'sent' }> {
  const failure = thrown as SmtpFailure
  return { kind: isFinal(failure) ? 'refused' : 'deferred', error: describeFailure(failure, settings) }
}

export function describeFailure(thrown: unknown, settings: SmtpSettings): string {
  const { code, message = String(thrown) } = thrown as SmtpFailure
  const said = withoutCredentials(message, settings).replaceAll(/\s+/g, ' ').trim()
  return storable([code, said, remedyFor(code, settings)].filter(Boolean).join(': '), mailErrorMax)
}

function isFinal({ code, responseCode }: SmtpFailure): boolean {
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false
  return responseCode === undefined || responseCode >= 500
}

function remedyFor(code: string | undefined, { encryption, authorities }: SmtpSettings): string | undefined {
  if (code === 'EAUTH') return 'check user and password in SMTP_URL'
  if (code !== 'ETLS' && code !== 'ESOCKET') return undefined
  const remedies = [
    code === 'ETLS' &&
      encryption === 'starttls' &&
      'plain text is for loopback only, so use smtps:// or a server with STARTTLS',
    authorities === undefined && 'a certificate of a private authority needs SMTP_TLS_CA',
  ]
  return remedies.filter(Boolean).join('; ') || undefined
}

/** Servers repeat what they were told, in clear or in base64. */
function withoutCredentials(text: string, { user, password }: SmtpSettings): string {
  const base64 = (secret: string) => Buffer.from(secret).toString('base64')
  const secrets = [password, encodeURIComponent(password), base64(password), base64(`\0${user}\0${password}`)]
  return secrets.filter((secret) => secret !== '').reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
}
