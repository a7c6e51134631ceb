import type { CallId, Message } from '@callboard/protocol'
import { Announcements } from './announcements.js'
import { Departure } from './departure.js'
import { Liveness } from './liveness.js'
import { MadeCalls } from './made-calls.js'
import { ServedCalls } from './served-calls.js'
import type { Effect, SessionEvent } from './session-messages.js'
import { type SessionOptions, SessionState } from './session-state.js'
import { SignIn } from './sign-in.js'

/**
 * A worker's end of CB/1 as a state machine: no socket, no clock, no randomness. Feed it what happened and when, do what
 * it returns in that order, and call it again with `tick` at `nextDeadline()` at the latest.
 */
export class WorkerSession {
  readonly #state: SessionState
  readonly #made: MadeCalls
  readonly #served: ServedCalls
  readonly #announcements: Announcements
  readonly #departure: Departure
  readonly #signIn: SignIn
  readonly #liveness: Liveness

  constructor(options: SessionOptions, now: number) {
    const state = new SessionState(options, now)
    const made = new MadeCalls(state)
    const served = new ServedCalls(state, made)
    const announcements = new Announcements(state)
    const departure = new Departure(state, served, made)
    this.#state = state
    this.#made = made
    this.#served = served
    this.#announcements = announcements
    this.#departure = departure
    this.#signIn = new SignIn(state, { served, made, announcements, departure })
    this.#liveness = new Liveness(state, this.#signIn, served)
  }

  get state(): 'connecting' | 'signing_in' | 'ready' | 'draining' | 'closed' {
    const { handshake, drain } = this.#state
    const { name } = handshake.phase
    if (name === 'closed') return 'closed'
    if (drain.isOn) return 'draining'
    if (name === 'ready' || name === 'connecting') return name
    return 'signing_in'
  }

  /** Calls whose handlers have not settled. */
  get load(): number {
    return this.#state.held.size
  }

  /** Nested calls that wait for an answer, and requests that wait for a fresh echo: all zero once everything is over. */
  get pending(): { readonly calls: number; readonly requests: number } {
    return { calls: this.#state.open.size, requests: this.#state.waiting.size }
  }

  /** A held call's deadline by this machine's clock. */
  deadlineOf(id: CallId): number | undefined {
    const call = this.#state.held.get(id)
    return call && this.#state.clock.toLocal(call.deadline)
  }

  /** When `tick` is due. A tick then always moves it. */
  nextDeadline(): number {
    return this.#state.handshake.isClosed ? Number.POSITIVE_INFINITY : this.#liveness.nextDueAt()
  }

  step(event: SessionEvent, now: number): readonly Effect[] {
    if (this.#state.handshake.isClosed) return []
    this.#state.now = now
    this.#liveness.noticeRun()
    this.#handle(event)
    if (this.#departure.advance()) this.#signIn.hubEnded()
    return this.#state.takeEffects()
  }

  #handle(event: SessionEvent): void {
    switch (event.type) {
      case 'link_up':
        return this.#signIn.linkUp()
      case 'link_lost':
        return this.#signIn.linkLost()
      case 'message':
        return this.#receive(event.message)
      case 'handler_settled':
        return this.#served.settle(event.id, event.result)
      case 'handler_progress':
        return this.#served.progress(event.id, event.body)
      case 'handler_logged':
        return this.#served.log(event.id, event.level, event.body)
      case 'input_asked':
        return this.#served.ask(event.id, event.questions)
      case 'call_started':
        return this.#made.start(event.call)
      case 'call_given_up':
        return this.#made.giveUp(event.id)
      case 'definitions_changed':
        return this.#announcements.define(event.body)
      case 'view_changed':
        return this.#announcements.view(event.session, event.view)
      case 'happened':
        return this.#announcements.event({ ...event, type: 'event' })
      case 'drain':
        return this.#departure.begin()
      case 'stop':
        return this.#departure.stop()
      case 'tick':
        return this.#liveness.tick(event.holdUntil)
      default:
        event satisfies never
    }
  }

  #receive(message: Message): void {
    switch (message.type) {
      case 'challenge':
        return this.#signIn.challenged(message)
      case 'welcome':
        return this.#signIn.welcomed(message)
      case 'reject':
        return this.#signIn.rejected(message)
      case 'request':
        return this.#served.request(message)
      case 'cancel':
        return this.#served.cancel(message.id, message.reason)
      case 'resume':
        return this.#served.resume(message)
      case 'result':
        return this.#made.result(message)
      case 'progress':
        return this.#made.progress(message)
      case 'subscribe':
      case 'unsubscribe':
        return this.#announcements.subscription(message)
      case 'roots_changed':
      case 'session_closed':
        return this.#announcements.sessionNotice(message)
      case 'sessions':
        return this.#announcements.living(message)
      case 'heartbeat_echo':
        return this.#liveness.echoed(message)
      case 'drain':
        return this.#departure.drainReceived(message)
      case 'bye':
        return this.#signIn.hubLeft(message.epoch)
      default:
        // A worker's own kind of message: not for this end. [CB-83]
        return
    }
  }
}
