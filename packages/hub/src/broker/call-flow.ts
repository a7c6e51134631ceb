import {
  type CancelReason,
  drainMsDefault,
  type InputRequired,
  inputWaitMsMax,
  type Log,
  type Progress,
  type Response,
  type RoutingFailure,
} from '@callboard/protocol'
import type { CallOutcome } from '../port.js'
import { admit } from './admission.js'
import { agentCall } from './agent-call.js'
import {
  awayFailure,
  deadlockFailure,
  lateFailure,
  lostFailure,
  nameOf,
  notConnected,
  resultMessage,
  shedFailure,
  shuttingDown,
  unrecordable,
} from './call-endings.js'
import { callRecord, recordRefused } from './call-record.js'
import type { Call, Conversation } from './calls.js'
import type { Dispatcher, Submission } from './dispatcher.js'
import type { BrokerEvent, CallWish, ConnectionId, PeerId, Ref } from './events.js'
import { logBytesMax, progressBytesMax, suspendedPerWorkerMax, unclaimedMs } from './limits.js'
import { isWanted } from './log-severity.js'
import { callEndOf } from './outliers.js'
import { mayLog, returnCredit, takeCredit, type WorkerPeer } from './peers.js'
import type { ShedReason } from './service-statistics.js'
import type { ShedWatch } from './shed-watch.js'
import { type BrokerState, failure } from './state.js'

/** The life of a call from its start to its one outcome, whoever asked for it. */
export class CallFlow {
  readonly #state: BrokerState
  readonly #dispatcher: Dispatcher
  readonly #shedWatch: ShedWatch

  constructor(state: BrokerState, dispatcher: Dispatcher, shedWatch: ShedWatch) {
    this.#state = state
    this.#dispatcher = dispatcher
    this.#shedWatch = shedWatch
  }

  /** An agent's call. */
  start(ref: Ref, connection: ConnectionId, wish: CallWish): void {
    const state = this.#state
    const identity = state.sessions.identityOf(connection)
    if (identity === undefined) return this.#refuse(ref, notConnected)
    if (state.shuttingDown) return this.#refuse(ref, shuttingDown)
    const definition = state.resolve(wish.method, wish.name, identity)
    const caller = state.sessions.callerOf(connection)!
    if (definition === undefined) {
      recordRefused(state, { wish, client: wish.client, caller, outcome: 'unknown' })
      return state.emit({ type: 'settle', ref, outcome: { kind: 'unknown' } })
    }
    const admitted =
      state.policy === undefined ? wish : admit(state, state.policy, { definition, wish, caller: identity })
    if ('code' in admitted) {
      recordRefused(state, { wish, client: wish.client, caller, outcome: admitted.code, definition })
      return this.#refuse(ref, admitted)
    }
    const id = state.nextCallId()
    const call = agentCall(id, { caller, services: identity.services }, definition, admitted, state.now)
    state.calls.converse(id, identity.principal, connection, ref)
    this.submit(call)
  }

  /** Takes in a call that is complete, an agent's or a worker's. */
  submit(call: Call): void {
    this.#state.calls.add(call)
    this.#state.schedule('deadline', call.id, call.deadline - this.#state.now)
    // A CALL may bring a deadline that passed on its way.
    if (this.#state.now >= call.deadline) return this.deadlinePassed(call.id)
    if (this.#state.options.audit?.refuses() === true) {
      return this.settle(call, { kind: 'failure', failure: unrecordable })
    }
    this.#settleRefused(call, this.#dispatcher.submit(call))
  }

  // What workers say of a call ---------------------------------------------------------------------------------------

  response(worker: WorkerPeer, message: Response): void {
    const call = this.#callAt(worker.peer, message.id)
    if (call !== undefined) this.#wake(call)
    const wasHeld = returnCredit(worker, message.id)
    if (wasHeld) this.#dispatcher.ended(worker.service)
    if (call?.wasChosen === true) this.#dispatcher.outliers.seen(worker, callEndOf(message))
    if (call !== undefined) this.#finish(worker, call, message)
    else this.#state.counters.add('frames_dropped', wasHeld ? 'late' : 'unknown_call')
    this.#dispatcher.pump(worker.service)
  }

  progress(worker: WorkerPeer, message: Progress): void {
    const call = this.#callAt(worker.peer, message.id)
    if (call === undefined) return this.#state.counters.add('frames_dropped', 'late')
    if (message.body.byteLength > progressBytesMax) return this.#state.counters.add('frames_dropped', 'too_large')
    if (call.origin.kind === 'worker') {
      if (!call.origin.wantsProgress) return
      const { peer, workerCallId } = call.origin
      return this.#state.send(peer, { type: 'progress', id: workerCallId, body: message.body })
    }
    const ref = this.#state.calls.conversation(call.id)?.ref
    if (ref !== undefined && call.client.progress) this.#state.emit({ type: 'progress', ref, body: message.body })
  }

  log(worker: WorkerPeer, message: Log): void {
    const { counters, now } = this.#state
    if (message.body.byteLength > logBytesMax) return counters.add('frames_dropped', 'too_large')
    if (!mayLog(worker, now)) return counters.add('frames_dropped', 'log_rate')
    const { level, body } = message
    if (message.id === undefined) {
      return this.#state.emit({ type: 'worker_log', service: worker.service, level, body })
    }
    const call = this.#callAt(worker.peer, message.id)
    const root = call === undefined ? undefined : this.#state.calls.rootOf(call)
    const ref = root === undefined ? undefined : this.#state.calls.conversation(root.id)?.ref
    if (root === undefined || ref === undefined) return counters.add('frames_dropped', 'late')
    if (isWanted(level, root.client.logLevel)) this.#state.emit({ type: 'log', ref, level, body })
  }

  /** The call waits for a person: its clock stops and its credit is free. [CB-45] */
  inputRequired(worker: WorkerPeer, message: InputRequired): void {
    const call = this.#callAt(worker.peer, message.id)
    if (call === undefined || call.state.kind !== 'running') {
      return this.#state.counters.add('frames_dropped', 'unknown_call')
    }
    const root = this.#state.calls.rootOf(call)
    const conversation = root === undefined ? undefined : this.#state.calls.conversation(root.id)
    if (conversation === undefined || worker.suspended.size >= suspendedPerWorkerMax) {
      return this.#cancelAt(worker.peer, call.id, 'input_abandoned')
    }
    returnCredit(worker, call.id)
    worker.suspended.add(call.id)
    call.state = { kind: 'suspended', peer: worker.peer, remainingMs: Math.max(0, call.deadline - this.#state.now) }
    this.#state.unschedule('deadline', call.id)
    this.#state.schedule('input_wait', call.id, Math.min(message.timeoutMs, inputWaitMsMax))
    conversation.waiting.push({ kind: 'question', asking: call.id, body: message.body })
    this.#advance(conversation)
    this.#dispatcher.pump(worker.service)
  }

  // What agents say of a call ----------------------------------------------------------------------------------------

  cancelTurn(ref: Ref): void {
    const conversation = this.#state.calls.conversationByRef(ref)
    if (conversation !== undefined) this.#cancelConversation(conversation)
  }

  abandon(connection: ConnectionId, root: string): void {
    const conversation = this.#state.calls.conversation(root)
    const principal = this.#state.sessions.identityOf(connection)?.principal
    if (conversation !== undefined && conversation.principal === principal) this.#cancelConversation(conversation)
  }

  /** Whoever the calls were for is gone for good. */
  sessionEnded(session: string): void {
    for (const call of [...this.#state.calls.values()]) {
      // A nested call may have ended with its parent.
      if (call.caller.session === session && this.#state.calls.get(call.id) === call) {
        this.stop(call, 'cancelled', failure('cancelled', 'The session has ended.'))
      }
    }
  }

  /** The agent is gone, and with it whatever waits for it. A modern client answers a question on another connection. */
  connectionClosed(connection: ConnectionId): void {
    for (const id of [...this.#state.calls.ofConnection(connection)]) {
      const conversation = this.#state.calls.conversation(id)
      if (conversation === undefined) continue
      const isLegacy = this.#state.calls.get(id)?.client.generation === 'legacy'
      if (conversation.ref === undefined && !isLegacy) continue
      this.#cancelConversation(conversation)
    }
  }

  /** The answer to a question: the next turn of the same call. */
  resume({ ref, connection, id: root, body, client }: Extract<BrokerEvent, { type: 'resume' }>): void {
    const { calls, sessions } = this.#state
    const conversation = calls.conversation(root)
    const principal = sessions.identityOf(connection)?.principal
    if (conversation === undefined || conversation.principal !== principal || conversation.ref !== undefined) {
      return this.#refuse(ref, failure('cancelled', 'This question is no longer open; call the tool again.'))
    }
    calls.openTurn(conversation, connection, ref)
    if (client !== undefined) calls.listenBy(root, client)
    this.#state.unschedule('conversation_expired', root)
    const asking = conversation.asked === undefined ? undefined : calls.get(conversation.asked)
    conversation.asked = undefined
    if (asking?.state.kind === 'suspended') {
      const { peer } = asking.state
      this.#wake(asking)
      if (this.#state.options.audit !== undefined) this.#state.emit({ type: 'input_answered', id: asking.id, body })
      const heard = client === undefined ? {} : { client: asking.client }
      this.#state.send(peer, { type: 'resume', id: asking.id, deadline: asking.deadline, ...heard, body })
    }
    this.#advance(conversation)
  }

  // What time does to a call -----------------------------------------------------------------------------------------

  deadlinePassed(id: string): void {
    const call = this.#state.calls.get(id)
    if (call === undefined) return
    const worker = call.state.kind === 'running' ? this.#state.peers.worker(call.state.peer) : undefined
    // Who gave a call less time than its tool is due has no right to complain of the worker.
    const hadItsTime = call.deadline - call.startedAt >= call.definition.timeoutMs
    if (worker !== undefined && hadItsTime && call.wasChosen) this.#dispatcher.outliers.seen(worker, 'unanswered')
    this.stop(call, 'deadline_exceeded', lateFailure(call))
  }

  /** Whoever gets it now has too little time left for it. */
  queueExpired(id: string): void {
    const call = this.#state.calls.get(id)
    if (call?.state.kind !== 'queued' || this.#dispatcher.isForsaken(call)) return
    // The calls of its own chain have kept it waiting, which nobody who tries again would change. [CB-64]
    if (this.#state.calls.isInCircle(call)) this.settle(call, { kind: 'failure', failure: deadlockFailure(call) })
    else this.#shed(call, 'expired')
  }

  graceOver(id: string): void {
    const call = this.#state.calls.get(id)
    if (call === undefined || call.state.kind !== 'queued' || !this.#dispatcher.isForsaken(call)) return
    this.settle(call, this.#away(call))
  }

  /** Nobody answered: the handler is told so, and goes on as it will. */
  inputWaitOver(id: string): void {
    const call = this.#state.calls.get(id)
    if (call?.state.kind !== 'suspended') return
    const { peer } = call.state
    this.#wake(call)
    this.#cancelAt(peer, id, 'input_abandoned')
  }

  conversationExpired(root: string): void {
    const conversation = this.#state.calls.conversation(root)
    if (conversation !== undefined && conversation.ref === undefined) this.#cancelConversation(conversation)
  }

  // What becomes of calls when a worker is gone ----------------------------------------------------------------------

  /** Returns how many calls ended for it. */
  workerLost(worker: WorkerPeer): number {
    let lost = 0
    // The youngest first: each goes back to the head of its queue.
    for (const id of [...worker.held.keys(), ...worker.suspended].reverse()) {
      const call = this.#callAt(worker.peer, id)
      if (call === undefined) continue
      const isTriedAgain = this.#isRepeatable(call) && this.#dispatcher.resubmit(call, 'lost') === 'queued'
      if (isTriedAgain) {
        call.mayHaveRun = true
        this.#cancelChildren(call)
        continue
      }
      lost++
      this.settle(call, { kind: 'failure', failure: lostFailure(call) }, worker)
    }
    for (const id of [...worker.calls]) {
      const call = this.#state.calls.get(id)
      if (call !== undefined) this.stop(call, 'disconnected', failure('cancelled', 'The calling worker is gone.'))
    }
    return lost
  }

  // Ends -------------------------------------------------------------------------------------------------------------

  /** Ends a call that a worker may still work on: the worker is told, its credit stays out until it has answered. */
  stop(call: Call, reason: CancelReason, why: RoutingFailure): void {
    if (call.state.kind === 'suspended') this.#wake(call)
    if (call.state.kind === 'running') this.#cancelAt(call.state.peer, call.id, reason)
    this.settle(call, { kind: 'failure', failure: why })
  }

  /** The one place where a call ends. */
  settle(call: Call, outcome: CallOutcome, lostWith?: WorkerPeer): void {
    const state = this.#state
    if (state.options.audit !== undefined) {
      state.emit({ type: 'call_ended', record: callRecord(call, outcome, state, lostWith) })
    }
    if (call.state.kind === 'queued') this.#dispatcher.dequeue(call)
    state.unschedule('deadline', call.id)
    if (call.state.kind === 'suspended') state.unschedule('input_wait', call.id)
    this.#cancelChildren(call)
    state.calls.remove(call)
    state.statisticsOf(call.definition.service).ended(nameOf(outcome), state.now - call.startedAt)
    if (call.origin.kind === 'worker')
      return this.#answerWorker(call.origin.peer, call.origin.workerCallId, call.id, outcome)
    const conversation = state.calls.conversation(call.id)
    if (conversation === undefined) return
    if (conversation.ref !== undefined && conversation.waiting.length === 0)
      return this.#conclude(conversation, outcome)
    conversation.waiting.push({ kind: 'final', outcome })
    this.#advance(conversation)
  }

  #finish(worker: WorkerPeer, call: Call, message: Response): void {
    switch (message.outcome) {
      case 'result': {
        const { body, isError = false } = message
        return this.settle(call, { kind: 'result', body, isError, trusted: worker.trusted })
      }
      case 'error':
        return this.settle(call, { kind: 'error', body: message.body })
      case 'not_started':
        return this.#notStarted(worker, call, message.reason)
    }
  }

  #notStarted(worker: WorkerPeer, call: Call, reason: string): void {
    this.#state.counters.add('not_started', reason)
    // Its DRAIN has crossed the REQUEST, or is still to come.
    if (reason === 'draining' && worker.state === 'ready') this.#dispatcher.startDraining([worker], drainMsDefault)
    // It is nobody's now: there is no worker to tell, and it had no effect.
    call.state = { kind: 'queued' }
    if (this.#state.now >= call.deadline) return this.deadlinePassed(call.id)
    this.#settleRefused(call, this.#dispatcher.resubmit(call, reason === 'draining' ? 'draining' : 'not_started'))
  }

  #settleRefused(call: Call, submission: Submission): void {
    switch (submission) {
      case 'handed_over':
      case 'queued':
        return
      case 'worn_out':
        return this.settle(call, this.#away(call))
      case 'queue_full':
      case 'share_used': {
        const excess = this.#dispatcher.excessOver(call)
        if (excess === undefined) return this.#shed(call, submission)
        this.#shed(excess, submission)
        return this.#dispatcher.enqueue(call)
      }
      default:
        return this.#shed(call, submission)
    }
  }

  /** Ends a call that was certainly not started, to keep what waits short. */
  #shed(call: Call, reason: ShedReason): void {
    const { service } = call.definition
    const { principal, onBehalfOf } = call.caller
    this.#shedWatch.shed(service, reason, onBehalfOf ?? principal)
    this.settle(call, { kind: 'failure', failure: shedFailure(call, reason, this.#dispatcher.retryAfterMs(service)) })
  }

  /** A second execution does no harm, and it needs nothing that was lost with the worker. [CB-37] */
  #isRepeatable({ state, definition: { retriable, service } }: Call): boolean {
    return state.kind === 'running' && retriable && this.#state.catalogue.affinityOf(service) === 'none'
  }

  /** What an instance kept is gone with it; anything else may come back with its service. [CB-102] */
  #away(call: Call): CallOutcome {
    const { service, keeper } = call.definition
    if (keeper !== undefined && this.#state.peers.keeper(service, keeper) === undefined) return { kind: 'unknown' }
    return { kind: 'failure', failure: awayFailure(call) }
  }

  /** A suspended call runs again, with what was left of its time. */
  #wake(call: Call): void {
    if (call.state.kind !== 'suspended') return
    const { peer, remainingMs } = call.state
    const worker = this.#state.peers.worker(peer)
    if (worker !== undefined) {
      worker.suspended.delete(call.id)
      takeCredit(worker, call.id, call.caller.depth)
    }
    call.state = { kind: 'running', peer }
    call.deadline = this.#state.now + remainingMs
    this.#state.unschedule('input_wait', call.id)
    this.#state.schedule('deadline', call.id, remainingMs)
    this.#withdrawQuestion(call)
  }

  /** A later question of the same call must not get the answer to this one. */
  #withdrawQuestion(call: Call): void {
    const root = this.#state.calls.rootOf(call)
    const conversation = root === undefined ? undefined : this.#state.calls.conversation(root.id)
    if (conversation === undefined) return
    if (conversation.asked === call.id) conversation.asked = undefined
    const index = conversation.waiting.findIndex((turn) => turn.kind === 'question' && turn.asking === call.id)
    if (index >= 0) conversation.waiting.splice(index, 1)
  }

  #cancelConversation(conversation: Conversation): void {
    const call = this.#state.calls.get(conversation.root)
    if (call !== undefined) this.stop(call, 'cancelled', failure('cancelled', 'The call was cancelled.'))
    this.#state.unschedule('conversation_expired', conversation.root)
    this.#state.calls.endConversation(conversation)
  }

  #cancelChildren(call: Call): void {
    if (call.children === undefined) return
    for (const id of [...call.children]) {
      const child = this.#state.calls.get(id)
      if (child !== undefined) this.stop(child, 'cancelled', failure('cancelled', 'The parent call has ended.'))
    }
  }

  #cancelAt(peer: PeerId, id: string, reason: CancelReason): void {
    this.#state.send(peer, { type: 'cancel', id, reason })
  }

  /** Says the next thing that there is to say to an agent whose turn is open. */
  #advance(conversation: Conversation): void {
    const { calls } = this.#state
    while (conversation.ref !== undefined) {
      const turn = conversation.waiting.shift()
      if (turn === undefined) return
      if (turn.kind === 'final') return this.#conclude(conversation, turn.outcome)
      if (calls.get(turn.asking)?.state.kind !== 'suspended') continue
      conversation.asked = turn.asking
      const ref = calls.closeTurn(conversation)!
      this.#state.schedule('conversation_expired', conversation.root, inputWaitMsMax + unclaimedMs)
      const outcome: CallOutcome = { kind: 'input_required', id: conversation.root, body: turn.body }
      return this.#state.emit({ type: 'settle', ref, outcome })
    }
  }

  /** The last thing there is to say, in a turn that is open. */
  #conclude(conversation: Conversation, outcome: CallOutcome): void {
    const ref = conversation.ref!
    this.#state.calls.endConversation(conversation)
    this.#state.emit({ type: 'settle', ref, outcome })
  }

  #answerWorker(peer: PeerId, workerCallId: string, id: string, outcome: CallOutcome): void {
    const worker = this.#state.peers.worker(peer)
    if (worker === undefined || !worker.calls.delete(id)) return
    this.#state.send(peer, resultMessage(workerCallId, outcome))
  }

  /** The call, if it was handed to that very worker and is not answered yet. */
  #callAt(peer: PeerId, id: string): Call | undefined {
    const call = this.#state.calls.get(id)
    return call !== undefined && call.state.kind !== 'queued' && call.state.peer === peer ? call : undefined
  }

  #refuse(ref: Ref, why: RoutingFailure): void {
    this.#state.emit({ type: 'settle', ref, outcome: { kind: 'failure', failure: why } })
  }
}
