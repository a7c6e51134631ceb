/** A mail as the server gets it, with everything fixed that must be the same in each attempt. */
export interface OutgoingMail {
  /** With angle brackets. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers: { readonly [name: string]: string }
  /** UTC ms, for the Date header. */
  readonly date: number
}

export type SendResult =
  | { readonly kind: 'sent' }
  /** Nobody knows, or not now: to be tried again. */
  | { readonly kind: 'deferred'; readonly error: string }
  /** The server will never take this mail. */
  | { readonly kind: 'refused'; readonly error: string }

export interface SendOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export interface MailTransport {
  /** Never rejects; never names a credential. */
  send(mail: OutgoingMail, options: SendOptions): Promise<SendResult>
}

/** Of a connection to a mail server, as the last conversation with it left it. */
export interface MailHealth {
  readonly configured: boolean
  readonly connected: boolean
  /** UTC ms; null: never since the start. */
  readonly lastOkAt: number | null
  readonly lastError: string | null
}
