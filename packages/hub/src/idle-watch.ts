import type { BrokerSnapshot } from './broker/snapshot.js'

/** Without agents and calls for this long, a hub that was started by itself ends. */
export const idleEndMs = 10 * 60_000
const checkIntervalMs = 5_000

/** Watches for the time when nobody needs the hub; a worker's `holdUntil` is a need. */
export class IdleWatch {
  readonly #timer: NodeJS.Timeout
  #idleSince: number | undefined

  constructor(snapshot: () => BrokerSnapshot, onIdle: () => void, now: () => number = Date.now) {
    this.#timer = setInterval(() => {
      if (isNeeded(snapshot(), now())) {
        this.#idleSince = undefined
        return
      }
      this.#idleSince ??= now()
      if (now() - this.#idleSince >= idleEndMs) onIdle()
    }, checkIntervalMs)
    this.#timer.unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

export function isNeeded(snapshot: BrokerSnapshot, now: number): boolean {
  return snapshot.connections > 0 || snapshot.calls.length > 0 || (snapshot.holdUntil ?? 0) > now
}
