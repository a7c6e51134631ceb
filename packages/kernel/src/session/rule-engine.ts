import { bpmDefault, chainDepthMax, firingsPerSecondMax, lookAheadMs, targetsPerPassMax } from '../limits.js'
import { needsKernel } from './action.js'
import { BeatWaits } from './beat-waits.js'
import { beatAt, playedAt, type Transport, type TransportCommand } from './clock.js'
import type { EngineEffect, EngineEvent } from './engine-messages.js'
import { FiringRate } from './firing-rate.js'
import { type Flight, Flights } from './flights.js'
import { type Move, Playhead } from './playhead.js'
import {
  countOutcome,
  type EngineEventData,
  type FiringOutcome,
  fits,
  idlePriority,
  type LogOutcome,
  matches,
  type Rule,
} from './rule.js'
import { type Due, dueAt, type Line, RuleTrack, shifted } from './rule-track.js'

/**
 * The clock and the rules of one session, as a state machine: events go in with the time, effects come out. A tick at
 * `nextDeadline` moves it. What is due has its turn before an event acts, so no change can undo what was before it.
 */
export class RuleEngine {
  readonly #playhead: Playhead
  readonly #markers = new Map<string, number>()
  readonly #tracks = new Map<string, RuleTrack>()
  readonly #flights = new Flights()
  readonly #waits = new BeatWaits()
  readonly #rate = new FiringRate(firingsPerSecondMax)
  #hasKernel = false
  #cellsRun = false
  #queue: Due[] = []
  #taken = new Map<RuleTrack, number>()
  #passes = 0
  #now: number
  #effects: EngineEffect[] = []

  constructor(now: number, transport?: Transport) {
    this.#now = now
    this.#playhead = new Playhead(now, transport)
  }

  get transport(): Transport {
    return this.#playhead.transport
  }

  rule(id: string): Rule | undefined {
    return this.#tracks.get(id)?.rule
  }

  /** By creation. */
  get rules(): readonly Rule[] {
    return [...this.#tracks.values()].map(({ rule }) => rule)
  }

  step(event: EngineEvent, time: number): readonly EngineEffect[] {
    this.#now = Math.max(this.#now, time)
    this.#passes += 1
    this.#taken.clear()
    this.#effects = []
    if (isNews(event)) {
      this.#apply(event)
      return this.#effects
    }
    this.#pass()
    if (event.type !== 'tick') {
      this.#apply(event)
      this.#pass()
    }
    return this.#effects
  }

  /** Milliseconds of the same clock; undefined when nothing will ever be due as things are. */
  nextDeadline(): number | undefined {
    const line = this.#line()
    let next = this.#waits.nextAt
    for (const track of this.#tracks.values()) {
      const at = track.nextAt(line)
      if (at !== undefined && !(at >= (next ?? Infinity))) next = at
    }
    return next
  }

  /** Of a rule: the target or the instant that comes next; both null if none is known. */
  nextFire(id: string): { readonly beat: number | null; readonly atMs: number | null } {
    const track = this.#tracks.get(id)
    const next = track?.nextDue(this.#line())
    if (next) return next.spot ? { beat: next.spot.beat, atMs: null } : { beat: null, atMs: next.dueMs }
    return { beat: null, atMs: null }
  }

  get markers(): ReadonlyMap<string, number> {
    return this.#markers
  }

  beat(time: number): number {
    return beatAt(this.transport, Math.max(this.#now, time))
  }

  /** All beats played so far; jumps are none. */
  played(time: number): number {
    return playedAt(this.transport, Math.max(this.#now, time))
  }

  /** Of the deepest firing that runs in the kernel at present, else 0: what it causes is one deeper. */
  get runningDepth(): number {
    return Math.max(0, ...this.#flights.inKernel().map(({ began, depth }) => (began ? depth : 0)))
  }

  #apply(event: Exclude<EngineEvent, { type: 'tick' }>): void {
    switch (event.type) {
      case 'transport':
        return this.#command(event.command, event.depth)
      case 'rule_set':
        return this.#setRule(event.rule)
      case 'rule_removed':
        return this.#removeRule(event.id)
      case 'rule_enabled':
        return this.#enableRule(event.id, event.enabled)
      case 'rule_fired':
        return this.#fireByHand(event.id, event.depth)
      case 'marker_set':
        return this.#moveMarker(event.name, event.beat)
      case 'marker_removed':
        return this.#moveMarker(event.name, undefined)
      case 'event':
        return this.#hear(event.event, event.depth)
      case 'kernel':
        return this.#setKernel(event.present)
      case 'callbacks_lost':
        return this.#unbindAll()
      case 'cells':
        return this.#setCells(event.running)
      case 'fire_started':
        return this.#flights.started(event.firing, this.#now, event.late_s)
      case 'fire_ended':
        return this.#ended(event.firing, event.outcome, event.detail)
      case 'tool_ended':
        return this.#ended(event.firing, event.outcome, event.detail)
      case 'wait':
        return this.#waits.add(event.id, event.target, this.transport, this.#now)
      case 'wait_withdrawn':
        return this.#waits.delete(event.id)
      case 'cleared':
        return this.#clear()
      default:
        return event satisfies never
    }
  }

  // Passes -----------------------------------------------------------------------------------------------------------

  /** Until nothing is due any more: an action may have moved the clock, and with it what is due. */
  #pass(): void {
    do {
      this.#collect()
      for (let due = this.#takeFirst(); due; due = this.#takeFirst()) this.#dispatch(due)
    } while (this.#collect())
    for (const id of this.#waits.takeReached(this.#now)) this.#effects.push({ type: 'reached', id })
  }

  #collect(): boolean {
    const line = this.#line()
    for (const track of this.#tracks.values()) {
      const taken = this.#taken.get(track) ?? 0
      const { due, missed } = track.collect(line, this.#now, taken)
      if (due.length === 0 && missed === 0) continue
      this.#taken.set(track, taken + due.length)
      this.#queue.push(...due)
      if (missed > 0) this.#missMany(track.rule, missed)
    }
    this.#playhead.pass(this.#now)
    return this.#queue.length > 0
  }

  /** By due instant, then priority, then creation; looked for anew each time, because a firing may add others. */
  #takeFirst(): Due | undefined {
    let first = 0
    for (let index = 1; index < this.#queue.length; index += 1) {
      if (comesBefore(this.#queue[index]!, this.#queue[first]!)) first = index
    }
    return this.#queue.splice(first, 1)[0]
  }

  #line(): Line {
    return {
      transport: this.transport,
      markers: this.#markers,
      cursor: this.#playhead.cursor,
      closed: this.#playhead.closed,
      jumpDepth: this.#playhead.jumpDepth,
      hasKernel: this.#hasKernel,
    }
  }

  // Firings ----------------------------------------------------------------------------------------------------------

  #dispatch(due: Due): void {
    const { track } = due
    const { rule } = track
    if (this.#tracks.get(rule.id) !== track || !(due.forced || track.eligible)) return
    const lateMs = Math.max(0, this.#now - due.dueMs)
    if (rule.maxLateMs !== null && lateMs > rule.maxLateMs) {
      rule.missedCount += 1
      this.#close(due, 'late', `More than max_late_s (${rule.maxLateMs / 1000}) late.`)
      return
    }
    if (rule.priority === idlePriority && this.#cellsRun) {
      if (track.held) rule.suppressedCount += 1
      // No longer a place on the line: a change of the clock does not move it.
      track.held = { ...due, spot: undefined }
      return
    }
    if (needsKernel(rule.action) && !this.#hasKernel) {
      rule.missedCount += 1
      this.#close(due, 'missed', 'There was no Python process; a rule does not start one.')
      return
    }
    const hindrance = this.#hindrance(due, lateMs)
    if (hindrance !== undefined) {
      rule.suppressedCount += 1
      this.#close(due, 'suppressed', hindrance)
      return
    }
    this.#fire(due, lateMs)
  }

  /** Why it must not fire now. */
  #hindrance({ track, dueMs, depth, forced }: Due, lateMs: number): string | undefined {
    const { rule } = track
    // Those of this very pass stand for what a late timer let pass: they run one after the other.
    if (this.#flights.runs(track, this.#passes, this.#now)) return 'Its last firing was still running.'
    const sinceMs = rule.lastFiredMs === null ? Infinity : startOf(dueMs, lateMs) - rule.lastFiredMs
    if (!forced && rule.cooldownMs > 0 && sinceMs < rule.cooldownMs - roundingMs)
      return 'Within cooldown_s of its last firing.'
    if (depth > chainDepthMax) return `LimitError: firings that cause firings end after ${chainDepthMax}.`
    if (!this.#rate.admit(this.#now)) return `LimitError: more than ${firingsPerSecondMax} firings within a second.`
    return undefined
  }

  #fire(due: Due, lateMs: number): void {
    const { rule } = due.track
    const { action } = rule
    const before = rule.lastFiredMs
    rule.firedCount += 1
    rule.lastFiredMs = startOf(due.dueMs, lateMs)
    if (rule.maxFires !== null && rule.firedCount >= rule.maxFires) rule.status = 'done'
    switch (action.kind) {
      case 'call':
      case 'eval':
        return this.#handOut(due, this.#takeOff(due, before, 'handed_out'))
      case 'tool':
        this.#effects.push({
          type: 'call_tool',
          firing: this.#takeOff(due, before, 'started'),
          name: action.name,
          arguments: action.arguments,
        })
        return this.#ruleChanged(rule)
      case 'transport':
        this.#command(action.command, due.depth)
        break
      case 'emit':
        this.#effects.push({ type: 'emit', rule, name: action.name, depth: due.depth })
        break
      case 'notify':
        this.#effects.push({ type: 'notify', rule, text: action.text, depth: due.depth })
        break
      default:
        return action satisfies never
    }
    this.#close(due, countOutcome(rule, 'ok', null), null)
  }

  #takeOff(due: Due, lastFiredMs: number | null, state: Flight['state']): number {
    return this.#flights.add({
      due,
      state,
      pass: this.#passes,
      jump: this.#playhead.jumps,
      lastFiredMs,
      startedMs: Math.max(this.#now, due.dueMs),
      lateS: Math.max(0, this.#now - due.dueMs) / 1000,
    })
  }

  #handOut(due: Due, firing: number): void {
    const { rule } = due.track
    const delayMs = Math.max(0, due.dueMs - this.#now)
    this.#effects.push({
      type: 'hand_out',
      firing,
      generation: this.transport.generation,
      rule,
      delayMs,
      targetBeat: due.targetBeat,
      position: beatAt(this.transport, this.#now + delayMs),
      event: due.event,
      marker: due.marker,
    })
    this.#ruleChanged(rule)
  }

  #ended(firing: number, outcome: FiringOutcome | 'revoked', detail: string | null): void {
    const flight = this.#flights.take(firing)
    if (!flight) return
    if (outcome === 'revoked') return this.#returned(flight)
    const { due, startedMs, lateS } = flight
    const { rule } = due.track
    const logged = countOutcome(rule, outcome, detail)
    this.#log(due, startedMs, lateS, logged, detail)
  }

  /** It did not begin, so it did not happen; its turn comes again unless the beat was set meanwhile. */
  #returned({ due, jump, lastFiredMs }: Flight): void {
    const { track } = due
    const { rule } = track
    rule.firedCount -= 1
    rule.lastFiredMs = lastFiredMs
    if (rule.status === 'done') rule.status = 'active'
    if (track.eligible && (due.targetBeat === null || jump === this.#playhead.jumps)) track.owe(due)
    this.#ruleChanged(rule)
  }

  /** A turn that is over at once. */
  #close(due: Due, outcome: LogOutcome, detail: string | null): void {
    this.#log(due, this.#now, Math.max(0, this.#now - due.dueMs) / 1000, outcome, detail)
  }

  #log(due: Due, atMs: number, lateS: number, outcome: LogOutcome, detail: string | null): void {
    const { track, targetBeat } = due
    this.#effects.push({ type: 'log', rule: track.rule, targetBeat, atMs, lateS, outcome, detail })
    this.#finish(track)
    this.#ruleChanged(track.rule)
  }

  /** The one time of an `after` rule is over, whatever came of it. */
  #finish({ rule }: RuleTrack): void {
    if (rule.trigger.kind === 'after' && rule.dueMs === null && rule.status === 'active') rule.status = 'done'
  }

  #missMany(rule: Rule, missed: number): void {
    rule.missedCount += missed
    const detail = `${missed} more were due at once; at most ${targetsPerPassMax} fire.`
    this.#effects.push({ type: 'log', rule, targetBeat: null, atMs: this.#now, lateS: 0, outcome: 'missed', detail })
    this.#ruleChanged(rule)
  }

  #ruleChanged(rule: Rule): void {
    this.#effects.push({ type: 'rule_changed', rule })
  }

  // Clock ------------------------------------------------------------------------------------------------------------

  #command(command: TransportCommand, depth: number): void {
    const move = this.#playhead.change(command, this.#now, depth)
    if (!move) return
    this.#follow(move)
    this.#effects.push({ type: 'transport_changed', depth })
  }

  /** A kernel forgets by generations only: those of other rules come back, and go out again. */
  #revoke(concerned: (track: RuleTrack) => boolean): void {
    if (this.#flights.anyOut(concerned)) this.#follow(this.#playhead.renew(this.#now))
  }

  #follow({ here, before, loopChanged, jumped }: Move): void {
    for (const track of this.#tracks.values()) track.reanchor(here, before, loopChanged)
    this.#queue = this.#queue.flatMap((due) => {
      const moved = shifted(due, here, before)
      if (moved.spot === undefined) return [moved]
      // Not reached yet, or by its lead alone: when it is due is another question now.
      moved.track.owe(moved)
      return []
    })
    if (this.#flights.takeBack(here, before)) this.#effects.push({ type: 'revoke', generation: before.generation })
    if (jumped) {
      this.#queue = this.#queue.filter(({ targetBeat }) => targetBeat === null)
      for (const track of this.#tracks.values()) track.jump()
    }
    this.#waits.follow(this.transport, this.#now)
  }

  // Rules, markers, events -------------------------------------------------------------------------------------------

  #setRule(rule: Rule): void {
    this.#revoke((track) => track.rule.id === rule.id)
    this.#tracks.delete(rule.id)
    const track = new RuleTrack(rule)
    track.skipPast(this.#now)
    this.#tracks.set(rule.id, track)
  }

  #removeRule(id: string): void {
    this.#revoke((track) => track.rule.id === id)
    this.#tracks.delete(id)
  }

  #enableRule(id: string, enabled: boolean): void {
    const track = this.#tracks.get(id)
    if (!track) return
    const { rule } = track
    if (!enabled) this.#revoke((other) => other === track)
    rule.enabled = enabled
    if (!enabled) track.drop()
    else {
      if (rule.status === 'errored') rule.status = 'active'
      rule.errorCount = 0
      track.skipPast(this.#now)
    }
    this.#ruleChanged(rule)
  }

  #fireByHand(id: string, depth: number): void {
    const track = this.#tracks.get(id)
    if (!track) return
    this.#queue.push(dueAt(track, this.#now, { depth: depth + 1, forced: true }))
  }

  #moveMarker(name: string, beat: number | undefined): void {
    const waitsFor = ({ rule: { trigger } }: RuleTrack) => trigger.kind === 'marker' && trigger.name === name
    if (this.#markers.get(name) !== beat) this.#revoke(waitsFor)
    if (beat === undefined) this.#markers.delete(name)
    else this.#markers.set(name, beat)
  }

  #hear(event: EngineEventData, depth: number): void {
    for (const track of this.#tracks.values()) {
      const { trigger, where } = track.rule
      if (trigger.kind !== 'event' || !track.eligible) continue
      if (!matches(trigger.pattern, event.type) || !fits(where, event.data)) continue
      this.#queue.push(dueAt(track, this.#now, { event, depth: depth + 1 }))
    }
  }

  // Kernel -----------------------------------------------------------------------------------------------------------

  #setKernel(present: boolean): void {
    this.#hasKernel = present
    if (present) return
    this.#setCells(false)
    for (const { firing, began } of this.#flights.inKernel()) {
      const detail = began ? 'The Python process ended while it ran.' : 'The Python process ended before it began.'
      this.#ended(firing, began ? 'error' : 'missed', detail)
    }
    this.#unbindAll()
  }

  #unbindAll(): void {
    this.#revoke(({ rule }) => rule.action.kind === 'call')
    for (const { rule } of this.#tracks.values()) {
      if (rule.action.kind !== 'call' || rule.status !== 'active') continue
      rule.status = 'unbound'
      this.#ruleChanged(rule)
    }
  }

  #setCells(running: boolean): void {
    this.#cellsRun = running
    if (running) return
    for (const track of this.#tracks.values()) {
      if (track.held) this.#queue.push(track.held)
      track.held = undefined
    }
  }

  #clear(): void {
    this.#revoke(() => true)
    this.#tracks.clear()
    this.#markers.clear()
    this.#queue = []
    this.#command({ do: 'stop' }, 0)
    this.#command({ do: 'loop', loop: null }, 0)
    this.#command({ do: 'tempo', bpm: bpmDefault }, 0)
  }
}

/** Instants that differ by less are the same: sums of milliseconds are not exact. */
const roundingMs = 1e-6

/** A start within the look-ahead of its instant is on time: cooldowns must not depend on what a timer makes of it. */
function startOf(dueMs: number, lateMs: number): number {
  return lateMs <= lookAheadMs ? dueMs : dueMs + lateMs
}

function comesBefore(one: Due, other: Due): boolean {
  if (Math.abs(one.dueMs - other.dueMs) > roundingMs) return one.dueMs < other.dueMs
  if (one.track.rule.priority !== other.track.rule.priority) return one.track.rule.priority < other.track.rule.priority
  return one.track.rule.createdAt < other.track.rule.createdAt
}

/**
 * Of something that is over already. What is due waits for the next tick, which is at once: a rule must not be suppressed
 * because the news that its firing has ended is only the next to be read.
 */
function isNews(
  event: EngineEvent,
): event is Extract<EngineEvent, { type: 'fire_started' | 'fire_ended' | 'tool_ended' }> {
  return event.type === 'fire_started' || event.type === 'fire_ended' || event.type === 'tool_ended'
}
