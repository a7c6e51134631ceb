import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '@callboard/store'
import { type KernelSchema, migrations } from '../../src/records/schema.js'
import { SessionContents } from '../../src/records/session-contents.js'
import { SessionRecords } from '../../src/records/session-records.js'
import { Events } from '../../src/session/events.js'
import type { KernelPort } from '../../src/session/loaded-session.js'
import type { ModuleOrders } from '../../src/session/module-api.js'
import { SessionService } from '../../src/session/session-service.js'

/** A clock and timers that stand until they are told to go. */
export class HeldTime {
  ms = 0
  readonly startedAt = Date.UTC(2030, 0, 1)
  #timers: { readonly at: number; readonly action: () => void }[] = []

  readonly clocks = { monotonic: () => this.ms, wall: () => this.startedAt + this.ms }
  readonly timers = {
    after: (ms: number, action: () => void) => {
      const timer = { at: this.ms + ms, action }
      this.#timers.push(timer)
      return () => {
        this.#timers = this.#timers.filter((other) => other !== timer)
      }
    },
  }

  get pending(): number {
    return this.#timers.length
  }

  /** Every timer in its order. */
  advance(seconds: number): void {
    const end = this.ms + seconds * 1000
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#timers = this.#timers.filter((other) => other !== next)
      this.ms = Math.max(this.ms, next.at)
      next.action()
    }
    this.ms = end
  }
}

/** A kernel that runs each firing at once. */
export class StagePort implements KernelPort {
  readonly key: string
  readonly owner: string
  hasProcess = true
  busy = false
  readonly told: { readonly method: string; readonly params: unknown }[] = []
  readonly notices: string[] = []
  #fired: (firing: ModuleOrders['fire']) => void

  constructor(key: string, owner: string, fired: (port: StagePort, firing: ModuleOrders['fire']) => void) {
    this.key = key
    this.owner = owner
    this.#fired = (firing) => fired(this, firing)
  }

  tell(method: string, params: unknown): void {
    this.told.push({ method, params })
    if (method === 'fire') this.#fired(params as ModuleOrders['fire'])
  }

  notify(text: string): void {
    this.notices.push(text)
  }

  get fires(): readonly ModuleOrders['fire'][] {
    return this.told.flatMap(({ method, params }) => (method === 'fire' ? [params as ModuleOrders['fire']] : []))
  }
}

/** A service over a store of its own, with held time. */
export class Stage implements AsyncDisposable {
  readonly time: HeldTime
  readonly store: Store<KernelSchema>
  readonly records: SessionRecords
  readonly contents: SessionContents
  readonly events: Events
  readonly service: SessionService
  readonly failures: unknown[] = []
  readonly #directory: string
  /** Whether firings end by themselves. */
  obeys = true

  private constructor(
    store: Store<KernelSchema>,
    directory: string,
    time: HeldTime,
    instance: string,
    ids: () => string,
  ) {
    this.store = store
    this.time = time
    this.#directory = directory
    const now = () => time.clocks.wall()
    this.records = new SessionRecords(store, { instance, now, newId: ids })
    this.contents = new SessionContents(store, now)
    this.events = new Events(instance)
    this.service = new SessionService({
      records: this.records,
      contents: this.contents,
      events: this.events,
      clocks: time.clocks,
      timers: time.timers,
      newId: ids,
      failed: (error) => this.failures.push(error),
    })
  }

  static async open(): Promise<Stage> {
    const directory = await mkdtemp(join(tmpdir(), 'callboard-session-test-'))
    const store = await openStore<KernelSchema>({
      name: 'kernel',
      migrations,
      dataDirectory: directory,
      durability: 'normal',
      access: 'shared',
    })
    let ids = 0
    return new Stage(store, directory, new HeldTime(), 'one', () => `id-${++ids}`)
  }

  /** Another worker over the same store, as after a crash of this one: nothing of it is saved first. */
  successor(instance = 'two'): Stage {
    let ids = 0
    return new Stage(this.store, this.#directory, this.time, instance, () => `${instance}-${++ids}`)
  }

  async kernel(key = 'k1', owner = 'agent:ann'): Promise<StagePort> {
    const port = new StagePort(key, owner, (kernel, { firing }) => {
      if (!this.obeys) return
      queueMicrotask(() => {
        this.service.notice(kernel, 'fire_started', { firing, late_s: 0 })
        this.service.notice(kernel, 'fire_ended', { firing, outcome: 'ok', detail: null })
      })
    })
    await this.service.kernelStarted(port)
    return port
  }

  /** As the module asks; rejects with `{ kind, message }`. */
  ask(
    { key, owner }: { readonly key: string; readonly owner: string },
    method: string,
    params: { readonly [name: string]: unknown } = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const asked = this.service.handle(
        { key, owner },
        { method, params, run: 1, signal, resolve, reject: (kind, message) => reject({ kind, message }) },
      )
      if (!asked) reject({ kind: 'not served', message: method })
    })
  }

  /** What was answered has been taken in. */
  async settled(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.close()
    await this.store.close()
    await rm(this.#directory, { recursive: true, force: true })
  }
}
