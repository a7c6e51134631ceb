import { type CallId, type Client, type HubEpoch, heldMax, type Request } from '@callboard/protocol'
import { AnsweredCalls } from './answered-calls.js'
import type { HubClock } from './hub-clock.js'
import type { InputQuestion } from './session-messages.js'
import { TransientMap } from './transient-map.js'

export type Questions = { readonly [key: string]: InputQuestion }

export type HeldState =
  | { readonly name: 'running' }
  /** Waits for a person; `until` is this machine's time. */
  | { readonly name: 'suspended'; readonly asked: Questions; readonly until: number }
  /** Its signal is aborted; the handler has yet to settle. */
  | { readonly name: 'aborted' }

export type Standing =
  /** No READY has dealt with it since it was handed over. */
  | 'asked'
  /** Named in READY: the hub waits for its end, not for its answer, and may send the same call anew after it. [CB-37] */
  | 'reported'
  /** Of the same hub, but there was no room for it in READY: the hub has forgotten it and may send it again any time. */
  | 'left_out'

/** A call whose handler has not settled. Only {@link HeldCalls} changes it, because it keeps count. */
export interface HeldCall {
  readonly request: Request
  /** Who hears of it now. */
  client: Client
  /** The sign-in that is owed the final RESPONSE. */
  signIn: number
  standing: Standing
  /** The hub's clock. */
  deadline: number
  state: HeldState
  /** False from a suspension to its RESUME. */
  usesCredit: boolean
  readonly questions: Questions[]
}

/** The calls that this worker has, and the ids of those that it lately had. */
export class HeldCalls {
  readonly #calls = new TransientMap<CallId, HeldCall>()
  readonly #answered = new AnsweredCalls()
  /** The sign-in that REQUESTs now belong to. */
  #signIn = 0
  /** By depth: credits that calls of this sign-in use. */
  #credits: number[] = []
  /** Nothing is due before: no running call by the hub's clock, no suspended one by this machine's. */
  #deadlineFrom = Number.POSITIVE_INFINITY
  #untilFrom = Number.POSITIVE_INFINITY

  get size(): number {
    return this.#calls.size
  }

  get(id: CallId): HeldCall | undefined {
    return this.#calls.get(id)
  }

  all(): HeldCall[] {
    return [...this.#calls.values()]
  }

  /** Held or answered in this sign-in: a REQUEST with this id is a double. [CB-34] */
  knows(id: CallId): boolean {
    const call = this.#calls.get(id)
    return (call !== undefined && call.standing !== 'left_out') || this.#answered.has(id)
  }

  creditsUsed(depth: number): number {
    return this.#credits[depth] ?? 0
  }

  add(request: Request): void {
    const call: HeldCall = {
      request,
      client: request.client,
      signIn: this.#signIn,
      standing: 'asked',
      deadline: request.deadline,
      state: running,
      usesCredit: true,
      questions: [],
    }
    this.#calls.set(request.id, call)
    this.#count(call, 1)
    this.#expect(call)
  }

  suspend(call: HeldCall, asked: Questions, until: number): void {
    this.#count(call, -1)
    call.usesCredit = false
    call.state = { name: 'suspended', asked, until }
    this.#expect(call)
  }

  /** Takes the credit again even when that is one more than there are. [CB-49] */
  resume(call: HeldCall, deadline: number, client: Client): void {
    call.usesCredit = true
    this.#count(call, 1)
    call.state = running
    call.deadline = deadline
    call.client = client
    this.#expect(call)
  }

  /** It keeps its credit, if it has one, until the handler has settled. */
  abort(call: HeldCall): void {
    call.state = { name: 'aborted' }
    call.questions.length = 0
  }

  remove(id: CallId): HeldCall | undefined {
    const call = this.#calls.get(id)
    if (call === undefined) return undefined
    this.#calls.delete(id)
    this.#count(call, -1)
    return call
  }

  remember(id: CallId): void {
    this.#answered.add(id)
  }

  /**
   * The ids for READY: what still runs from before is owed to the new sign-in, of more than fit the newest. Answers are
   * forgotten: the hub has none of the sign-in before, and may send their calls again. [CB-18] [CB-34]
   */
  beginSignIn(epoch: HubEpoch, signIn: number): CallId[] {
    this.#signIn = signIn
    this.#answered.clear()
    this.#credits = []
    const running = this.all().filter(({ request }) => isOfEpoch(request.id, epoch))
    for (const call of running) call.standing = 'left_out'
    const reported = running.slice(-heldMax)
    for (const call of reported) {
      call.standing = 'reported'
      call.signIn = signIn
      this.#count(call, 1)
    }
    return reported.map(({ request }) => request.id)
  }

  /** Calls past their deadline, or past the time that their question may wait. The caller aborts them. */
  overdue(clock: HubClock, now: number): HeldCall[] {
    if (this.nextDueAt(clock) > now) return []
    this.#deadlineFrom = Number.POSITIVE_INFINITY
    this.#untilFrom = Number.POSITIVE_INFINITY
    return this.all().filter((call) => {
      const isDue = dueAt(call, clock) <= now
      if (!isDue) this.#expect(call)
      return isDue
    })
  }

  /** Too early when the call that was due first has ended; never too late, and exact once `overdue` has looked. */
  nextDueAt(clock: HubClock): number {
    return Math.min(clock.toLocal(this.#deadlineFrom), this.#untilFrom)
  }

  #count({ request, signIn, usesCredit }: HeldCall, difference: 1 | -1): void {
    const { depth } = request.caller
    if (usesCredit && signIn === this.#signIn) this.#credits[depth] = this.creditsUsed(depth) + difference
  }

  #expect({ state, deadline }: HeldCall): void {
    if (state.name === 'running') this.#deadlineFrom = Math.min(this.#deadlineFrom, deadline)
    if (state.name === 'suspended') this.#untilFrom = Math.min(this.#untilFrom, state.until)
  }
}

const running = { name: 'running' } as const

/** Whether this life of the hub made the id. [CB-31] */
export function isOfEpoch(id: CallId, epoch: HubEpoch): boolean {
  return id.startsWith(epoch) && id.lastIndexOf('-') === epoch.length
}

function dueAt({ state, deadline }: HeldCall, clock: HubClock): number {
  switch (state.name) {
    case 'running':
      return clock.toLocal(deadline)
    case 'suspended':
      return state.until
    case 'aborted':
      return Number.POSITIVE_INFINITY
    default:
      return state satisfies never
  }
}
