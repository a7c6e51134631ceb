import type { Clock } from '@callboard/worker/clock'
import { smtpCheckMs } from '../limits.js'
import type { Log } from '../log.js'
import { DueLoop } from '../mail/due-loop.js'

/** A part of the post office that does what is due when it is told to. */
export interface PostOfficeParts {
  readonly delivery: { start(): void; close(): Promise<void> }
  readonly releases: { releaseDue(): Promise<number | undefined> }
  readonly digest: { digestDue(): Promise<number | undefined> }
  /** None where no mail is configured. */
  readonly transport: { check(): Promise<void>; close(): void } | undefined
}

/** Owns all that goes on by itself with outgoing mail: delivery, reviews that end, digests, looks at the server. */
export class PostOffice implements AsyncDisposable {
  readonly #parts: PostOfficeParts
  readonly #loops: readonly DueLoop[]
  #stop = () => {}

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }, parts: PostOfficeParts) {
    this.#parts = parts
    const { releases, digest, transport } = parts
    const loop = (name: string, work: () => Promise<number | undefined>) => new DueLoop({ clock, log, name, work })
    const stopped = new Promise<void>((resolve) => {
      this.#stop = resolve
    })
    let checkAt = clock.now()
    this.#loops = [
      loop('messages', () => releases.releaseDue()),
      loop('digest', () => digest.digestDue()),
      loop('mail server', async () => {
        if (clock.now() < checkAt) return checkAt
        checkAt = clock.now() + smtpCheckMs
        // A server that hangs must not keep the worker from ending.
        await Promise.race([transport?.check(), stopped])
        return checkAt
      }),
    ]
  }

  start(): void {
    this.#parts.delivery.start()
    for (const loop of this.#loops) loop.start()
  }

  /** After a commit: a message waits for its review, or was released from it. Never throws. */
  wake(): void {
    for (const loop of this.#loops) loop.wake()
  }

  /** Resolves when nothing of it runs any more. Idempotent. */
  async close(): Promise<void> {
    this.#stop()
    await Promise.all([this.#parts.delivery.close(), ...this.#loops.map((loop) => loop.close())])
    this.#parts.transport?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
