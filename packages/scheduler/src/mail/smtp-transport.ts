import type { Clock } from '@callboard/worker/clock'
import { createTransport, type SentMessageInfo, type Transporter } from 'nodemailer'
import type { SchedulerConfig } from '../config.js'
import { mailSendMs, mailsAtOnceMax, smtpConnectMs, smtpIdleMs } from '../limits.js'
import type { MailHealth, MailTransport, OutgoingMail, SendOptions, SendResult } from './mail-transport.js'
import { describeFailure, sendFailure } from './smtp-error.js'
import { type SmtpSettings, smtpSettingsOf } from './smtp-settings.js'

/** Undefined: no mail is configured. Throws a SchedulerConfigError. */
export function smtpTransportOf(config: SchedulerConfig, clock: Clock): SmtpTransport | undefined {
  const settings = smtpSettingsOf(config)
  if (settings === undefined || config.mail_address === undefined) return undefined
  return new SmtpTransport(settings, config.mail_address, clock)
}

/** The SMTP server. Keeps a few connections while there is work for them. */
export class SmtpTransport implements MailTransport, AsyncDisposable {
  readonly #settings: SmtpSettings
  readonly #from: string
  readonly #clock: Clock
  readonly #pool: Transporter<SentMessageInfo>
  #health: MailHealth = { configured: true, connected: false, lastOkAt: null, lastError: null }

  constructor(settings: SmtpSettings, from: string, clock: Clock) {
    this.#settings = settings
    this.#from = from
    this.#clock = clock
    this.#pool = createTransport(poolOptions(settings))
    // Of idle connections; those of a mail come as its own failure.
    this.#pool.on('error', () => undefined)
  }

  get health(): MailHealth {
    return this.#health
  }

  async send(mail: OutgoingMail, { signal, timeoutMs }: SendOptions): Promise<SendResult> {
    const timeout = new AbortController()
    const done = new AbortController()
    void this.#clock.sleepUntil(this.#clock.now() + timeoutMs, done.signal).then(() => timeout.abort())
    try {
      const either = AbortSignal.any([signal, timeout.signal])
      await this.#pool.sendMail({ ...envelopeAndContent(mail, this.#from), signal: either } as object)
      this.#succeeded()
      return { kind: 'sent' }
    } catch (error) {
      return this.#failed(timeout.signal.aborted ? timeoutError(timeoutMs) : error)
    } finally {
      done.abort()
    }
  }

  /** Greets the server and signs in, for {@link health}. */
  async check(): Promise<void> {
    try {
      await this.#pool.verify()
      this.#succeeded()
    } catch (error) {
      this.#failed(error)
    }
  }

  close(): void {
    this.#pool.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  #succeeded(): void {
    this.#health = { configured: true, connected: true, lastOkAt: this.#clock.now(), lastError: null }
  }

  #failed(error: unknown): SendResult {
    const result = sendFailure(error, this.#settings)
    const lastError = describeFailure(error, this.#settings)
    // Who refuses one mail is there for others.
    this.#health = { ...this.#health, connected: result.kind === 'refused', lastError }
    return result
  }
}

function poolOptions({ host, port, encryption, user, password, authorities }: SmtpSettings) {
  return {
    pool: true,
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    // Said aloud, so that no environment variable unsays it.
    tls: { rejectUnauthorized: true, ...(authorities !== undefined && { ca: authorities }) },
    ...(user !== '' && { auth: { user, pass: password } }),
    maxConnections: mailsAtOnceMax,
    // A mail whose connection was lost is tried again by the outbox, which counts.
    maxRequeues: 0,
    idleTimeout: smtpIdleMs,
    connectionTimeout: smtpConnectMs,
    greetingTimeout: smtpConnectMs,
    socketTimeout: mailSendMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as const
}

function envelopeAndContent(mail: OutgoingMail, from: string) {
  const { messageId, to, subject, text, html, headers, date } = mail
  return {
    envelope: { from, to: [to] },
    from: { name: '', address: from },
    to: { name: '', address: to },
    subject,
    text,
    ...(html !== undefined && { html }),
    messageId,
    date: new Date(date),
    // As they are: a signature that is folded or encoded is none any more.
    headers: Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } })),
  }
}

function timeoutError(timeoutMs: number): Error {
  return Object.assign(new Error(`no answer within ${timeoutMs / 1000} s`), { code: 'ETIMEDOUT' })
}
