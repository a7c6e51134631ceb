import { bpmDefault } from '../limits.js'
import { BeatWaits } from './beat-waits.js'
import { beatAt, playedAt, type Transport, type TransportCommand } from './clock.js'
import type { EngineEffect, EngineEvent } from './engine-messages.js'
import { type Move, Playhead } from './playhead.js'
import { type EngineEventData, fits, matches, type Rule } from './rule.js'
import { type Due, dueAt, type Line, RuleTrack, shifted } from './rule-track.js'
import { roundingMs, type TurnStage, Turns } from './turns.js'

/**
 * The clock and the rules of one session, as a state machine: events go in with the time, effects come out. A tick at
 * `nextDeadline` moves it. What is due has its turn before an event acts, so no change can undo what was before it.
 */
export class RuleEngine {
  readonly #playhead: Playhead
  readonly #markers = new Map<string, number>()
  readonly #tracks = new Map<string, RuleTrack>()
  readonly #turns: Turns
  readonly #waits = new BeatWaits()
  /** The first is last, once it is sorted. */
  #queue: Due[] = []
  #sorted = true
  #taken = new Map<RuleTrack, number>()
  #passes = 0
  #now: number
  #effects: EngineEffect[] = []

  constructor(now: number, transport?: Transport) {
    this.#now = now
    this.#playhead = new Playhead(now, transport)
    this.#turns = new Turns(this.#stage())
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

  /** How many firings have led to what this one does, itself counted; 0 for one that is over. */
  depthOf(firing: number): number {
    return this.#turns.flights.depthOf(firing)
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
        return this.#turns.flights.started(event.firing, this.#now, event.late_s)
      case 'fire_ended':
        return this.#turns.ended(event.firing, event.outcome, event.detail)
      case 'tool_ended':
        return this.#turns.ended(event.firing, event.outcome, event.detail)
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
      for (let due = this.#takeFirst(); due; due = this.#takeFirst()) this.#turns.take(due)
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
      this.#add(...due)
      if (missed > 0) this.#turns.missMany(track.rule, missed)
    }
    this.#playhead.pass(this.#now)
    return this.#queue.length > 0
  }

  /** By due instant, then priority, then creation; sorted anew whenever something was added. */
  #takeFirst(): Due | undefined {
    if (!this.#sorted) this.#queue.sort((one, other) => order(other, one))
    this.#sorted = true
    return this.#queue.pop()
  }

  #add(...due: readonly Due[]): void {
    this.#queue.push(...due)
    this.#sorted = false
  }

  #line(): Line {
    return {
      transport: this.transport,
      markers: this.#markers,
      cursor: this.#playhead.cursor,
      closed: this.#playhead.closed,
      jumpDepth: this.#playhead.jumpDepth,
      hasKernel: this.#turns.hasKernel,
    }
  }

  #stage(): TurnStage {
    const engine = this
    return {
      playhead: this.#playhead,
      get now() {
        return engine.#now
      },
      get pass() {
        return engine.#passes
      },
      isCurrent: (track) => this.#tracks.get(track.rule.id) === track,
      command: (command, depth) => this.#command(command, depth),
      effect: (effect) => this.#effects.push(effect),
    }
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
    if (this.#turns.flights.anyOut(concerned)) this.#follow(this.#playhead.renew(this.#now))
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
    if (this.#turns.flights.takeBack(here, before))
      this.#effects.push({ type: 'revoke', generation: before.generation })
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
    this.#turns.ruleChanged(rule)
  }

  #fireByHand(id: string, depth: number): void {
    const track = this.#tracks.get(id)
    if (!track) return
    this.#add(dueAt(track, this.#now, { depth: depth + 1, forced: true }))
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
      this.#add(dueAt(track, this.#now, { event, depth: depth + 1 }))
    }
  }

  // Kernel -----------------------------------------------------------------------------------------------------------

  #setKernel(present: boolean): void {
    this.#turns.hasKernel = present
    if (present) return
    this.#setCells(false)
    for (const { firing, began } of this.#turns.flights.inKernel()) {
      const detail = began ? 'The Python process ended while it ran.' : 'The Python process ended before it began.'
      this.#turns.ended(firing, began ? 'error' : 'missed', detail)
    }
    this.#unbindAll()
  }

  #unbindAll(): void {
    this.#revoke(({ rule }) => rule.action.kind === 'call')
    for (const { rule } of this.#tracks.values()) {
      if (rule.action.kind !== 'call' || rule.status !== 'active') continue
      rule.status = 'unbound'
      this.#turns.ruleChanged(rule)
    }
  }

  #setCells(running: boolean): void {
    this.#turns.cellsRun = running
    if (running) return
    for (const track of this.#tracks.values()) {
      if (track.held) this.#add(track.held)
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

function order(one: Due, other: Due): number {
  const [a, b] = [one.track.rule, other.track.rule]
  if (Math.abs(one.dueMs - other.dueMs) > roundingMs) return one.dueMs - other.dueMs
  return a.priority - b.priority || a.createdAt - b.createdAt
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
