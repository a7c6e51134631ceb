import type { Message } from '@callboard/protocol'

export interface HubLinkListener {
  linkUp(): void
  linkLost(): void
  /** `problem` says why; there is a pause before the next try. */
  refused?(): void
  received(messages: readonly Message[]): void
}

/** What carries messages between a worker and its hub, in order: a DEALER socket, or a test's hub in the same process. */
export interface HubLink {
  /** Where it looks for the hub. */
  readonly endpoint: string
  /** Why it is not let in, as far as that is known. */
  readonly problem?: string | undefined
  /** Of the keys that the hub may have, the one that this link counts on. */
  readonly hubKey?: string | undefined
  open(listener: HubLinkListener): void
  /** Queues; what can't be sent before the link is lost is dropped with it. */
  send(message: Message): void
  /** Delivers what it can in a moment, then lets go. Idempotent. */
  close(): Promise<void>
}
