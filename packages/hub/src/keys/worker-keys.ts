import { type CurveKeyPair, decodeCurveKey, sharedSecret } from '@callboard/protocol'
import type { KeyBook } from '../broker/authorization.js'
import type { HandshakeRefusal } from '../broker/events.js'
import type { AuthorizedWorker, AuthorizedWorkers } from './authorized-workers.js'

/** How a running hub serves other machines. */
export interface KeyedListening {
  readonly listen: readonly string[]
  /** Its public key, in Z85. */
  readonly hubKey: string
  /** The file of the keys that it admits. */
  readonly allowList: string
}

/** The hub's pair and the keys that it admits: what the broker and the ZAP handler ask. */
export class WorkerKeys implements KeyBook {
  readonly pair: CurveKeyPair
  readonly #admitted: AuthorizedWorkers
  /** Of admitted keys only, so that nobody else can fill it or make the hub reckon. */
  #shared = new Map<string, Uint8Array | undefined>()

  constructor(pair: CurveKeyPair, admitted: AuthorizedWorkers) {
    this.pair = pair
    this.#admitted = admitted
  }

  find(key: string): AuthorizedWorker | undefined {
    return this.#admitted.find(key)
  }

  standing(key: string): AuthorizedWorker | undefined {
    return this.#admitted.standing(key)
  }

  hasExpired(key: string): boolean {
    return this.#admitted.hasExpired(key)
  }

  sharedSecret(key: string): Uint8Array | undefined {
    if (this.find(key) === undefined) return undefined
    if (!this.#shared.has(key)) this.#shared.set(key, sharedSecret(this.pair.secretKey, key))
    return this.#shared.get(key)
  }

  refusal(key: string): HandshakeRefusal | undefined {
    if (this.find(key) !== undefined) return undefined
    if (this.hasExpired(key)) return 'expired_key'
    return decodeCurveKey(key) === undefined ? 'malformed_key' : 'unknown_key'
  }

  /** `changed`: some keys are worth something else now. `problem`: the list can't be read. */
  watch(changed: () => void, problem: (problem: string) => void): void {
    this.#admitted.onProblem(problem)
    this.#admitted.onChange(() => {
      this.#shared = new Map()
      changed()
    })
  }

  /** What is in force, for operators. */
  describe(listen: readonly string[]): KeyedListening {
    return { listen, hubKey: this.pair.publicKey, allowList: this.#admitted.path }
  }

  close(): void {
    this.#admitted.close()
  }
}
