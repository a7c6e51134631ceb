import type { Database } from '../records/schema.js'

export interface NewMail {
  readonly kind: 'notify' | 'digest' | 'trigger' | 'notice'
  /** With angle brackets; fixed for all attempts. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers?: { readonly [name: string]: string }
}

/** All outgoing mail: stored first, sent until the server takes it. */
export interface Outbox {
  /** Inside the caller's transaction. Returns the id of the row. */
  add(db: Database, mail: NewMail): Promise<string>
  /** After a commit: there may be mail to send. Never throws. */
  wake(): void
  /** Sends this one now, for at most so long; what is left to do goes on by itself. */
  sendNow(id: string, timeoutMs: number): Promise<'sent' | 'queued' | 'dead'>
}
