import type { Clock } from '@callboard/worker/clock'
import { idleLanesMax } from '../limits.js'
import type { Credential } from './credential.js'
import { Lane } from './lane.js'
import { SiteGate } from './site-gate.js'

/** What all that ask one forum share. */
export class SiteState {
  readonly gate: SiteGate
  readonly #clock: Clock
  readonly #lanes = new Map<string, Lane>()
  /** Monotonic ms. */
  #unsettledUntil = 0

  constructor(clock: Clock, slots: number) {
    this.#clock = clock
    this.gate = new SiteGate(clock, slots)
  }

  /** Of one credential; where many have one, what was used least recently is forgotten. */
  lane({ id, kind }: Credential): Lane {
    const lane = this.#lanes.get(id) ?? new Lane(kind)
    this.#lanes.delete(id)
    this.#lanes.set(id, lane)
    if (this.#lanes.size > idleLanesMax) this.#lanes.delete(this.#lanes.keys().next().value ?? '')
    return lane
  }

  /** A write may have its effect as late as then. */
  isUnsettledFor(ms: number): void {
    this.#unsettledUntil = this.#clock.monotonic() + ms
  }

  get isSettled(): boolean {
    return this.#unsettledUntil <= this.#clock.monotonic()
  }

  /** Whether forgetting it changes nothing. */
  get isForgettable(): boolean {
    const now = this.#clock.monotonic()
    return this.gate.isIdle && this.isSettled && [...this.#lanes.values()].every((lane) => lane.isEmpty(now))
  }
}
