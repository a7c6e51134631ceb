import type { CallId, Progress, Result } from '@callboard/protocol'
import type { HeldCall } from './held-calls.js'
import type { CallEnd } from './open-calls.js'
import type { CallStart } from './session-messages.js'
import type { SessionState } from './session-state.js'

/** The calls that this worker makes: CALL to RESULT. [CB-60] */
export class MadeCalls {
  readonly #state: SessionState

  constructor(state: SessionState) {
    this.#state = state
  }

  start(call: CallStart): void {
    const { clock, held, open, now, epoch } = this.#state
    const { id, method, name, on, timeoutMs, idempotencyKey, progress, body } = call
    const parent = on !== 'own' && 'parent' in on ? held.get(on.parent) : undefined
    const problem = this.#problemOf(call, parent)
    if (problem !== undefined) return this.#fail(id, problem)
    const asked = timeoutMs === undefined ? undefined : clock.toHub(now + timeoutMs)
    const deadline = Math.min(asked ?? Number.POSITIVE_INFINITY, parent?.deadline ?? Number.POSITIVE_INFINITY)
    open.start(id, parent?.request.id)
    this.#state.send({
      type: 'call',
      epoch: epoch!,
      id,
      method,
      name,
      ...(on === 'own' ? {} : on),
      ...(Number.isFinite(deadline) ? { deadline } : {}),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      progress,
      body,
    })
  }

  result({ type: _, id, ...result }: Result): void {
    if (this.#state.open.end(id)) this.#state.emit({ type: 'settle_call', id, result })
  }

  progress({ id, body }: Progress): void {
    if (this.#state.open.has(id)) this.#state.emit({ type: 'call_progressed', id, body })
  }

  /** The shell no longer waits; the answer that is still to come is for nobody. */
  giveUp(id: string): void {
    if (this.#state.open.end(id)) this.#sendCancel(id)
  }

  endChildrenOf(parent: CallId, message: string): void {
    for (const id of this.#state.open.endChildrenOf(parent)) {
      this.#sendCancel(id)
      this.#fail(id, { code: 'cancelled', message, retryable: false })
    }
  }

  /** The sign-in has ended, and with it every answer that was to come. [CB-66] */
  failAll(): void {
    const message = 'The connection to the hub was lost before the answer came: the call may have happened.'
    for (const id of this.#state.open.endAll()) this.#fail(id, { code: 'outcome_unknown', message, retryable: false })
  }

  #problemOf({ on }: CallStart, parent: HeldCall | undefined): CallEnd | undefined {
    const { isReady, drain, open } = this.#state
    if (on !== 'own' && 'parent' in on && (parent === undefined || parent.state.name === 'aborted')) {
      return { code: 'cancelled', message: 'The call that this one belongs to is over.', retryable: false }
    }
    if (!isReady || drain.isLeaving) {
      return { code: 'unavailable', message: 'This worker is not connected to a hub.', retryable: true }
    }
    if (open.isFull) {
      return { code: 'overloaded', message: 'Too many calls of this worker wait for an answer.', retryable: true }
    }
    return undefined
  }

  #fail(id: string, failure: CallEnd): void {
    this.#state.emit({ type: 'settle_call', id, result: { outcome: 'failure', failure } })
  }

  #sendCancel(id: string): void {
    if (this.#state.isReady) this.#state.send({ type: 'cancel', id, reason: 'cancelled' })
  }
}
