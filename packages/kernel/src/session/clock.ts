import { bpmDefault } from '../limits.js'

/** `[start, end)` in beats. */
export interface Loop {
  readonly start: number
  readonly end: number
}

/**
 * Where a session is in its piece. The beat is computed from an anchor whenever somebody asks, so nothing drifts, and a
 * change that anchors anew first can't move it. Times are milliseconds of one monotonic clock.
 */
export interface Transport {
  readonly state: 'stopped' | 'playing' | 'paused'
  readonly anchorBeat: number
  /** Of no meaning unless playing. */
  readonly anchorMs: number
  readonly bpm: number
  /** In force from an anchor before its end; whoever is beyond plays on. */
  readonly loop: Loop | null
  /** Rises with each change: what was handed out under an earlier one no longer holds. */
  readonly generation: number
  /** Beats played before the anchor: laps count, jumps don't. */
  readonly playedBeats: number
}

/** A place on the line that a playing transport follows from its anchor: each lap of the loop starts at the loop's start. */
export interface Spot {
  readonly lap: number
  readonly beat: number
}

export type TransportCommand =
  | { readonly do: 'play'; readonly fromBeat?: number }
  | { readonly do: 'pause' }
  | { readonly do: 'stop' }
  | { readonly do: 'seek'; readonly beat: number }
  | { readonly do: 'tempo'; readonly bpm: number }
  | { readonly do: 'loop'; readonly loop: Loop | null }

export const initialTransport: Transport = {
  state: 'stopped',
  anchorBeat: 0,
  anchorMs: 0,
  bpm: bpmDefault,
  loop: null,
  generation: 0,
  playedBeats: 0,
}

/** Never falls while playing: within a lap by its beat, else by its lap. */
export function spotAt(transport: Transport, now: number): Spot {
  const { anchorBeat, loop } = transport
  const line = anchorBeat + elapsedBeats(transport, now)
  if (loop === null || !wraps(transport) || line < loop.end) return { lap: 0, beat: line }
  const length = loop.end - loop.start
  const beyond = line - loop.end
  const laps = Math.floor(beyond / length)
  const beat = Math.max(loop.start, loop.start + (beyond - laps * length))
  // Rounding may reach the end, which belongs to the next lap.
  return beat < loop.end ? { lap: laps + 1, beat } : { lap: laps + 2, beat: loop.start }
}

export function beatAt(transport: Transport, now: number): number {
  return spotAt(transport, now).beat
}

/** All beats played up to now, over laps, jumps and pauses. */
export function playedAt(transport: Transport, now: number): number {
  return transport.playedBeats + elapsedBeats(transport, now)
}

export function isAfter(one: Spot, other: Spot): boolean {
  return one.lap > other.lap || (one.lap === other.lap && one.beat > other.beat)
}

/** Whether the line goes back at the loop's end. */
export function wraps({ anchorBeat, loop }: Transport): boolean {
  return loop !== null && anchorBeat < loop.end
}

/** When a playing transport is at the spot. At a spot ahead, `spotAt` of this instant has certainly reached it. */
export function instantOf(transport: Transport, spot: Spot): number {
  const { anchorMs, anchorBeat, bpm, loop } = transport
  const line =
    loop === null || spot.lap === 0
      ? spot.beat
      : loop.end + (spot.lap - 1) * (loop.end - loop.start) + (spot.beat - loop.start)
  const exact = anchorMs + ((line - anchorBeat) * 60_000) / bpm
  if (exact < anchorMs) return exact
  return firstThat((instant) => !isAfter(spot, spotAt(transport, instant)), exact)
}

/** When so many beats will have been played; undefined unless playing. */
export function instantOfPlayed(transport: Transport, played: number): number | undefined {
  if (transport.state !== 'playing') return undefined
  const exact = transport.anchorMs + ((played - transport.playedBeats) * 60_000) / transport.bpm
  return firstThat((instant) => playedAt(transport, instant) >= played, exact)
}

/** The same place, anchored at now, under a new generation. */
export function reanchored(transport: Transport, now: number): Transport {
  return {
    ...transport,
    anchorBeat: beatAt(transport, now),
    anchorMs: now,
    playedBeats: playedAt(transport, now),
    generation: transport.generation + 1,
  }
}

export interface TransportChange {
  readonly transport: Transport
  /** Whether the beat is another one than before; to go on after a pause is no jump. */
  readonly jumped: boolean
}

/** Undefined if there is nothing to change. */
export function changed(transport: Transport, command: TransportCommand, now: number): TransportChange | undefined {
  const here = reanchored(transport, now)
  switch (command.do) {
    case 'play':
      if (command.fromBeat === undefined) {
        if (transport.state === 'playing') return undefined
        return { transport: { ...here, state: 'playing' }, jumped: transport.state === 'stopped' }
      }
      return { transport: { ...here, state: 'playing', anchorBeat: command.fromBeat }, jumped: true }
    case 'pause':
      return transport.state === 'playing' ? { transport: { ...here, state: 'paused' }, jumped: false } : undefined
    case 'stop':
      if (transport.state === 'stopped' && transport.anchorBeat === 0) return undefined
      return { transport: { ...here, state: 'stopped', anchorBeat: 0 }, jumped: true }
    case 'seek':
      return { transport: { ...here, anchorBeat: command.beat }, jumped: true }
    case 'tempo':
      return command.bpm === transport.bpm ? undefined : { transport: { ...here, bpm: command.bpm }, jumped: false }
    case 'loop':
      return sameLoop(command.loop, transport.loop)
        ? undefined
        : { transport: { ...here, loop: command.loop }, jumped: false }
    default:
      return command satisfies never
  }
}

export function sameLoop(one: Loop | null, other: Loop | null): boolean {
  return one?.start === other?.start && one?.end === other?.end
}

function elapsedBeats({ state, anchorMs, bpm }: Transport, now: number): number {
  return state === 'playing' ? (Math.max(0, now - anchorMs) * bpm) / 60_000 : 0
}

/** The computed instant, or the next few representable ones: a timer set to it must find that the time has come. */
function firstThat(reached: (instant: number) => boolean, instant: number): number {
  let step = Math.max(1, Math.abs(instant)) * Number.EPSILON
  let found = instant
  while (!reached(found)) {
    found = instant + step
    step *= 2
  }
  return found
}
