import { beatAt, instantOf, instantOfPlayed, spotAt, type Transport } from './clock.js'
import { nextTarget, targetsOf } from './targets.js'

/** A place to be reached, however often the transport pauses until then, or a number of beats to be played in all. */
export type WaitTarget = { readonly beat: number } | { readonly played: number }

interface Wait {
  readonly target: WaitTarget
  /** Undefined: not on the line as it is now. */
  dueMs: number | undefined
}

/** Code that waits on the clock. */
export class BeatWaits {
  readonly #waits = new Map<number, Wait>()

  add(id: number, target: WaitTarget, transport: Transport, now: number): void {
    this.#waits.set(id, { target, dueMs: dueOf(target, transport, now) })
  }

  delete(id: number): void {
    this.#waits.delete(id)
  }

  /** The transport was changed at now. */
  follow(transport: Transport, now: number): void {
    for (const wait of this.#waits.values()) wait.dueMs = dueOf(wait.target, transport, now)
  }

  /** Those whose time has come; they are forgotten. */
  takeReached(now: number): readonly number[] {
    const reached = [...this.#waits].filter(([, { dueMs }]) => dueMs !== undefined && dueMs <= now).map(([id]) => id)
    for (const id of reached) this.#waits.delete(id)
    return reached
  }

  get nextAt(): number | undefined {
    let next: number | undefined
    for (const { dueMs } of this.#waits.values())
      if (dueMs !== undefined && !(dueMs >= (next ?? Infinity))) next = dueMs
    return next
  }
}

function dueOf(target: WaitTarget, transport: Transport, now: number): number | undefined {
  if ('played' in target) return instantOfPlayed(transport, target.played)
  if (beatAt(transport, now) >= target.beat) return now
  if (transport.state !== 'playing') return undefined
  const targets = targetsOf({ kind: 'at', beat: target.beat }, new Map())
  const spot = targets && nextTarget(transport, targets, spotAt(transport, now), true)
  return spot && instantOf(transport, spot)
}
