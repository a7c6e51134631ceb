import { clockSamplesMax } from './limits.js'

interface Sample {
  readonly roundTripMs: number
  readonly offset: number
}

/**
 * What the hub's clock shows, seen from here. Only heartbeat round trips tell: of the last few, the one with the least
 * delay bounds the error by half of that delay. [CB-71]
 */
export class HubClock {
  #offset = 0
  #samples: Sample[] = []

  /** The WELCOME's time is late by an unknown way: good enough until the first echo. */
  guess(hubNow: number, now: number): void {
    this.#samples = []
    this.#offset = hubNow - now
  }

  learn(echo: { readonly sentAt: number; readonly now: number }, now: number): void {
    const roundTripMs = now - echo.sentAt
    if (roundTripMs < 0) return
    this.#samples.push({ roundTripMs, offset: echo.now - (echo.sentAt + now) / 2 })
    if (this.#samples.length > clockSamplesMax) this.#samples.shift()
    this.#offset = this.#samples.reduce((best, sample) =>
      sample.roundTripMs < best.roundTripMs ? sample : best,
    ).offset
  }

  /** After a gap this machine's clock may have been set: what was measured before says nothing any more. */
  doubt(): void {
    this.#samples = []
  }

  toHub(local: number): number {
    return Math.max(0, Math.round(local + this.#offset))
  }

  toLocal(hub: number): number {
    return hub - this.#offset
  }
}
