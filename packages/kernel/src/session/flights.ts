import { needsKernel } from './action.js'
import type { Spot, Transport } from './clock.js'
import { type Due, type RuleTrack, shifted } from './rule-track.js'

/** A firing that was handed out and has not ended. */
export interface Flight {
  due: Due
  state: 'handed_out' | 'taken_back' | 'started'
  /** Of the engine's steps and of its jumps, when it was handed out. */
  readonly pass: number
  readonly jump: number
  /** Of the rule before it: what holds again if this one never begins. */
  readonly lastFiredMs: number | null
  startedMs: number
  lateS: number
}

export class Flights {
  readonly #flights = new Map<number, Flight>()
  #serial = 0

  /** Returns its number. */
  add(flight: Flight): number {
    const firing = ++this.#serial
    this.#flights.set(firing, flight)
    flight.due.track.flights += 1
    return firing
  }

  take(firing: number): Flight | undefined {
    const flight = this.#flights.get(firing)
    if (flight && this.#flights.delete(firing)) flight.due.track.flights -= 1
    return flight
  }

  started(firing: number, now: number, lateS: number): void {
    const flight = this.#flights.get(firing)
    if (flight) Object.assign(flight, { state: 'started', startedMs: now, lateS })
  }

  /** The clock was anchored anew: those that have not begun come back, or say that they have. True if any was out. */
  takeBack(here: Spot, before: Transport): boolean {
    let any = false
    for (const flight of this.#flights.values()) {
      if (flight.state === 'started') continue
      flight.due = shifted(flight.due, here, before)
      any ||= flight.state === 'handed_out'
      flight.state = 'taken_back'
    }
    return any
  }

  anyOut(concerned: (track: RuleTrack) => boolean): boolean {
    return [...this.#flights.values()].some(({ state, due }) => state === 'handed_out' && concerned(due.track))
  }

  /** Whether a firing of an earlier step runs or should: one that is still ahead, or was taken back, does not. */
  runs(track: RuleTrack, pass: number, now: number): boolean {
    if (track.flights === 0) return false
    return [...this.#flights.values()].some(
      ({ due, state, pass: handedIn }) =>
        due.track === track && handedIn < pass && (state === 'started' || (state === 'handed_out' && due.dueMs <= now)),
    )
  }

  depthOf(firing: number): number {
    return this.#flights.get(firing)?.due.depth ?? 0
  }

  /** Those that the kernel has, with whether they began. */
  inKernel(): readonly { readonly firing: number; readonly began: boolean }[] {
    return [...this.#flights].flatMap(([firing, { due, state }]) =>
      needsKernel(due.track.rule.action) ? [{ firing, began: state === 'started' }] : [],
    )
  }
}
