import {
  type CallId,
  type CancelReason,
  inputWaitMsMax,
  type LogLevel,
  type NotStartedReason,
  type Request,
  type Response,
  type Resume,
} from '@callboard/protocol'
import type { AbortCause } from './errors.js'
import { type HeldCall, isOfEpoch, type Questions } from './held-calls.js'
import { decodeJson, encodeJson, isRecord } from './json-body.js'
import { handlersMax, questionsMax, waitingMax } from './limits.js'
import { wantsLog } from './log-levels.js'
import type { MadeCalls } from './made-calls.js'
import type { Outcome } from './session-messages.js'
import type { SessionState } from './session-state.js'

/** The calls that this worker serves: REQUEST to RESPONSE, with what comes in between. [CB-32] */
export class ServedCalls {
  readonly #state: SessionState
  readonly #made: MadeCalls

  constructor(state: SessionState, made: MadeCalls) {
    this.#state = state
    this.#made = made
  }

  request(request: Request): void {
    const { handshake, held, heartbeats, drain, waiting } = this.#state
    const { id } = request
    if (held.knows(id) || waiting.has(id)) return
    if (!handshake.isReady) return this.#refuse(id, 'not_signed_in')
    if (!isOfEpoch(id, handshake.epoch!)) return this.#refuse(id, 'foreign_epoch')
    if (drain.isOn) return this.#refuse(id, 'draining')
    // Left out of READY, so this is no double; but the handler of its first life has yet to settle.
    if (held.get(id) !== undefined) return this.#refuse(id, 'over_credit')
    if (!heartbeats.isStale) return this.#accept(request)
    if (waiting.size >= waitingMax) return this.#refuse(id, 'stale')
    waiting.set(id, request)
  }

  /** The hub has shown that what waited is not from before the gap of the event loop. [CB-72] */
  acceptWaiting(): void {
    const { waiting } = this.#state
    const requests = [...waiting.values()]
    waiting.clear()
    for (const request of requests) this.#accept(request)
  }

  refuseWaiting(reason: NotStartedReason): void {
    const { waiting } = this.#state
    for (const id of waiting.keys()) this.#refuse(id, reason)
    waiting.clear()
  }

  settle(id: CallId, result: Outcome): void {
    const { held } = this.#state
    const call = held.remove(id)
    if (call === undefined) return
    this.#made.endChildrenOf(id, 'the handler that made this call has ended')
    if (!this.#isOwed(call)) return
    if (call.standing === 'asked') held.remember(id)
    this.#state.send(toResponse(id, result))
  }

  progress(id: CallId, body: Uint8Array): void {
    const call = this.#state.held.get(id)
    if (call?.state.name !== 'running' || !call.client.progress) return
    this.#state.send({ type: 'progress', id, body })
  }

  log(id: CallId, level: LogLevel, body: Uint8Array): void {
    const call = this.#state.held.get(id)
    if (call?.state.name !== 'running' || !wantsLog(call.client.logLevel, level)) return
    this.#state.send({ type: 'log', id, level, body })
  }

  cancel(id: CallId, reason: CancelReason): void {
    const { held, waiting } = this.#state
    if (waiting.delete(id)) return this.#refuse(id, 'stale')
    const call = held.get(id)
    if (call !== undefined) this.#abort(call, reason)
  }

  abortAll(cause: AbortCause): void {
    for (const call of this.#state.held.all()) this.#abort(call, cause)
  }

  abortOverdue(): void {
    const { held, clock, now } = this.#state
    for (const call of held.overdue(clock, now)) {
      this.#abort(call, call.state.name === 'suspended' ? 'input_abandoned' : 'deadline_exceeded')
    }
  }

  /** One question at a time is before the person; the others of the call wait for its turn. [CB-45] */
  ask(id: CallId, questions: Questions): void {
    const call = this.#state.held.get(id)
    if (call === undefined || call.state.name === 'aborted' || call.questions.length >= questionsMax) {
      return this.#state.emit({ type: 'refuse_input', id, keys: Object.keys(questions) })
    }
    call.questions.push(questions)
    if (call.state.name === 'running') this.#askNext(call)
  }

  resume({ id, deadline, client, body }: Resume): void {
    const { held } = this.#state
    const call = held.get(id)
    if (call?.state.name !== 'suspended') return
    const { asked } = call.state
    const given = decodeJson(body)
    const responses = isRecord(given) && isRecord(given['inputResponses']) ? given['inputResponses'] : {}
    held.resume(call, deadline, client ?? call.client)
    const answers = Object.fromEntries(Object.keys(asked).map((key) => [key, responses[key]]))
    this.#state.emit({ type: 'resume_handler', id, answers, client: call.client })
    this.#askNext(call)
  }

  #accept(request: Request): void {
    const { options, clock, held, audience, now } = this.#state
    const { id, caller, deadline } = request
    if (deadline <= clock.toHub(now)) return this.#refuse(id, 'expired')
    if (held.creditsUsed(caller.depth) >= options.concurrency || held.size >= handlersMax) {
      return this.#refuse(id, 'over_credit')
    }
    audience.meet(caller.session)
    held.add(request)
    this.#state.emit({ type: 'start_handler', request })
  }

  #refuse(id: CallId, reason: NotStartedReason): void {
    this.#state.send({ type: 'response', id, outcome: 'not_started', reason })
  }

  #abort(call: HeldCall, cause: AbortCause): void {
    if (call.state.name === 'aborted') return
    const { id } = call.request
    this.#state.held.abort(call)
    this.#state.emit({ type: 'abort_handler', id, cause })
    this.#made.endChildrenOf(id, 'the call that made this one was aborted')
  }

  #askNext(call: HeldCall): void {
    const asked = call.questions.shift()
    if (asked === undefined) return
    this.#state.held.suspend(call, asked, this.#state.now + inputWaitMsMax)
    const body = encodeJson({ inputRequests: asked })
    this.#state.send({ type: 'input_required', id: call.request.id, timeoutMs: inputWaitMsMax, body })
  }

  /** The hub waits for the final frame of calls of this sign-in, and of those that READY reported. */
  #isOwed(call: HeldCall): boolean {
    const { phase, workerEpoch } = this.#state.handshake
    return (phase.name === 'ready' || phase.name === 'proving') && call.signIn === workerEpoch
  }
}

function toResponse(id: CallId, result: Outcome): Response {
  const { outcome, body } = result
  if (outcome === 'error') return { type: 'response', id, outcome, body }
  return result.isError
    ? { type: 'response', id, outcome, isError: true, body }
    : { type: 'response', id, outcome, body }
}
