import { type Spot, type Transport, wraps } from './clock.js'
import type { Trigger } from './trigger.js'

/** The beats at which a rule fires, by their number: computed from integers, so that no rounding loses or doubles one. */
export interface Targets {
  /** The first at or after the beat (`after`: strictly after it); undefined if there is none. */
  first(from: number, after: boolean): number | undefined
  /** How many there are from `first(from, after)` up to `to`, which counts in unless `open`. */
  count(from: number, after: boolean, to: number, open: boolean): number
}

/** Undefined for a trigger that counts no beats, and for a marker that does not exist. */
export function targetsOf(trigger: Trigger, markers: ReadonlyMap<string, number>): Targets | undefined {
  switch (trigger.kind) {
    case 'beat':
      return every(trigger.divisor, trigger.offset)
    case 'at':
      return single(trigger.beat)
    case 'marker': {
      const beat = markers.get(trigger.name)
      return beat === undefined ? undefined : single(beat)
    }
    case 'every':
    case 'after':
    case 'event':
      return undefined
    default:
      return trigger satisfies never
  }
}

/** Where on the transport's line the next target after a spot is; at the spot itself too, if `closed`. */
export function nextTarget(transport: Transport, targets: Targets, from: Spot, closed: boolean): Spot | undefined {
  const ahead = targets.first(from.beat, !closed)
  const { loop } = transport
  if (loop === null || !wraps(transport)) return ahead === undefined ? undefined : { lap: from.lap, beat: ahead }
  if (ahead !== undefined && ahead < loop.end) return { lap: from.lap, beat: ahead }
  // A lap is half open: its end is the start of the next one.
  const inLoop = targets.first(loop.start, false)
  return inLoop === undefined || inLoop >= loop.end ? undefined : { lap: from.lap + 1, beat: inLoop }
}

/** How many targets lie after `from` (at it too, if `closed`) up to `to`, without walking the laps between. */
export function countTargets(transport: Transport, targets: Targets, from: Spot, closed: boolean, to: Spot): number {
  const { loop } = transport
  if (loop === null || from.lap === to.lap) return targets.count(from.beat, !closed, to.beat, false)
  const perLap = targets.count(loop.start, false, loop.end, true)
  return (
    targets.count(from.beat, !closed, loop.end, true) +
    (to.lap - from.lap - 1) * perLap +
    targets.count(loop.start, false, to.beat, false)
  )
}

function single(beat: number): Targets {
  return {
    first: (from, after) => (beat > from || (beat === from && !after) ? beat : undefined),
    count: (from, after, to, open) =>
      (beat > from || (beat === from && !after)) && (beat < to || (beat === to && !open)) ? 1 : 0,
  }
}

function every(divisor: number, offset: number): Targets {
  const beatOf = (number: number) => offset + number * divisor
  const numberOf = (from: number, after: boolean) => {
    const fits = (number: number) => beatOf(number) > from || (beatOf(number) === from && !after)
    let number = Math.max(0, Math.ceil((from - offset) / divisor))
    while (number > 0 && fits(number - 1)) number -= 1
    while (!fits(number)) number += 1
    return number
  }
  return {
    first: (from, after) => beatOf(numberOf(from, after)),
    count: (from, after, to, open) => Math.max(0, numberOf(to, !open) - numberOf(from, after)),
  }
}
