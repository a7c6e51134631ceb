import type { HeartbeatEcho } from '@callboard/protocol'
import type { ServedCalls } from './served-calls.js'
import type { SessionState } from './session-state.js'
import type { SignIn } from './sign-in.js'

/** Everything that time alone brings about, and the heartbeats that tell what time it is. [CB-68] */
export class Liveness {
  readonly #state: SessionState
  readonly #signIn: SignIn
  readonly #served: ServedCalls

  constructor(state: SessionState, signIn: SignIn, served: ServedCalls) {
    this.#state = state
    this.#signIn = signIn
    this.#served = served
  }

  /** Before each event: the process may have stood still since the last one. [CB-72] */
  noticeRun(): void {
    const { heartbeats, clock, now } = this.#state
    if (heartbeats.noticeRun(now)) clock.doubt()
  }

  tick(holdUntil: number | undefined): void {
    const { handshake, heartbeats, now } = this.#state
    if (handshake.dueAt <= now) this.#signIn.greet()
    if (handshake.isReady && heartbeats.dueAt <= now) this.#beat(holdUntil)
    this.#noticeSearch()
    // After a gap the clock may have jumped; the fresh echo, or its absence, decides about the deadlines.
    if (!heartbeats.isStale) this.#served.abortOverdue()
  }

  echoed(echo: HeartbeatEcho): void {
    const { handshake, heartbeats, clock, now } = this.#state
    if (!handshake.isReady) return
    const isFresh = heartbeats.echoed(echo.serial)
    handshake.confirmed()
    clock.learn(echo, now)
    if (!isFresh) return
    this.#served.abortOverdue()
    this.#served.acceptWaiting()
  }

  /** When `tick` is due. A tick then always moves it. */
  nextDueAt(): number {
    const { handshake, heartbeats, drain, search, held, clock } = this.#state
    return Math.min(
      heartbeats.runDueAt,
      heartbeats.dueAt,
      handshake.dueAt,
      search.dueAt,
      // While READY is unanswered the way out waits for that.
      handshake.phase.name === 'proving' ? Number.POSITIVE_INFINITY : drain.nextDueAt(held.size),
      heartbeats.isStale ? Number.POSITIVE_INFINITY : held.nextDueAt(clock),
    )
  }

  /** A worker that never finds its hub looks like one that has nothing to do: nobody would look into its settings. */
  #noticeSearch(): void {
    const { search, drain, now } = this.#state
    if (!search.takeDue(now) || drain.isOn) return
    const { refusal } = search
    this.#state.emit({ type: 'waiting', ...(refusal === undefined ? {} : { refusal }) })
  }

  #beat(holdUntil: number | undefined): void {
    const { heartbeats, clock, held, now, epoch } = this.#state
    if (heartbeats.isSilent) {
      this.#signIn.disconnect('the hub echoes no heartbeat')
      return this.#signIn.greet()
    }
    this.#state.send({
      type: 'heartbeat',
      epoch: epoch!,
      serial: heartbeats.next(now),
      sentAt: Math.round(now),
      load: held.size,
      ...(holdUntil === undefined ? {} : { holdUntil: clock.toHub(holdUntil) }),
    })
  }
}
