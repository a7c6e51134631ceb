import type { SessionContents } from '../records/session-contents.js'
import type { SessionRecord, SessionRecords } from '../records/session-records.js'
import { holderOf, unknownSession } from '../records/session-records.js'
import type { ModuleRequest } from '../runtime/runtime.js'
import type { Events } from './events.js'
import { type KernelPort, LoadedSession, type SessionHouse, type Timers } from './loaded-session.js'
import { type EventView, ModuleError, type ModuleNotices, type TransportView } from './module-api.js'
import type { Clocks } from './rule-texts.js'
import { answer, isSessionMethod } from './session-methods.js'

/** A key is unique per owner only. */
export interface KernelRef {
  readonly key: string
  readonly owner: string
}

export interface SessionServiceOptions {
  readonly records: SessionRecords
  readonly contents: SessionContents
  readonly events: Events
  readonly clocks: Clocks
  readonly timers?: Timers
  readonly newId: () => string
  /** A write failed that nobody waits for: the session goes on in memory. */
  readonly failed?: (error: unknown) => void
}

interface Seat {
  readonly kernel: KernelRef
  port: KernelPort | undefined
  /** Undefined until something needs the session. Never rejected for long: whoever comes next tries again. */
  session: Promise<LoadedSession> | undefined
  loaded: LoadedSession | undefined
  /** Ids of callbacks that the process has. */
  readonly bound: Set<string>
  readonly waiting: { count: number }
}

/** The sessions of all kernels of this worker. Owns their clocks and timers; sees no process, only ports. */
export class SessionService implements AsyncDisposable {
  readonly #house: SessionHouse
  readonly #newId: () => string
  readonly #seats = new Map<string, Seat>()
  readonly #unlisten: () => void
  /** Of what is being published. */
  #depth = 0
  #closing: Promise<void> | undefined

  constructor(options: SessionServiceOptions) {
    const { records, contents, events, clocks, newId } = options
    this.#newId = newId
    this.#house = {
      records,
      contents,
      events,
      clocks,
      timers: options.timers ?? realTimers,
      publish: (owner, type, data, depth) => this.#publish(owner, type, data, depth),
      failed: options.failed ?? (() => {}),
    }
    this.#unlisten = events.listen((owner, event) => this.#hear(owner, event))
  }

  /** Something that the worker itself has to say, e.g. `run.finished`. Rules of all of the owner's sessions hear it. */
  publish(owner: string, type: string, data: unknown): EventView {
    return this.#publish(owner, type, data, 0)
  }

  /** False: the method is none of a session's, and the request is still to be answered. */
  handle(kernel: KernelRef, request: ModuleRequest): boolean {
    const { method } = request
    if (!isSessionMethod(method)) return false
    void this.#answer(kernel, method, request)
    return true
  }

  /** A notice of the module; unknown ones are dropped: a cell can reach the socket if it tries. */
  notice(kernel: KernelRef, method: string, params: unknown): void {
    const session = this.#find(kernel)?.loaded
    const known = parseNotice(method, params)
    if (session && known) session.step(known)
  }

  /** A process is there. Loads the session, so that its rules run. */
  async kernelStarted(port: KernelPort): Promise<void> {
    const seat = this.#seat(port)
    seat.port = port
    seat.bound.clear()
    if (seat.loaded) seat.loaded.attach(port)
    else await this.#sessionOf(seat)
  }

  /** Functions are unbound, what ran has failed. Clock and data actions go on. */
  kernelEnded(kernel: KernelRef): void {
    const seat = this.#find(kernel)
    // Of one that was followed by another already there is nothing to say.
    if (!seat || seat.port?.hasProcess) return
    seat.bound.clear()
    seat.loaded?.attach(undefined)
    seat.port = undefined
  }

  cellStarted(kernel: KernelRef): void {
    this.#find(kernel)?.loaded?.step({ type: 'cells', running: true })
  }

  cellEnded(kernel: KernelRef): void {
    this.#find(kernel)?.loaded?.step({ type: 'cells', running: false })
  }

  /** The process stays and its names went: so did the functions of its rules. */
  callbacksLost(kernel: KernelRef): void {
    const seat = this.#find(kernel)
    if (!seat) return
    seat.bound.clear()
    seat.loaded?.step({ type: 'callbacks_lost' })
  }

  /** The kernel's session; one is taken or made if there is none. Starts no clock. */
  async current(kernel: KernelRef): Promise<SessionRecord> {
    const seat = this.#find(kernel)
    if (seat?.loaded) return seat.loaded.record
    return this.#house.records.current(kernel.owner, kernel.key)
  }

  /** Rules, markers and history go; stopped at beat 0, tempo 120, no vibe. Id and name stay. */
  async clearSession(kernel: KernelRef): Promise<void> {
    const seat = this.#seat(kernel)
    const session = await this.#sessionOf(seat)
    await session.clear()
    if (seat.port?.hasProcess && seat.bound.size > 0) seat.port.tell('forget_rules', { ids: [...seat.bound] })
    seat.bound.clear()
  }

  /** The session that a kernel has loaded: its clock is in memory, not in the store. */
  live(sessionId: string): LoadedSession | undefined {
    for (const { loaded } of this.#seats.values()) if (loaded?.record.id === sessionId) return loaded
    return undefined
  }

  /** Undefined while the kernel has loaded no session, so that its clock stands. */
  clockOf(kernel: KernelRef): TransportView | undefined {
    return this.#find(kernel)?.loaded?.transport
  }

  /** The agent has gone: clock and rules stand, and the session is free. */
  async release(kernel: KernelRef): Promise<void> {
    const seat = this.#find(kernel)
    this.#seats.delete(holderOf(kernel.owner, kernel.key))
    await seat?.session?.then((session) => session.close()).catch(this.#house.failed)
    await this.#house.records.release(kernel.owner, kernel.key)
  }

  /** Everything is stored; nothing acts any more. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #closeAll(): Promise<void> {
    this.#unlisten()
    await Promise.all([...this.#seats.values()].map((seat) => this.release(seat.kernel).catch(this.#house.failed)))
  }

  async #answer(kernel: KernelRef, method: Parameters<typeof answer>[0], request: ModuleRequest): Promise<void> {
    try {
      const seat = this.#seat(kernel)
      const session = await this.#sessionOf(seat)
      const value = await answer(method, request.params, {
        session,
        house: this.#house,
        depth: session.depthOf(request.firing ?? 0),
        signal: request.signal,
        switchTo: (target) => this.#switch(seat, target),
        newId: this.#newId,
        waiting: seat.waiting,
        bound: seat.bound,
        forget: (ids) => seat.port?.tell('forget_rules', { ids }),
      })
      if (!request.signal.aborted) request.resolve(value)
    } catch (error) {
      if (request.signal.aborted) return
      if (error instanceof ModuleError) return request.reject(error.kind, error.message)
      this.#house.failed(error)
      request.reject('VibeError', 'The worker could not do it; its store may be away. Nothing is known of the outcome.')
    }
  }

  #seat({ key, owner }: KernelRef): Seat {
    if (this.#closing) throw new ModuleError('UnavailableError', 'This worker is being stopped.')
    const known = this.#find({ key, owner })
    if (known) return known
    const seat: Seat = {
      kernel: { key, owner },
      port: undefined,
      session: undefined,
      loaded: undefined,
      bound: new Set(),
      waiting: { count: 0 },
    }
    this.#seats.set(holderOf(owner, key), seat)
    return seat
  }

  #find({ key, owner }: KernelRef): Seat | undefined {
    return this.#seats.get(holderOf(owner, key))
  }

  #sessionOf(seat: Seat): Promise<LoadedSession> {
    const { key, owner } = seat.kernel
    seat.session ??= this.#seatWith(seat, () => this.#house.records.current(owner, key))
    return seat.session
  }

  /** In the order in which they were asked for. */
  #switch(seat: Seat, target: { readonly name: string } | { readonly id: string }): Promise<LoadedSession> {
    const before = this.#sessionOf(seat)
    const { records } = this.#house
    const { key, owner } = seat.kernel
    const done = before.then(async (old) => {
      const id = await this.#mayHave(seat.kernel, target)
      if (id === old.record.id) return old
      seat.loaded = undefined
      await old.close()
      const take = () =>
        'id' in target ? records.switchToId(owner, key, target.id) : records.switchToName(owner, key, target.name)
      return this.#seatWith(seat, () => take())
    })
    // If it may not, the old one stays; if it failed half way, the next request loads what the kernel has then.
    seat.session = done.catch(() => {
      if (seat.loaded) return seat.loaded
      seat.session = undefined
      return this.#sessionOf(seat)
    })
    return done
  }

  /** Asked before the old one is left. Undefined: it is still to be made. */
  async #mayHave(
    { key, owner }: KernelRef,
    target: { readonly name: string } | { readonly id: string },
  ): Promise<string | undefined> {
    const { records } = this.#house
    const found =
      'id' in target
        ? await records.readable(owner, target.id)
        : (await records.list(owner)).find((own) => own.owner === owner && own.name === target.name)
    if (!found && 'id' in target) throw unknownSession(target.id)
    if (found && found.heldBy !== null && found.heldBy !== holderOf(owner, key)) {
      throw new ModuleError(
        'SessionBusyError',
        `Another kernel holds the session "${found.name}"; it is free when that one switches or its agent goes.`,
      )
    }
    return found?.id
  }

  async #seatWith(seat: Seat, take: () => Promise<SessionRecord>): Promise<LoadedSession> {
    try {
      const session = new LoadedSession(await take(), seat.kernel, this.#house)
      await session.fill(seat.port, seat.bound)
      // The process may have come or gone meanwhile.
      session.attach(seat.port)
      seat.loaded = session
      return session
    } catch (error) {
      seat.session = undefined
      throw error
    }
  }

  #publish(owner: string, type: string, data: unknown, depth: number): EventView {
    const before = this.#depth
    this.#depth = depth
    try {
      return this.#house.events.publish(owner, type, data, this.#house.clocks.wall())
    } finally {
      this.#depth = before
    }
  }

  #hear(owner: string, event: EventView): void {
    const depth = this.#depth
    for (const { loaded } of this.#seats.values()) {
      if (loaded?.owner === owner) loaded.step({ type: 'event', event, depth })
    }
  }
}

const realTimers: Timers = {
  after(ms, action) {
    const timer = setTimeout(action, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

type Notice =
  | ({ readonly type: 'fire_started' } & ModuleNotices['fire_started'])
  | ({ readonly type: 'fire_ended' } & ModuleNotices['fire_ended'])

const outcomes: readonly ModuleNotices['fire_ended']['outcome'][] = [
  'ok',
  'error',
  'missed',
  'revoked',
  'unbound',
  'late',
]

function parseNotice(method: string, params: unknown): Notice | undefined {
  if (typeof params !== 'object' || params === null) return undefined
  const { firing, late_s, outcome, detail } = params as { readonly [name: string]: unknown }
  if (typeof firing !== 'number') return undefined
  if (method === 'fire_started') {
    return typeof late_s === 'number' && late_s >= 0 ? { type: method, firing, late_s } : undefined
  }
  const known = outcomes.find((candidate) => candidate === outcome)
  if (method !== 'fire_ended' || !known) return undefined
  return { type: method, firing, outcome: known, detail: typeof detail === 'string' ? detail : null }
}
