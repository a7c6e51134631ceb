import type { TcpGate } from './tcp-gate.js'

/** An IMAP server with one mailbox, reached through a gate. */
export interface TestImapServer extends AsyncDisposable {
  /** Through the gate. */
  readonly url: string
  readonly gate: TcpGate
  deliver(raw: string, receivedAt?: Date): Promise<void>
  /** Gives every mail another number, under another UIDVALIDITY. */
  renumber(): Promise<void>
}
