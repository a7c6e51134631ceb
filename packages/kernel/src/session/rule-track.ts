import { lookAheadMs, targetsPerPassMax } from '../limits.js'
import { needsKernel } from './action.js'
import { instantOf, isAfter, type Spot, spotAt, type Transport, wraps } from './clock.js'
import type { EngineEventData, Rule } from './rule.js'
import { countTargets, nextTarget, type Targets, targetsOf } from './targets.js'

/** One firing that is to be. */
export interface Due {
  readonly track: RuleTrack
  readonly dueMs: number
  /** On the transport's line; undefined for a firing that no beat asked for, and for one whose beat is behind. */
  readonly spot: Spot | undefined
  /** Null: no beat asked for it. */
  readonly targetBeat: number | null
  readonly marker: string | null
  readonly event: EngineEventData | null
  /** How many firings have led to this one, itself counted. */
  readonly depth: number
  /** By hand: neither the state of the rule nor its cooldown is asked. */
  readonly forced: boolean
}

/** What a rule is held against in a pass. */
export interface Line {
  readonly transport: Transport
  readonly markers: ReadonlyMap<string, number>
  /** Everything up to here has had its turn; itself not, if `closed`, as after a start or a jump. */
  readonly cursor: Spot
  readonly closed: boolean
  /** Depth of firings at the place of the last jump. */
  readonly jumpDepth: number
  readonly hasKernel: boolean
}

export interface Collected {
  readonly due: readonly Due[]
  /** Due as well, but too many for one pass. */
  readonly missed: number
}

/** A rule and how far it has come. Its state is that of the line: a jump sets it back, a new anchor shifts its laps. */
export class RuleTrack {
  readonly rule: Rule
  /** The last target that had its turn ahead of the line's cursor, by lead or look-ahead. */
  #done: Spot | undefined
  /** Handed out and taken back before they began: they still have to be. */
  #owed: Due[] = []
  /** Of `every`: targets are `base + number × period`, so that no rounding adds up. */
  #baseMs = 0
  #number = 0
  /** An idle rule's only firing while cells run. */
  held: Due | undefined
  /** How many firings were handed out and have not ended. */
  flights = 0

  constructor(rule: Rule) {
    this.rule = rule
    this.#baseMs = rule.dueMs ?? 0
  }

  get eligible(): boolean {
    return this.rule.enabled && this.rule.status === 'active'
  }

  /** What is due up to now, and for a kernel that is free the next that will be due within the look-ahead. */
  collect(line: Line, now: number, taken: number): Collected {
    const due = this.#takeOwed(line, now)
    if (!this.eligible) return { due, missed: 0 }
    const room = targetsPerPassMax - taken
    const ofBeats = targetsOf(this.rule.trigger, line.markers)
    const found = ofBeats ? this.#collectBeats(line, ofBeats, now, room, due) : this.#collectTimes(line, now, room, due)
    return { due, missed: found }
  }

  /** When `collect` will find something new; undefined if it never will as things are. */
  nextAt(line: Line): number | undefined {
    const owed = this.#owed.map((due) => this.#owedAt(due, line)).filter((at) => at !== undefined)
    const next = this.nextDue(line)
    const all = next === undefined ? owed : [...owed, next.dueMs]
    return all.length === 0 ? undefined : Math.min(...all) - this.#aheadMs(line)
  }

  /** The next firing that time or beats will ask for. */
  nextDue(line: Line): { readonly dueMs: number; readonly spot: Spot | undefined } | undefined {
    if (!this.eligible) return undefined
    const targets = targetsOf(this.rule.trigger, line.markers)
    if (!targets) return this.rule.dueMs === null ? undefined : { dueMs: this.rule.dueMs, spot: undefined }
    const spot = this.#nextSpot(line, targets)
    return spot && { spot, dueMs: instantOf(line.transport, spot) - this.rule.leadMs }
  }

  /** The beat was set: nothing of before holds. */
  jump(): void {
    this.#done = undefined
    this.#owed = this.#owed.filter(({ targetBeat }) => targetBeat === null)
    if (this.held && this.held.targetBeat !== null) this.held = undefined
  }

  /** The line now starts from `here`. A loop that changed has other laps. */
  reanchor(here: Spot, before: Transport, loopChanged: boolean): void {
    const done = this.#done
    if (done) {
      const lap = done.lap - here.lap
      this.#done = lap < 0 || (loopChanged && lap > 0) ? undefined : { lap, beat: done.beat }
    }
    this.#owed = this.#owed.map((due) => shifted(due, here, before))
  }

  owe(due: Due): void {
    this.#owed.push(due)
  }

  /** Disabled: what was still to be is not to be any more. */
  drop(): void {
    this.#owed = []
    this.held = undefined
  }

  /** Registered, or enabled again: times that went by meanwhile are not made up for. */
  skipPast(now: number): void {
    const { rule } = this
    if (rule.trigger.kind !== 'every' || rule.dueMs === null) return
    const period = rule.trigger.seconds * 1000
    this.#number = Math.max(this.#number, Math.floor((now - this.#baseMs) / period))
    while (this.#baseMs + this.#number * period <= now) this.#number += 1
    rule.dueMs = this.#baseMs + this.#number * period
  }

  #aheadMs({ hasKernel }: Line): number {
    // While a firing is on its way nobody knows whether the next one must be suppressed.
    return hasKernel && needsKernel(this.rule.action) && this.flights === 0 ? lookAheadMs : 0
  }

  #isReady(dueMs: number, line: Line, now: number, due: readonly Due[]): boolean {
    return dueMs <= now || (due.length === 0 && dueMs - this.#aheadMs(line) <= now)
  }

  #nextSpot(line: Line, targets: Targets): Spot | undefined {
    if (line.transport.state !== 'playing') return undefined
    const from = this.#from(line)
    return nextTarget(line.transport, targets, from, from === line.cursor && line.closed)
  }

  #from({ cursor }: Line): Spot {
    return this.#done && !isAfter(cursor, this.#done) ? this.#done : cursor
  }

  #collectBeats(line: Line, targets: Targets, now: number, room: number, due: Due[]): number {
    const { transport } = line
    if (transport.state !== 'playing') return 0
    // Those that have begun, by their lead, count as reached.
    const reached = spotAt(transport, now + this.rule.leadMs)
    for (;;) {
      const spot = this.#nextSpot(line, targets)
      if (!spot) return 0
      const dueMs = instantOf(transport, spot) - this.rule.leadMs
      const crossed = !isAfter(spot, reached)
      if (!crossed && !this.#isReady(dueMs, line, now, due)) return 0
      if (crossed && due.length >= room) {
        const from = this.#from(line)
        const missed = countTargets(transport, targets, from, from === line.cursor && line.closed, reached)
        this.#done = reached
        return missed
      }
      const atJump = line.closed && spot.lap === 0 && spot.beat === line.cursor.beat
      due.push(this.#beatDue(spot, dueMs, atJump ? line.jumpDepth + 1 : 1))
      this.#done = spot
    }
  }

  #beatDue(spot: Spot, dueMs: number, depth: number): Due {
    const { trigger } = this.rule
    const marker = trigger.kind === 'marker' ? trigger.name : null
    return { ...dueAt(this, dueMs, { depth }), spot, targetBeat: spot.beat, marker }
  }

  #collectTimes(line: Line, now: number, room: number, due: Due[]): number {
    const { rule } = this
    while (rule.dueMs !== null && this.#isReady(rule.dueMs, line, now, due)) {
      if (due.length >= room && rule.trigger.kind === 'every') {
        const before = this.#number
        this.skipPast(now)
        return this.#number - before
      }
      due.push(dueAt(this, rule.dueMs))
      this.#number += 1
      rule.dueMs = rule.trigger.kind === 'every' ? this.#baseMs + this.#number * rule.trigger.seconds * 1000 : null
    }
    return 0
  }

  #takeOwed(line: Line, now: number): Due[] {
    const due: Due[] = []
    this.#owed = this.#owed.filter((owed) => {
      const dueMs = this.#owedAt(owed, line)
      if (dueMs === undefined || !this.#isReady(dueMs, line, now, due)) return !isGone(owed, line)
      due.push({ ...owed, dueMs })
      return false
    })
    return due
  }

  /** Undefined while the clock stands, for what a beat asked for, and for a place that the line no longer comes to. */
  #owedAt(due: Due, line: Line): number | undefined {
    if (due.targetBeat === null) return due.dueMs
    if (line.transport.state !== 'playing' || isGone(due, line)) return undefined
    return due.spot ? instantOf(line.transport, due.spot) - this.rule.leadMs : due.dueMs
  }
}

/** A firing that no beat asks for. */
export function dueAt(
  track: RuleTrack,
  dueMs: number,
  { event = null, depth = 1, forced = false }: Partial<Pick<Due, 'event' | 'depth' | 'forced'>> = {},
): Due {
  return { track, dueMs, spot: undefined, targetBeat: null, marker: null, event, depth, forced }
}

/** As seen from a new anchor: what is behind keeps the instant at which it was due, for that clock is over. */
export function shifted(due: Due, here: Spot, before: Transport): Due {
  const { spot } = due
  if (!spot) return due
  if (isAfter(spot, here)) return { ...due, spot: { lap: spot.lap - here.lap, beat: spot.beat } }
  return { ...due, spot: undefined, dueMs: instantOf(before, spot) - due.track.rule.leadMs }
}

/** A later lap of a loop that is no more, a place beyond the end of a new one, a marker that was moved. */
function isGone({ spot, marker, targetBeat }: Due, { transport, markers }: Line): boolean {
  if (marker !== null && markers.get(marker) !== targetBeat) return true
  if (!spot) return false
  const { loop } = transport
  if (loop === null || !wraps(transport)) return spot.lap > 0
  return spot.beat >= loop.end || (spot.lap > 0 && spot.beat < loop.start)
}
