import { anonymousWindows, apiKeyWindows, heldActionsMax, userKeyWindows } from '../limits.js'
import type { Credential } from './credential.js'
import { RequestWindow } from './request-window.js'

const windows = { anonymous: anonymousWindows, api_key: apiKeyWindows, user_api_key: userKeyWindows }

/** When one credential may ask one forum. Knows no clock: `now` is monotonic ms. */
export class Lane {
  readonly #window: RequestWindow
  #heldUntil = 0
  readonly #actionsHeldUntil = new Map<string, number>()

  constructor(kind: Credential['kind']) {
    this.#window = new RequestWindow(windows[kind])
  }

  /** A request leaves now. */
  add(now: number): void {
    this.#window.add(now)
  }

  /** The forum asked us to wait: with that action, or with everything. */
  hold(action: string | undefined, ms: number, now: number): void {
    const until = now + ms
    if (action === undefined) {
      this.#heldUntil = Math.max(this.#heldUntil, until)
      return
    }
    this.#actionsHeldUntil.set(action, Math.max(this.#actionsHeldUntil.get(action) ?? 0, until))
    this.#forgetActions(now)
  }

  /** How long an action has to wait, ms, because the forum asked for it. */
  heldMs(action: string, now: number): number {
    return Math.max(0, this.#heldUntil - now, (this.#actionsHeldUntil.get(action) ?? 0) - now)
  }

  /** How long an action has to wait at all, ms; `ahead`: so many requests leave before it as soon as they may. */
  waitMs(action: string, now: number, ahead = 0): number {
    return Math.max(this.heldMs(action, now), this.#window.waitMs(now, ahead))
  }

  /** Whether there is nothing to remember. */
  isEmpty(now: number): boolean {
    this.#forgetActions(now)
    return this.#heldUntil <= now && this.#actionsHeldUntil.size === 0 && this.#window.isEmpty(now)
  }

  #forgetActions(now: number): void {
    const inOrder = [...this.#actionsHeldUntil].sort(([, a], [, b]) => a - b)
    const surplus = inOrder.length - heldActionsMax
    inOrder.forEach(([action, until], index) => {
      if (until <= now || index < surplus) this.#actionsHeldUntil.delete(action)
    })
  }
}
