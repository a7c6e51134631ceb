import type { Challenge, Hello, HubEpoch } from '@callboard/protocol'
import { restartPauseMs, restartPauseMsMax, signInWaitMs, signInWaitMsMax } from './limits.js'

export type Phase =
  /** No HELLO is on its way; one is due at `helloAt` even if nobody says that the link is up. */
  | { readonly name: 'connecting'; readonly helloAt: number }
  | { readonly name: 'greeting'; readonly helloAt: number }
  | { readonly name: 'proving'; readonly helloAt: number; readonly epoch: HubEpoch; readonly nonce: Uint8Array }
  | { readonly name: 'ready'; readonly epoch: HubEpoch }
  | { readonly name: 'closed' }

/** The only version that this worker speaks. [CB-80] */
export const spokenVersion = 1

const hello: Hello = { type: 'hello', versions: [spokenVersion, spokenVersion] }

/** Where the conversation HELLO, CHALLENGE, READY, WELCOME stands, and when HELLO is due again. [CB-10] [CB-19] */
export class Handshake {
  #phase: Phase
  #workerEpoch = 0
  /** HELLOs since the last answer that counted. */
  #hellos = 0
  /** Sign-ins in a row that the hub ended before it echoed a heartbeat. */
  #restarts = 0
  /** Refused proofs since the last WELCOME. */
  #badProofs = 0

  constructor(now: number) {
    this.#phase = { name: 'connecting', helloAt: now + signInWaitMs }
  }

  get phase(): Phase {
    return this.#phase
  }

  get isReady(): boolean {
    return this.#phase.name === 'ready'
  }

  get isClosed(): boolean {
    return this.#phase.name === 'closed'
  }

  /** The number of READYs so far: names this sign-in. */
  get workerEpoch(): number {
    return this.#workerEpoch
  }

  /** The epoch of the hub that this worker talks to, from CHALLENGE on. */
  get epoch(): HubEpoch | undefined {
    return 'epoch' in this.#phase ? this.#phase.epoch : undefined
  }

  get dueAt(): number {
    return 'helloAt' in this.#phase ? this.#phase.helloAt : Number.POSITIVE_INFINITY
  }

  /** A refusal may answer an earlier HELLO: only one that answers the only HELLO is about this sign-in for sure. */
  get isSole(): boolean {
    return this.#hellos === 1
  }

  hello(now: number): Hello {
    const waitMs = Math.min(signInWaitMs * 2 ** this.#hellos, signInWaitMsMax)
    this.#hellos += 1
    this.#phase = { name: 'greeting', helloAt: now + waitMs }
    return hello
  }

  disconnected(now: number): void {
    this.#phase = { name: 'connecting', helloAt: now + signInWaitMs }
  }

  /** No further HELLO. */
  rest(): void {
    this.#phase = { name: 'connecting', helloAt: Number.POSITIVE_INFINITY }
  }

  /** When the next HELLO may be said after the hub sent this worker back to the start: the floor against a loop. */
  sendBack(now: number, atLeastMs: number): void {
    const pauseMs = this.#restarts === 0 ? 0 : Math.min(restartPauseMs * 2 ** (this.#restarts - 1), restartPauseMsMax)
    this.#restarts += 1
    // After a pause nothing that was said before is still to be answered; without one it may be.
    if (atLeastMs > 0) this.#hellos = 0
    this.#phase = { name: 'connecting', helloAt: now + Math.max(pauseMs, atLeastMs) }
  }

  /** False: a stale or doubled challenge, or one in the wrong state. True: READY follows. */
  challenged({ epoch, nonce }: Challenge, now: number): boolean {
    const { phase } = this
    if (phase.name === 'ready' || phase.name === 'closed') return false
    if (phase.name === 'proving' && Buffer.compare(phase.nonce, nonce) === 0) return false
    const waitMs = Math.min(signInWaitMs * 2 ** this.#hellos, signInWaitMsMax)
    this.#phase = { name: 'proving', helloAt: now + waitMs, epoch, nonce }
    this.#workerEpoch += 1
    return true
  }

  welcomed(epoch: HubEpoch): boolean {
    if (this.#phase.name !== 'proving' || this.#phase.epoch !== epoch) return false
    this.#hellos = 0
    this.#badProofs = 0
    this.#phase = { name: 'ready', epoch }
    return true
  }

  /**
   * True when the secret must be wrong. The first refusal does not say so: a challenge of the connection before, read
   * after this one's HELLO, makes READY carry a nonce that the hub has forgotten.
   */
  proofRefused(): boolean {
    this.#badProofs += 1
    return this.#badProofs > 1
  }

  /** The hub answers heartbeats: this sign-in holds. */
  confirmed(): void {
    this.#restarts = 0
  }

  close(): void {
    this.#phase = { name: 'closed' }
  }
}
