import type { LogLevel } from '@callboard/protocol'
import type { CallWish } from '../broker/events.js'
import type { HandedOver } from '../mcp/handed-over.js'
import type { CallListeners, CallOutcome, CallSink, Connection, Turn, TurnListener } from '../port.js'
import type { Patience, Waiting } from './patience.js'

/** Hears that a call is over, whatever became of it. */
export interface CallKeeper {
  release(): void
}

/**
 * A call that was begun in the hope that its outcome is all there will be to tell. When there is more, whoever knows how to tell it adopts
 * the call, and hears of everything from the beginning.
 */
export class BegunCall implements CallSink, HandedOver, Waiting {
  readonly #connection: Connection
  readonly #wish: CallWish
  readonly #keeper: CallKeeper | undefined
  readonly #turn: Turn
  #outcome: CallOutcome | undefined
  #resolve: ((outcome: CallOutcome | undefined) => void) | undefined
  #patience: Patience | undefined
  #heir: CallListeners | undefined
  #early: ((heir: CallListeners) => void)[] | undefined

  constructor(connection: Connection, wish: CallWish, keeper?: CallKeeper) {
    this.#connection = connection
    this.#wish = wish
    this.#keeper = keeper
    this.#outcome = undefined
    this.#resolve = undefined
    this.#patience = undefined
    this.#heir = undefined
    this.#early = undefined
    this.#turn = connection.begin(wish, this)
  }

  /** Its outcome; undefined when there is something to tell before it, or when `patience` has ended. To be asked once. */
  first(patience?: Patience): Promise<CallOutcome | undefined> {
    if (this.#outcome !== undefined || this.#early !== undefined) return Promise.resolve(this.#outcome)
    this.#patience = patience
    patience?.begin(this)
    return new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  adopt(turn: TurnListener): Promise<CallOutcome> {
    const early = this.#early
    this.#early = undefined
    this.#heir = turn
    for (const tell of early ?? []) tell(turn)
    turn.signal?.addEventListener('abort', () => this.cancel(), { once: true })
    if (turn.signal?.aborted === true) this.cancel()
    if (this.#outcome !== undefined) return Promise.resolve(this.#outcome)
    return new Promise((resolve) => {
      this.#resolve = (outcome) => resolve(outcome!)
    })
  }

  /** Nobody is left to tell anything, unless somebody has adopted it. The call goes on. */
  leave(): void {
    if (this.#heir !== undefined) return
    this.#heir = nobody
    this.#early = undefined
    this.#wake(undefined)
  }

  giveUp(): void {
    this.#wake(undefined)
  }

  cancel(): void {
    if (this.#outcome === undefined) this.#connection.cancel(this.#turn)
  }

  /** Unless somebody has adopted it. */
  cancelAlone(): void {
    if (this.#heir === undefined) this.cancel()
    this.#giveUpAlone()
  }

  settled(outcome: CallOutcome): void {
    this.#outcome = outcome
    this.#keeper?.release()
    if (this.#heir === nobody) this.#giveUpAlone()
    this.#wake(outcome)
  }

  onProgress(body: Uint8Array): void {
    if (this.#wish.client.progress) this.#tell((heir) => heir.onProgress?.(body))
  }

  onLog(level: LogLevel, body: Uint8Array): void {
    if (this.#wish.client.logLevel !== undefined) this.#tell((heir) => heir.onLog?.(level, body))
  }

  /** A question that nobody is left to ask must not keep its worker waiting. */
  #giveUpAlone(): void {
    const isAlone = this.#heir === undefined || this.#heir === nobody
    if (isAlone && this.#outcome?.kind === 'input_required') this.#connection.abandon(this.#outcome.id)
  }

  #tell(tell: (heir: CallListeners) => void): void {
    if (this.#heir !== undefined) return tell(this.#heir)
    this.#early ??= []
    this.#early.push(tell)
    this.#wake(undefined)
  }

  #wake(outcome: CallOutcome | undefined): void {
    this.#patience?.end(this)
    const resolve = this.#resolve
    this.#resolve = undefined
    resolve?.(outcome)
  }
}

const nobody: CallListeners = {}
