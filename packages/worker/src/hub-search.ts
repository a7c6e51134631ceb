import { noHubNoticeMs, noHubRepeatMs } from './limits.js'

/** How long there has been no sign-in, and when that is worth a line in the log: once soon, then rarely. */
export class HubSearch {
  #noticeAt: number
  #refusal: string | undefined

  constructor(now: number) {
    this.#noticeAt = now + noHubNoticeMs
  }

  get dueAt(): number {
    return this.#noticeAt
  }

  /** What the hub said that is there and takes this worker later, if ever. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  /** The sign-in has ended. */
  begin(now: number): void {
    this.#noticeAt = now + noHubNoticeMs
  }

  refused(message: string): void {
    this.#refusal = message
  }

  /** Whoever refused is gone. */
  linkLost(): void {
    this.#refusal = undefined
  }

  /** Signed in. */
  end(): void {
    this.#noticeAt = Number.POSITIVE_INFINITY
    this.#refusal = undefined
  }

  /** True when a notice is due; then the next one is due later. */
  takeDue(now: number): boolean {
    if (now < this.#noticeAt) return false
    this.#noticeAt = now + noHubRepeatMs
    return true
  }
}
