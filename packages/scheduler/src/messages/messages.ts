import type { Database } from '../records/schema.js'

export interface NewMessage {
  readonly group: string
  readonly runId?: string
  readonly depth: number
  readonly priority: 'notify' | 'digest' | 'log'
  readonly text: string
  /** Said by this worker itself: nobody reviews that. */
  readonly isNotice?: true
}

export interface PostedMessage {
  readonly messageId: string
  readonly state: 'held' | 'review' | 'queued' | 'batched' | 'logged'
  /** A mail that may be sent once the transaction is committed. */
  readonly outboxId?: string
  readonly warnings: readonly string[]
}

/** Takes messages for people: all that this worker tells them goes through here. */
export interface Messages {
  /** Inside the caller's transaction; call `Outbox.wake` after its commit. */
  post(db: Database, message: NewMessage): Promise<PostedMessage>
}
