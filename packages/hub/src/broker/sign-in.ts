import { type DefinitionVerdicts, type Hello, nonceBytes, type Ready, suspectAfterMs } from '@callboard/protocol'
import { authorize, isSameAuthorization } from './authorization.js'
import type { CallFlow } from './call-flow.js'
import { type AcceptedCredential, type Credential, judgeCredential, keyRefused, type Refusal } from './credential.js'
import { parseDefinitions } from './definition.js'
import type { Dispatcher } from './dispatcher.js'
import type { Notice } from './effects.js'
import type { HandshakeRefusal, PeerId } from './events.js'
import {
  challengeMs,
  crowdedRetryMs,
  cutOffMax,
  refusalReportMs,
  refusalsToldMax,
  retrySignInMs,
  strangersMax,
  verdictsMax,
  workersMax,
} from './limits.js'
import { takeCredit, type WorkerPeer, workerPeer } from './peers.js'
import type { BrokerState } from './state.js'

/** Protocol versions that this hub speaks. */
const version = 1

type LeaveReason = Extract<Notice, { kind: 'worker_left' }>['reason']

/** How workers come and go. */
export class SignIn {
  readonly #state: BrokerState
  readonly #dispatcher: Dispatcher
  readonly #flow: CallFlow
  /** Peers that were cut off and may still say HELLO over their connection, with the keys that they had. */
  readonly #cutOff = new Map<PeerId, string>()
  /** When a refusal was last told, by service and code. */
  readonly #refusalsTold = new Map<string, number>()

  constructor(state: BrokerState, dispatcher: Dispatcher, flow: CallFlow) {
    this.#state = state
    this.#dispatcher = dispatcher
    this.#flow = flow
  }

  hello(peer: PeerId, message: Hello): void {
    const state = this.#state
    const outstanding = state.peers.stranger(peer)?.nonce
    this.leave(peer, 'hello_again')
    const revoked = this.#cutOff.get(peer)
    if (revoked !== undefined && state.options.keys?.find(revoked) === undefined) {
      state.counters.add('sign_in_refused', 'key_refused')
      return this.#reject(peer, keyRefused)
    }
    this.#cutOff.delete(peer)
    if (state.shuttingDown) {
      return this.#reject(peer, {
        code: 'shutting_down',
        message: 'The hub is shutting down.',
        retryAfterMs: retrySignInMs,
      })
    }
    const [lowest, highest] = message.versions
    if (lowest > version || highest < version) {
      return this.#reject(peer, { code: 'unsupported_version', message: `This hub speaks version ${version} of CB.` })
    }
    // HELLOs that crossed an answer must not make it the wrong one. [CB-12]
    const nonce = outstanding ?? state.options.random(nonceBytes)
    const dropped = state.peers.challenge({ state: 'challenged', peer, nonce }, strangersMax)
    if (dropped !== undefined) state.unschedule('challenge_expired', dropped.peer)
    state.schedule('challenge_expired', peer, challengeMs)
    state.send(peer, { type: 'challenge', version, nonce, epoch: state.options.epoch })
  }

  ready(peer: PeerId, message: Ready): void {
    const state = this.#state
    const stranger = state.peers.stranger(peer)
    if (stranger === undefined || message.epoch !== state.options.epoch) return this.unknown(peer)
    this.forgetStranger(peer)
    const definitions = parseDefinitions(message.body)
    const credential = judgeCredential(peer, stranger.nonce, message, state.options)
    const refusal = this.#refusal(peer, message, credential, definitions !== undefined)
    if (refusal !== undefined || definitions === undefined || 'code' in credential) {
      if (refusal !== undefined) this.#refuse(peer, message, refusal)
      return
    }
    const { trusted, signedInBy } = credential
    const former = state.peers.byInstance(message.instance)
    if (former !== undefined) this.leave(former.peer, 'taken_over')
    const worker = workerPeer(peer, message, credential, state.now)
    const { allowed, refused: unauthorized } = authorize(definitions, signedInBy?.authorization)
    worker.unauthorized = unauthorized.slice(0, verdictsMax)
    state.peers.add(worker)
    state.statisticsOf(message.service).joined()
    const { service, replicas, affinity } = message
    const offer = {
      service,
      version: message.version,
      replicas,
      affinity,
      trusted,
      key: worker.key,
      definitions: allowed,
    }
    state.catalogue.offer(peer, offer, state.now)
    this.#endViewsOfTheGone(service)
    const refused = [...worker.unauthorized, ...state.catalogue.refusedOf(peer, service)].slice(0, verdictsMax)
    state.send(peer, {
      type: 'welcome',
      epoch: state.options.epoch,
      now: state.now,
      trusted,
      body: Buffer.from(JSON.stringify({ refused } satisfies DefinitionVerdicts)),
    })
    state.notice({
      kind: 'worker_joined',
      service,
      instance: message.instance,
      version: message.version,
      trusted,
      ...(worker.key === undefined ? {} : { key: worker.key }),
      refused: refused.slice(0, 16).map(({ name, message: why }) => `${name}: ${why}`),
    })
    this.#welcomeBack(worker, message)
    state.schedule('worker_silence', peer, suspectAfterMs(worker.heartbeatMs))
    this.#dispatcher.offersChanged(service)
  }

  /** Whoever is not signed in may only say HELLO. */
  unknown(peer: PeerId): void {
    this.forgetStranger(peer)
    this.#reject(peer, {
      code: 'unknown_peer',
      message: 'Not signed in here: start again with HELLO.',
      retryAfterMs: 0,
    })
  }

  /** A challenged peer that can't be read will not be read the next time either. [CB-82] */
  unreadable(peer: PeerId): void {
    this.forgetStranger(peer)
    this.#reject(peer, { code: 'protocol_error', message: 'This hub cannot read what came as READY.' })
  }

  /** A worker that did not finish in its time is let go. [CB-78] */
  dismiss(peer: PeerId): void {
    this.#state.send(peer, { type: 'bye', epoch: this.#state.options.epoch })
    this.leave(peer, 'drain_overdue')
  }

  forgetStranger(peer: PeerId): void {
    this.#state.peers.dropStranger(peer)
    this.#state.unschedule('challenge_expired', peer)
  }

  /** A worker is gone, whatever the reason: what it held ends or goes elsewhere. */
  leave(peer: PeerId, reason: LeaveReason): void {
    const state = this.#state
    this.forgetStranger(peer)
    if (reason === 'connection_lost') this.#cutOff.delete(peer)
    const worker = state.peers.worker(peer)
    if (worker === undefined) return
    state.peers.remove(peer)
    state.unschedule('worker_silence', peer)
    state.unschedule('drain_overdue', peer)
    state.unschedule('update_due', peer)
    state.unschedule('ejection_over', peer)
    this.#dispatcher.unbindPeer(peer, worker.service)
    const callsLost = this.#flow.workerLost(worker)
    state.catalogue.withdraw(peer, worker.service, reason !== 'bye', state.now)
    this.#dispatcher.outliers.review(worker.service)
    this.#dispatcher.offersChanged(worker.service)
    state.statisticsOf(worker.service).left(reason)
    state.notice({ kind: 'worker_left', service: worker.service, instance: worker.instance, reason, callsLost })
  }

  /** Asks workers to finish and leave; where the hub ends, to wait for the next one. [CB-78] */
  drain(workers: readonly WorkerPeer[], drainMs: number): void {
    const { options, shuttingDown } = this.#state
    const staying = workers.filter(({ state }) => state === 'ready')
    for (const { peer } of staying) {
      const how = shuttingDown ? { hubEnds: true } : {}
      this.#state.send(peer, { type: 'drain', epoch: options.epoch, drainMs, acknowledged: false, ...how })
    }
    this.#dispatcher.startDraining(staying, drainMs)
  }

  /** Workers whose key is worth something else now are cut off; who may come in still finds the way by itself. [CB-108] */
  reviewKeys(): void {
    const { peers, options } = this.#state
    for (const { peer, service, signedInBy } of [...peers.workers()]) {
      if (signedInBy === undefined) continue
      const { key, authorization } = signedInBy
      const now = options.keys?.standing(key)
      if (now !== undefined && isSameAuthorization(authorization, now, service)) continue
      this.leave(peer, options.keys?.hasExpired(key) === true ? 'key_expired' : 'key_revoked')
      if (now !== undefined) {
        this.unknown(peer)
        continue
      }
      this.#cutOff.set(peer, key)
      const [oldest] = this.#cutOff.keys()
      if (this.#cutOff.size > cutOffMax && oldest !== undefined) this.#cutOff.delete(oldest)
      this.#reject(peer, keyRefused)
    }
  }

  handshakeRefused(reason: HandshakeRefusal): void {
    const { counters } = this.#state
    counters.add('handshakes_refused', reason)
    if (!this.#isNews(`handshake ${reason}`)) return
    const countSoFar = counters.get('handshakes_refused', reason)
    this.#state.notice({ kind: 'handshake_refused', reason, countSoFar })
  }

  #refusal(peer: PeerId, ready: Ready, credential: Credential, readable: boolean): Refusal | undefined {
    const { options, peers } = this.#state
    const { service } = ready
    if (this.#state.shuttingDown) {
      return { code: 'shutting_down', message: 'The hub is shutting down.', retryAfterMs: retrySignInMs }
    }
    if ('code' in credential) return credential
    const { trusted } = credential
    if (!trusted && options.signInSecret !== undefined && options.reservedServices.includes(service)) {
      const message = `${service} is a reserved name: give the worker the hub's sign-in secret, or choose another name.`
      return { code: 'proof_required', message }
    }
    if (!readable)
      return { code: 'invalid_definitions', message: 'The body must be a JSON object of definition lists.' }
    if (peers.workerCount >= workersMax) {
      return { code: 'too_many_workers', message: `There are ${workersMax} workers.`, retryAfterMs: crowdedRetryMs }
    }
    return this.#conflict(peer, ready, credential)
  }

  #conflict(peer: PeerId, ready: Ready, { trusted, signedInBy }: AcceptedCredential): Refusal | undefined {
    const { peers } = this.#state
    const former = peers.byInstance(ready.instance)
    if (former !== undefined) {
      const isSameName = former.signedInBy?.authorization.name === signedInBy?.authorization.name
      const isSameStanding = former.service === ready.service && former.trusted === trusted && isSameName
      const isItself = former.peer !== peer && isSameStanding
      const message = 'This instance is signed in already; an instance id is for one process.'
      if (!isItself || ready.workerEpoch <= former.workerEpoch) {
        return { code: 'duplicate_instance', message, retryAfterMs: retrySignInMs }
      }
    }
    for (const replica of peers.of(ready.service).values()) {
      if (replica === former) continue
      if (ready.replicas === 'one' || !this.#agrees(ready, replica, trusted)) {
        const message =
          ready.replicas === 'one'
            ? `${ready.service} has one replica, and it is signed in.`
            : `Replicas of ${ready.service} must agree on replicas, affinity and trust.`
        return { code: 'service_conflict', message, retryAfterMs: retrySignInMs }
      }
    }
    return undefined
  }

  /** Nobody unproven joins a trusted service: half of its calls would be theirs. */
  #agrees(ready: Ready, replica: WorkerPeer, trusted: boolean): boolean {
    const known = this.#state.catalogue.describe(ready.service)
    return known?.replicas === ready.replicas && known.affinity === ready.affinity && replica.trusted === trusted
  }

  /** What a worker must know that was here before, or whose hub was gone: lost calls, subscriptions, sessions. */
  #welcomeBack(worker: WorkerPeer, message: Ready): void {
    for (const id of new Set(message.held)) {
      if (!id.startsWith(`${this.#state.options.epoch}-`)) continue
      takeCredit(worker, id, 0)
      this.#state.send(worker.peer, { type: 'cancel', id, reason: 'unknown_call' })
    }
    this.tellSubscriptions(worker)
    if (this.#state.sessionsSettled) this.tellSessions(worker)
  }

  /** What an instance said of sessions is in nobody's memory when it is gone and another one has come. [CB-26] */
  #endViewsOfTheGone(service: string): void {
    const there = new Set([...this.#state.peers.of(service).values()].map(({ instance }) => instance))
    this.#state.catalogue.views.endOf(service, (instance) => there.has(instance))
  }

  /** Who watches what this worker owns, now that it has said what that is. [CB-53] */
  tellSubscriptions(worker: WorkerPeer): void {
    const { sessions, catalogue } = this.#state
    for (const session of sessions.values()) {
      for (const uri of session.subscriptions.keys()) {
        const definition = catalogue.resolve('resources/read', uri, session.identity)
        if (definition?.service !== worker.service) continue
        worker.sessions.add(session.id)
        this.#state.send(worker.peer, { type: 'subscribe', uri, session: session.id })
      }
    }
  }

  /** It may know these from before, so it has to hear of their end. [CB-56] */
  tellSessions(worker: WorkerPeer): void {
    const ids = this.#state.sessions.ids()
    for (const id of ids) worker.sessions.add(id)
    const body = Buffer.from(JSON.stringify({ sessions: ids }))
    this.#state.send(worker.peer, { type: 'sessions', body })
  }

  #refuse(peer: PeerId, ready: Ready, refusal: Refusal): void {
    this.#state.counters.add('sign_in_refused', refusal.code)
    this.#reject(peer, refusal)
    const { code, message } = refusal
    const { service } = ready
    if (!this.#isNews(`${service} ${code}`)) return
    const name = ready.key === undefined ? undefined : this.#state.options.keys?.find(ready.key)?.name
    const key = name === undefined ? {} : { key: name }
    this.#state.notice({ kind: 'sign_in_refused', service, ...key, code, message })
  }

  /** A worker that is refused tries again each second: a line now and then tells as much. */
  #isNews(what: string): boolean {
    const { now } = this.#state
    const toldAt = this.#refusalsTold.get(what) ?? Number.NEGATIVE_INFINITY
    if (now - toldAt < refusalReportMs) return false
    this.#refusalsTold.delete(what)
    const [oldest] = this.#refusalsTold
    if (oldest !== undefined && this.#refusalsTold.size >= refusalsToldMax) {
      // Whoever comes under a new name each time must fill neither the log nor the journal: the counter goes on.
      if (now - oldest[1] < refusalReportMs) return false
      this.#refusalsTold.delete(oldest[0])
    }
    this.#refusalsTold.set(what, now)
    return true
  }

  #reject(peer: PeerId, refusal: Refusal): void {
    this.#state.send(peer, { type: 'reject', ...refusal })
  }
}
