import type { Action } from '../../src/session/action.js'
import { parseAction } from '../../src/session/action.js'
import type { TransportCommand } from '../../src/session/clock.js'
import type { EngineEffect, EngineEvent } from '../../src/session/engine-messages.js'
import { priorities, type Rule } from '../../src/session/rule.js'
import { RuleEngine } from '../../src/session/rule-engine.js'
import { parseTrigger } from '../../src/session/trigger.js'

export interface Fired {
  readonly rule: string
  readonly beat: number | null
  /** Seconds of the virtual clock at which it began. */
  readonly at: number
  readonly lateS: number
}

interface Firing extends Fired {
  readonly firing: number
  readonly dueMs: number
  readonly generation: number
}

export interface RuleOptions {
  readonly priority?: (typeof priorities)[number]
  readonly maxFires?: number
  readonly cooldownS?: number
  readonly leadS?: number
  readonly maxLateS?: number
  readonly where?: Rule['where']
  readonly enabled?: boolean
}

/** A rule engine with a virtual clock and a kernel that obeys at once, or when it is told to. */
export class Rehearsal {
  readonly engine: RuleEngine
  /** In the order in which callbacks began and worker actions were done. */
  readonly fired: Fired[] = []
  readonly effects: EngineEffect[] = []
  nowMs = 0
  /** How long each callback runs; `open`: until `finish`. */
  runs: 'at once' | 'open' = 'at once'
  /** A kernel that hears of a revocation only after so many seconds. */
  answersAfterS = 0
  readonly running: number[] = []
  #handed: Firing[] = []
  #answers: { readonly at: number; readonly event: EngineEvent }[] = []
  #created = 0

  constructor(options: { readonly kernel?: boolean } = {}) {
    this.engine = new RuleEngine(0)
    if (options.kernel !== false) this.step({ type: 'kernel', present: true })
  }

  rule(name: string, trigger: string, action = `call:${name}`, options: RuleOptions = {}): Rule {
    const rule = ruleOf(name, trigger, parseAction(action), options, ++this.#created, this.now)
    this.step({ type: 'rule_set', rule })
    return rule
  }

  /** Seconds. */
  get now(): number {
    return this.nowMs / 1000
  }

  set now(seconds: number) {
    this.nowMs = seconds * 1000
  }

  /** A late timer: nothing has happened since the last call. */
  tickAt(seconds: number): void {
    this.tickAtMs(seconds * 1000)
  }

  tickAtMs(now: number): void {
    this.nowMs = now
    this.#begin()
    this.step({ type: 'tick' })
    this.#begin()
  }

  /** As a shell does it: a tick at each deadline. */
  runTo(seconds: number): void {
    for (let steps = 0; ; steps += 1) {
      if (steps > 100_000) throw new Error(`spins at ${this.now} s`)
      const next = this.#nextAt()
      if (next === undefined || next > seconds * 1000) break
      this.tickAtMs(Math.max(this.nowMs, next))
    }
    this.now = seconds
  }

  command(command: TransportCommand): void {
    this.step({ type: 'transport', command, depth: 0 })
    this.#begin()
  }

  play(fromBeat?: number): void {
    this.command({ do: 'play', ...(fromBeat !== undefined && { fromBeat }) })
  }

  seek(beat: number): void {
    this.command({ do: 'seek', beat })
  }

  tempo(bpm: number): void {
    this.command({ do: 'tempo', bpm })
  }

  loop(start: number, end: number): void {
    this.command({ do: 'loop', loop: { start, end } })
  }

  marker(name: string, beat: number): void {
    this.step({ type: 'marker_set', name, beat })
  }

  event(type: string, data: unknown = null, depth = 0): void {
    this.step({ type: 'event', event: { cursor: '', type, data, time: '' }, depth })
    this.#begin()
  }

  finish(outcome: 'ok' | 'error' = 'ok'): void {
    const firing = this.running.shift()!
    this.step({ type: 'fire_ended', firing, outcome, detail: outcome === 'ok' ? null : 'ValueError: no' })
  }

  step(event: EngineEvent): void {
    for (const effect of this.engine.step(event, this.nowMs)) this.#perform(effect)
  }

  get beat(): number {
    return this.engine.beat(this.nowMs)
  }

  /** Beats at which a rule fired. */
  beats(rule: string): (number | null)[] {
    return this.fired.filter((fired) => fired.rule === rule).map(({ beat }) => beat)
  }

  /** Seconds at which a rule fired. */
  times(rule: string): number[] {
    return this.fired.filter((fired) => fired.rule === rule).map(({ at }) => rounded(at))
  }

  logs(rule: string): { readonly outcome: string; readonly detail: string | null; readonly lateS: number }[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'log' && effect.rule.name === rule
        ? [{ outcome: effect.outcome, detail: effect.detail, lateS: effect.lateS }]
        : [],
    )
  }

  #perform(effect: EngineEffect): void {
    this.effects.push(effect)
    const { now } = this
    switch (effect.type) {
      case 'hand_out':
        this.#handed.push({
          firing: effect.firing,
          rule: effect.rule.name,
          beat: effect.targetBeat,
          at: now + effect.delayMs / 1000,
          dueMs: this.nowMs + effect.delayMs,
          generation: effect.generation,
          lateS: 0,
        })
        return
      case 'revoke':
        this.#takeBack(effect.generation)
        return
      case 'log':
        if (effect.outcome === 'ok' && !['call', 'eval', 'tool'].includes(effect.rule.action.kind)) {
          this.fired.push({ rule: effect.rule.name, beat: effect.targetBeat, at: now, lateS: effect.lateS })
        }
        return
      default:
    }
  }

  #takeBack(generation: number): void {
    const back = this.#handed.filter((firing) => firing.generation <= generation)
    this.#handed = this.#handed.filter((firing) => firing.generation > generation)
    for (const { firing } of back) {
      const at = this.nowMs + this.answersAfterS * 1000
      this.#answers.push({ at, event: { type: 'fire_ended', firing, outcome: 'revoked', detail: null } })
    }
  }

  /** What the kernel does up to now. */
  #begin(): void {
    for (;;) {
      const answer = this.#answers.findIndex(({ at }) => at <= this.nowMs)
      if (answer >= 0) {
        this.step(this.#answers.splice(answer, 1)[0]!.event)
        continue
      }
      const ready = this.#handed.filter(({ dueMs }) => dueMs <= this.nowMs)[0]
      if (!ready) return
      this.#handed.splice(this.#handed.indexOf(ready), 1)
      this.fired.push({ rule: ready.rule, beat: ready.beat, at: this.now, lateS: 0 })
      this.step({ type: 'fire_started', firing: ready.firing, late_s: 0 })
      if (this.runs === 'open') this.running.push(ready.firing)
      else this.step({ type: 'fire_ended', firing: ready.firing, outcome: 'ok', detail: null })
    }
  }

  #nextAt(): number | undefined {
    const deadline = this.engine.nextDeadline()
    const all = [
      ...(deadline === undefined ? [] : [deadline]),
      ...this.#handed.map(({ dueMs }) => dueMs),
      ...this.#answers.map(({ at }) => at),
    ]
    return all.length === 0 ? undefined : Math.min(...all)
  }
}

export function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}

function ruleOf(
  name: string,
  trigger: string,
  action: Action,
  options: RuleOptions,
  createdAt: number,
  now: number,
): Rule {
  const parsed = parseTrigger(trigger)
  const timed = parsed.kind === 'every' || parsed.kind === 'after'
  const once = parsed.kind === 'at' || parsed.kind === 'after'
  return {
    id: name,
    name,
    trigger: parsed,
    action,
    source: null,
    priority: priorities.indexOf(options.priority ?? 'normal'),
    maxFires: options.maxFires ?? (once ? 1 : null),
    cooldownMs: (options.cooldownS ?? 0) * 1000,
    leadMs: (options.leadS ?? 0) * 1000,
    maxLateMs: options.maxLateS === undefined ? null : options.maxLateS * 1000,
    limitS: 5,
    where: options.where ?? null,
    createdAt,
    enabled: options.enabled ?? true,
    status: 'active',
    firedCount: 0,
    suppressedCount: 0,
    missedCount: 0,
    errorCount: 0,
    lastFiredMs: null,
    lastError: null,
    dueMs: timed ? (now + parsed.seconds) * 1000 : null,
  }
}
