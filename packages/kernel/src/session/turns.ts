import { chainDepthMax, firingsPerSecondMax, lookAheadMs, targetsPerPassMax } from '../limits.js'
import { needsKernel } from './action.js'
import { beatAt, type TransportCommand } from './clock.js'
import type { EngineEffect } from './engine-messages.js'
import { FiringRate } from './firing-rate.js'
import { type Flight, Flights } from './flights.js'
import type { Playhead } from './playhead.js'
import { countOutcome, type FiringOutcome, idlePriority, type LogOutcome, type Rule } from './rule.js'
import type { Due, RuleTrack } from './rule-track.js'

/** What the engine is, to what has its turn. */
export interface TurnStage {
  readonly now: number
  /** Number of the engine's step. */
  readonly pass: number
  readonly playhead: Playhead
  /** False once the rule was removed or replaced. */
  isCurrent(track: RuleTrack): boolean
  command(command: TransportCommand, depth: number): void
  effect(effect: EngineEffect): void
}

/** What becomes of a firing whose turn has come: held, suppressed, missed or fired; and what came of it. */
export class Turns {
  readonly flights = new Flights()
  hasKernel = false
  cellsRun = false
  readonly #stage: TurnStage
  readonly #rate = new FiringRate(firingsPerSecondMax)

  constructor(stage: TurnStage) {
    this.#stage = stage
  }

  take(due: Due): void {
    const { track } = due
    const { rule } = track
    if (!this.#stage.isCurrent(track) || !(due.forced || track.eligible)) return
    const lateMs = Math.max(0, this.#stage.now - due.dueMs)
    if (rule.maxLateMs !== null && lateMs > rule.maxLateMs) {
      rule.missedCount += 1
      this.#close(due, 'late', `More than max_late_s (${rule.maxLateMs / 1000}) late.`)
      return
    }
    if (rule.priority === idlePriority && this.cellsRun) {
      if (track.held) rule.suppressedCount += 1
      // No longer a place on the line: a change of the clock does not move it.
      track.held = { ...due, spot: undefined }
      return
    }
    if (needsKernel(rule.action) && !this.hasKernel) {
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
    if (this.flights.runs(track, this.#stage.pass, this.#stage.now)) return 'Its last firing was still running.'
    const sinceMs = rule.lastFiredMs === null ? Infinity : startOf(dueMs, lateMs) - rule.lastFiredMs
    if (!forced && rule.cooldownMs > 0 && sinceMs < rule.cooldownMs - roundingMs)
      return 'Within cooldown_s of its last firing.'
    if (depth > chainDepthMax) return `LimitError: firings that cause firings end after ${chainDepthMax}.`
    if (!this.#rate.admit(this.#stage.now))
      return `LimitError: more than ${firingsPerSecondMax} firings within a second.`
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
        this.#stage.effect({
          type: 'call_tool',
          firing: this.#takeOff(due, before, 'started'),
          name: action.name,
          arguments: action.arguments,
        })
        return this.ruleChanged(rule)
      case 'transport':
        this.#stage.command(action.command, due.depth)
        break
      case 'emit':
        this.#stage.effect({ type: 'emit', rule, name: action.name, depth: due.depth })
        break
      case 'notify':
        this.#stage.effect({ type: 'notify', rule, text: action.text, depth: due.depth })
        break
      default:
        return action satisfies never
    }
    this.#close(due, countOutcome(rule, 'ok', null), null)
  }

  #takeOff(due: Due, lastFiredMs: number | null, state: Flight['state']): number {
    return this.flights.add({
      due,
      state,
      pass: this.#stage.pass,
      jump: this.#stage.playhead.jumps,
      lastFiredMs,
      startedMs: Math.max(this.#stage.now, due.dueMs),
      lateS: Math.max(0, this.#stage.now - due.dueMs) / 1000,
    })
  }

  #handOut(due: Due, firing: number): void {
    const { rule } = due.track
    const delayMs = Math.max(0, due.dueMs - this.#stage.now)
    this.#stage.effect({
      type: 'hand_out',
      firing,
      generation: this.#stage.playhead.transport.generation,
      rule,
      delayMs,
      targetBeat: due.targetBeat,
      position: beatAt(this.#stage.playhead.transport, this.#stage.now + delayMs),
      event: due.event,
      marker: due.marker,
    })
    this.ruleChanged(rule)
  }

  ended(firing: number, outcome: FiringOutcome | 'revoked', detail: string | null): void {
    const flight = this.flights.take(firing)
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
    if (track.eligible && (due.targetBeat === null || jump === this.#stage.playhead.jumps)) track.owe(due)
    this.ruleChanged(rule)
  }

  /** A turn that is over at once. */
  #close(due: Due, outcome: LogOutcome, detail: string | null): void {
    this.#log(due, this.#stage.now, Math.max(0, this.#stage.now - due.dueMs) / 1000, outcome, detail)
  }

  #log(due: Due, atMs: number, lateS: number, outcome: LogOutcome, detail: string | null): void {
    const { track, targetBeat } = due
    this.#stage.effect({ type: 'log', rule: track.rule, targetBeat, atMs, lateS, outcome, detail })
    this.#finish(track)
    this.ruleChanged(track.rule)
  }

  /** The one time of an `after` rule is over, whatever came of it. */
  #finish({ rule }: RuleTrack): void {
    if (rule.trigger.kind === 'after' && rule.dueMs === null && rule.status === 'active') rule.status = 'done'
  }

  missMany(rule: Rule, missed: number): void {
    rule.missedCount += missed
    const detail = `${missed} more were due at once; at most ${targetsPerPassMax} fire.`
    this.#stage.effect({
      type: 'log',
      rule,
      targetBeat: null,
      atMs: this.#stage.now,
      lateS: 0,
      outcome: 'missed',
      detail,
    })
    this.ruleChanged(rule)
  }

  ruleChanged(rule: Rule): void {
    this.#stage.effect({ type: 'rule_changed', rule })
  }
}

/** Instants that differ by less are the same: sums of milliseconds are not exact. */
export const roundingMs = 1e-6

/** A start within the look-ahead of its instant is on time: cooldowns must not depend on what a timer makes of it. */
function startOf(dueMs: number, lateMs: number): number {
  return lateMs <= lookAheadMs ? dueMs : dueMs + lateMs
}
