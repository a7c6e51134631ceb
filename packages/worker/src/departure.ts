import { type Drain as DrainMessage, drainMsMax } from '@callboard/protocol'
import type { MadeCalls } from './made-calls.js'
import type { ServedCalls } from './served-calls.js'
import type { SessionState } from './session-state.js'

/** The way out, slowly or at once. [CB-75] */
export class Departure {
  readonly #state: SessionState
  readonly #served: ServedCalls
  readonly #made: MadeCalls

  constructor(state: SessionState, served: ServedCalls, made: MadeCalls) {
    this.#state = state
    this.#served = served
    this.#made = made
  }

  /** This worker wants to leave. */
  begin(): void {
    const { drain, options, isReady } = this.#state
    if (drain.isForGood) return
    this.#start(options.drainMs, false, true)
    if (isReady) this.#sendDrain(false)
  }

  /** The hub wants it to leave, or leaves itself, or takes note that the worker will. [CB-76] */
  drainReceived({ epoch, drainMs, acknowledged, hubEnds = false }: DrainMessage): void {
    const { drain, isReady, now } = this.#state
    if (epoch !== this.#state.epoch || !isReady) return
    if (acknowledged) return drain.acknowledge(now)
    this.#sendDrain(true)
    this.#start(drainMs, true, !hubEnds)
  }

  /** A drain that was asked for before WELCOME: now there is a hub to tell. */
  tellHub(): void {
    if (this.#state.drain.isOn) this.#sendDrain(false)
  }

  /**
   * After each event: whatever happened may have been the last that the way out waited for. True: this worker has taken
   * leave of a hub that ends, and waits for the next one.
   */
  advance(): boolean {
    const { handshake, drain, held, now } = this.#state
    if (handshake.isClosed || !drain.isOn) return false
    const { name } = handshake.phase
    // READY is out: the hub may already send calls, so the way out leads through its WELCOME.
    if (name === 'proving') return false
    if (name !== 'ready') drain.linkLost(now)
    const step = drain.advance(now, held.size)
    if (step === 'abort') this.#served.abortAll('draining')
    if (step === 'leave' && name === 'ready') this.#sendBye()
    if (step === 'close' || (step === 'leave' && name !== 'ready')) this.close()
    return step === 'leave' && !drain.isForGood
  }

  /** At once: whatever runs is aborted and not waited for. */
  stop(): void {
    this.#served.abortAll('stopped')
    if (this.#state.isReady) this.#sendBye()
    this.close()
  }

  close(): void {
    this.#made.failAll()
    this.#state.waiting.clear()
    this.#state.handshake.close()
    this.#state.emit({ type: 'closed' })
  }

  #start(drainMs: number, acknowledged: boolean, isForGood: boolean): void {
    const { drain, now } = this.#state
    const wasOn = drain.isOn
    drain.begin(now, drainMs, acknowledged, isForGood)
    this.#served.refuseWaiting('draining')
    if (!wasOn) this.#state.emit({ type: 'draining' })
  }

  #sendDrain(acknowledged: boolean): void {
    const drainMs = Math.min(this.#state.options.drainMs, drainMsMax)
    this.#state.send({ type: 'drain', epoch: this.#state.epoch!, drainMs, acknowledged })
  }

  #sendBye(): void {
    this.#state.send({ type: 'bye', epoch: this.#state.epoch! })
  }
}
