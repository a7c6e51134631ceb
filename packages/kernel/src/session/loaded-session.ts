import { ruleSaveMs, transportSaveMs } from '../limits.js'
import type { RuleLogRow, RuleRow, SessionContents } from '../records/session-contents.js'
import type { SessionRecord, SessionRecords, StoredTransport } from '../records/session-records.js'
import { initialTransport, type Transport, type TransportCommand } from './clock.js'
import type { EngineEffect, EngineEvent } from './engine-messages.js'
import type { Events } from './events.js'
import {
  type EventView,
  type MarkerView,
  ModuleError,
  type ModuleOrders,
  type SessionInfo,
  type TransportView,
} from './module-api.js'
import type { Rule } from './rule.js'
import { RuleEngine } from './rule-engine.js'
import { type Clocks, rowOf, ruleOf, toWall } from './rule-texts.js'

/** A kernel as its session sees it. */
export interface KernelPort {
  readonly key: string
  readonly owner: string
  readonly hasProcess: boolean
  /** A cell runs. */
  readonly busy: boolean
  tell<Method extends keyof ModuleOrders>(method: Method, params: ModuleOrders[Method]): void
  /** Within the live eval call, if there is one: throws a ModuleError (UnavailableError) if there is none. */
  callTool?(name: string, args: { readonly [name: string]: unknown }): Promise<unknown>
  /** For the next reply. */
  notify?(text: string): void
}

/** Injected, so that tests hold the time. */
export interface Timers {
  /** Returns what cancels it. */
  after(ms: number, action: () => void): () => void
}

export interface SessionHouse {
  readonly records: SessionRecords
  readonly contents: SessionContents
  readonly events: Events
  readonly clocks: Clocks
  readonly timers: Timers
  /** Publishes with the depth of what caused it. */
  publish(owner: string, type: string, data: unknown, depth: number): EventView
  /** A write that failed behind the back of whoever caused it. */
  failed(error: unknown): void
}

/** Log rows that may wait for the store, of all rules together. */
const unwrittenLogMax = 4_096

/** setTimeout takes 31 bits; longer times go in steps. */
const timerMsMax = 2_000_000_000

/** A session that a kernel has at present: the shell of its rule engine. One owner of its timers and writes. */
export class LoadedSession {
  readonly record: SessionRecord
  readonly kernel: string
  /** Whose kernel it is; of a shared session not the owner's. */
  readonly owner: string
  vibe: string | null
  shared: boolean
  readonly markers = new Map<string, MarkerView>()
  /** Ids by name of rules that are being stored. */
  readonly registering = new Map<string, string>()
  readonly #house: SessionHouse
  readonly #engine: RuleEngine
  readonly #waits = new Map<number, { resolve(beat: number): void; reject(error: ModuleError): void }>()
  readonly #dirty = new Set<Rule>()
  #log: RuleLogRow[] = []
  #port: KernelPort | undefined
  #waitSerial = 0
  #createdAt = 0
  #steps: EngineEvent[] | undefined
  #cancelTick = () => {}
  #cancelFlush: (() => void) | undefined
  #cancelSave: (() => void) | undefined
  /** Writes in order. */
  #written: Promise<void> = Promise.resolve()
  #closed = false

  /** Rules and markers come by `fill`. */
  constructor(record: SessionRecord, kernel: { readonly key: string; readonly owner: string }, house: SessionHouse) {
    this.record = record
    this.kernel = kernel.key
    this.owner = kernel.owner
    this.vibe = record.vibe
    this.shared = record.shared
    this.#house = house
    this.#engine = new RuleEngine(house.clocks.monotonic(), restored(record.transport))
  }

  /** Reads what is stored. `bound`: ids of callbacks that the process still has. */
  async fill(port: KernelPort | undefined, bound: ReadonlySet<string>): Promise<void> {
    const { contents } = this.#house
    const [markers, rows] = await Promise.all([contents.markers(this.record.id), contents.rules(this.record.id)])
    this.attach(port)
    for (const marker of markers) {
      this.markers.set(marker.name, marker)
      this.step({ type: 'marker_set', name: marker.name, beat: marker.beat })
    }
    for (const row of rows) {
      const rule = this.#read(row, bound.has(row.id))
      if (!rule) continue
      this.step({ type: 'rule_set', rule })
      // Of another owner's rules only this kernel's view differs.
      if (rule.status !== row.status && this.isOwn) this.#soil(rule)
    }
  }

  /** A row that a later version can't read must not lock the whole session. */
  #read(row: RuleRow, bound: boolean): Rule | undefined {
    try {
      return ruleOf(row, this.#house.clocks, { bound, trusted: this.isOwn })
    } catch (error) {
      this.#house.failed(error)
      return undefined
    }
  }

  /** Not one that another owner shares: that one's code must not run here, nor code of this kernel's agent run there later. */
  get isOwn(): boolean {
    return this.record.owner === this.owner
  }

  attach(port: KernelPort | undefined): void {
    const present = port?.hasProcess === true
    // The end of a process is told while there is still somebody to tell of revocations.
    if (!present) this.step({ type: 'kernel', present })
    this.#port = port
    if (present) this.step({ type: 'kernel', present })
    if (present && port.busy) this.step({ type: 'cells', running: true })
  }

  get rules(): readonly Rule[] {
    return this.#engine.rules
  }

  rule(id: string): Rule | undefined {
    return this.#engine.rule(id)
  }

  /** UTC ms, unique among the session's rules, so that their order of creation is one. */
  takeCreationTime(): number {
    const known = Math.max(0, ...this.rules.map(({ createdAt }) => createdAt))
    this.#createdAt = Math.max(this.#house.clocks.wall(), known + 1, this.#createdAt + 1)
    return this.#createdAt
  }

  /** Registers a rule that is stored already, in place of one with its id. */
  adopt(rule: Rule): void {
    this.registering.delete(rule.name)
    this.step({ type: 'rule_set', rule })
    // A count of the one that it replaces may have been written in between.
    this.#soil(rule)
  }

  nextFire(id: string) {
    return this.#engine.nextFire(id)
  }

  /** How many firings have led to what this one asks. */
  depthOf(firing: number): number {
    return this.#engine.depthOf(firing)
  }

  get info(): SessionInfo {
    const { id, name } = this.record
    return { id, name, vibe: this.vibe, tempo_bpm: this.#engine.transport.bpm }
  }

  get transport(): TransportView {
    const { state, bpm, loop } = this.#engine.transport
    return { state, position: this.beat, bpm, loop: loop && [loop.start, loop.end] }
  }

  get beat(): number {
    return this.#engine.beat(this.#house.clocks.monotonic())
  }

  /** What is stored of the clock, as of now. */
  get stored(): StoredTransport {
    const { state, bpm, loop } = this.#engine.transport
    return { state, beat: this.beat, at: state === 'playing' ? this.#house.clocks.wall() : null, bpm, loop }
  }

  /** Resolves when the change is stored. */
  command(command: TransportCommand, depth: number): Promise<void> {
    this.step({ type: 'transport', command, depth })
    return this.#written
  }

  /** Resolves with the beat when the clock is there; rejects when the session is switched away. */
  wait(target: { readonly beat: number } | { readonly beats: number }, signal: AbortSignal): Promise<number> {
    const played = this.#engine.played(this.#house.clocks.monotonic())
    const id = ++this.#waitSerial
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        this.#waits.delete(id)
        this.step({ type: 'wait_withdrawn', id })
      }
      signal.addEventListener('abort', withdraw, { once: true })
      const settled = () => signal.removeEventListener('abort', withdraw)
      this.#waits.set(id, {
        resolve(beat) {
          settled()
          resolve(beat)
        },
        reject(error) {
          settled()
          reject(error)
        },
      })
      this.step({
        type: 'wait',
        id,
        target: 'beat' in target ? { beat: target.beat } : { played: played + target.beats },
      })
    })
  }

  get waiting(): number {
    return this.#waits.size
  }

  /** Performs the effects in order; an event that an effect causes waits for its turn. */
  step(event: EngineEvent): void {
    if (this.#closed) return
    if (this.#steps) {
      this.#steps.push(event)
      return
    }
    this.#steps = [event]
    try {
      for (let next = this.#steps.shift(); next; next = this.#steps.shift()) {
        for (const effect of this.#engine.step(next, this.#house.clocks.monotonic())) this.#perform(effect)
      }
    } finally {
      this.#steps = undefined
    }
    this.#arm()
  }

  /** In order with all other writes of this session. */
  write(work: () => Promise<void>): Promise<void> {
    const done = this.#written.then(work)
    this.#written = done.catch(() => {})
    return done
  }

  /** Counters and logs that are not stored yet. */
  flush(): Promise<void> {
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
    const current = [...this.#dirty].filter((rule) => this.#engine.rule(rule.id) === rule)
    const rows = current.map((rule) => rowOf(rule, this.record.id, this.#house.clocks))
    const log = this.#log
    this.#dirty.clear()
    this.#log = []
    return rows.length === 0 && log.length === 0
      ? this.#written
      : this.write(() => this.#house.contents.saveRules(rows, log))
  }

  /** All rules and markers go, and what was still to be written of them. */
  clear(): Promise<void> {
    this.step({ type: 'cleared' })
    this.markers.clear()
    this.#dirty.clear()
    this.#log = []
    this.vibe = null
    return this.write(() => this.#house.records.clear(this.record.id))
  }

  /** Pauses clock and rules, and stores where they are. Idempotent. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.step({ type: 'transport', command: { do: 'pause' }, depth: 0 })
      // What was handed out must not begin any more, though the clock may have stood already.
      this.#tell('revoke', { generation: this.#engine.transport.generation })
      this.#closed = true
      this.#cancelTick()
      this.#cancelSave?.()
      for (const { reject } of this.#waits.values()) {
        reject(new ModuleError('VibeError', `The session "${this.record.name}" is no longer that of this kernel.`))
      }
      this.#waits.clear()
    }
    await this.flush()
    await this.#written
  }

  #perform(effect: EngineEffect): void {
    const { record, owner } = this
    switch (effect.type) {
      case 'hand_out':
        this.#tell('fire', fireOf(effect))
        return
      case 'revoke':
        this.#tell('revoke', { generation: effect.generation })
        return
      case 'emit':
        this.#house.publish(owner, effect.name, { session_id: record.id, rule: effect.rule.name }, effect.depth)
        return
      case 'notify':
        this.#port?.notify?.(`${effect.rule.name}: ${effect.text}`)
        this.#house.publish(
          owner,
          'notify',
          { session_id: record.id, rule: effect.rule.name, text: effect.text },
          effect.depth,
        )
        return
      case 'call_tool':
        void this.#callTool(effect.firing, effect.name, effect.arguments)
        return
      case 'log':
        // Only the newest are kept in the end.
        if (this.#log.length >= unwrittenLogMax) this.#log = this.#log.slice(unwrittenLogMax / 2)
        this.#log.push({
          rule_id: effect.rule.id,
          target_beat: effect.targetBeat,
          fired_at: toWall(effect.atMs, this.#house.clocks),
          late_s: effect.lateS,
          outcome: effect.outcome,
          detail: effect.detail,
        })
        this.#soil(effect.rule)
        return
      case 'rule_changed':
        this.#soil(effect.rule)
        return
      case 'transport_changed':
        this.#transportChanged(effect.depth)
        return
      case 'reached':
        this.#waits.get(effect.id)?.resolve(this.beat)
        this.#waits.delete(effect.id)
        return
      default:
        effect satisfies never
    }
  }

  #tell<Method extends keyof ModuleOrders>(method: Method, params: ModuleOrders[Method]): void {
    if (this.#port?.hasProcess) this.#port.tell(method, params)
  }

  async #callTool(firing: number, name: string, args: { readonly [name: string]: unknown }): Promise<void> {
    try {
      if (!this.#port?.callTool)
        throw new ModuleError('UnavailableError', 'No eval call is open to call a tool within.')
      await this.#port.callTool(name, args)
      this.step({ type: 'tool_ended', firing, outcome: 'ok', detail: null })
    } catch (error) {
      const unavailable = error instanceof ModuleError && error.kind === 'UnavailableError'
      const kind = error instanceof ModuleError ? error.kind : 'VibeError'
      const detail = `${kind}: ${error instanceof Error ? error.message : String(error)}`
      this.step({ type: 'tool_ended', firing, outcome: unavailable ? 'unavailable' : 'error', detail })
    }
  }

  #transportChanged(depth: number): void {
    this.#save()
    this.#house.publish(
      this.owner,
      'transport.changed',
      { session_id: this.record.id, session: this.record.name, ...this.transport },
      depth,
    )
  }

  #save(): void {
    this.#cancelSave?.()
    this.#cancelSave = undefined
    const { stored } = this
    this.write(() => this.#house.records.saveTransport(this.record.id, stored)).catch(this.#house.failed)
    if (stored.state === 'playing') {
      this.#cancelSave = this.#house.timers.after(transportSaveMs, () => this.#save())
    }
  }

  #soil(rule: Rule): void {
    this.#dirty.add(rule)
    this.#cancelFlush ??= this.#house.timers.after(ruleSaveMs, () => {
      this.flush().catch(this.#house.failed)
    })
  }

  #arm(): void {
    this.#cancelTick()
    this.#cancelTick = () => {}
    const next = this.#engine.nextDeadline()
    if (next === undefined || this.#closed) return
    const ms = Math.min(timerMsMax, Math.max(0, next - this.#house.clocks.monotonic()))
    this.#cancelTick = this.#house.timers.after(ms, () => this.step({ type: 'tick' }))
  }
}

function fireOf(effect: Extract<EngineEffect, { type: 'hand_out' }>): ModuleOrders['fire'] {
  const { rule, firing, generation, targetBeat, position, event, marker } = effect
  return {
    firing,
    generation,
    rule_id: rule.id,
    code: rule.action.kind === 'eval' ? rule.action.code : null,
    delay_s: effect.delayMs / 1000,
    target_beat: targetBeat,
    position,
    count: rule.firedCount,
    event: event && { ...event },
    marker,
    priority: rule.priority,
    limit_s: rule.limitS,
    max_late_s: rule.maxLateMs === null ? null : rule.maxLateMs / 1000,
  }
}

/** Where it was saved last; whoever held it has gone, so it does not play. */
function restored({ state, beat, bpm, loop }: StoredTransport): Transport {
  return { ...initialTransport, state: state === 'stopped' ? 'stopped' : 'paused', anchorBeat: beat, bpm, loop }
}
