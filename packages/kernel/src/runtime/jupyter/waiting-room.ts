import {
  jupyterSmallInARow,
  jupyterWaitingBytesMax,
  jupyterWaitingMessagesMax,
  jupyterWaitingMessagesMin,
} from '../../limits.js'

/** ZeroMQ bounds a queue by messages, this worker has memory in bytes: how many may wait, by the size of those that come. Pure. */
export class WaitingRoom {
  #places = jupyterWaitingMessagesMax
  #smallInARow = 0

  get places(): number {
    return this.#places
  }

  /** Whether `places` has changed. Fewer at once; more only when nothing large has come for a while. */
  received(bytes: number): boolean {
    const places = placesFor(bytes)
    if (places < this.#places) return this.#change(places)
    if (places > this.#places) this.#smallInARow += 1
    else this.#smallInARow = 0
    return this.#smallInARow >= jupyterSmallInARow && this.#change(places)
  }

  #change(places: number): boolean {
    this.#places = places
    this.#smallInARow = 0
    return true
  }
}

function placesFor(bytes: number): number {
  const places = Math.floor(jupyterWaitingBytesMax / Math.max(1, bytes))
  return Math.min(jupyterWaitingMessagesMax, Math.max(jupyterWaitingMessagesMin, places))
}
