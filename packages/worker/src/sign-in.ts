import {
  type Challenge,
  type DefinitionVerdicts,
  keyProof,
  type Ready,
  type Reject,
  signInProof,
  type Welcome,
} from '@callboard/protocol'
import type { Announcements } from './announcements.js'
import type { Departure } from './departure.js'
import { spokenVersion } from './handshake.js'
import { decodeJson, isRecord } from './json-body.js'
import { restartPauseMs } from './limits.js'
import type { MadeCalls } from './made-calls.js'
import type { ServedCalls } from './served-calls.js'
import type { SessionOptions, SessionState } from './session-state.js'

/** The parts that hear of a sign-in's beginning and end. */
interface Parts {
  readonly served: ServedCalls
  readonly made: MadeCalls
  readonly announcements: Announcements
  readonly departure: Departure
}

/** How this worker finds the hub and loses it. */
export class SignIn {
  readonly #state: SessionState
  readonly #parts: Parts

  constructor(state: SessionState, parts: Parts) {
    this.#state = state
    this.#parts = parts
  }

  linkUp(): void {
    // A handshake on a connection that was thought to live: the old one is gone, its notice may come later or never.
    if (this.#state.isReady) this.disconnect('link_lost')
    this.greet()
  }

  linkLost(): void {
    this.#state.search.linkLost()
    // HELLO may already be on its way over the next connection: its answer still counts.
    this.disconnect('link_lost')
  }

  greet(): void {
    const { handshake, heartbeats, drain, now } = this.#state
    // On the way out there is nobody to greet; a due HELLO must not stay due.
    if (drain.isOn) return handshake.rest()
    heartbeats.greet()
    this.#state.send(handshake.hello(now))
  }

  challenged(challenge: Challenge): void {
    const { options, handshake, held, drain, definitions, now } = this.#state
    if (drain.isOn || !handshake.challenged(challenge, now)) return
    if (challenge.version !== spokenVersion) {
      const message = `it speaks version ${challenge.version} of the protocol, this worker version ${spokenVersion} only`
      return this.#giveUp('unsupported_version', message)
    }
    const { epoch, nonce } = challenge
    const { service, version, instance, concurrency, heartbeatMs, replicas, affinity } = options
    const { workerEpoch } = handshake
    this.#state.announced = definitions
    this.#state.send({
      type: 'ready',
      epoch,
      service,
      version,
      instance,
      workerEpoch,
      ...credential(options, nonce, epoch),
      concurrency,
      heartbeatMs,
      replicas,
      affinity,
      held: held.beginSignIn(epoch, workerEpoch),
      body: definitions,
    })
  }

  welcomed(welcome: Welcome): void {
    const { handshake, clock, heartbeats, search, now } = this.#state
    if (!handshake.welcomed(welcome.epoch)) return
    search.end()
    clock.guess(welcome.now, now)
    heartbeats.start(now)
    this.#state.emit({ type: 'ready', trusted: welcome.trusted, refused: refusedIn(welcome.body) })
    this.#parts.announcements.repeat()
    this.#parts.departure.tellHub()
  }

  rejected({ code, message, retryAfterMs }: Reject): void {
    const { handshake, drain, search } = this.#state
    if (code !== 'unknown_peer') search.refused(`${message} (${code})`)
    if (code === 'unknown_peer' || retryAfterMs !== undefined) return this.#startAgain(retryAfterMs ?? 0, message)
    const mayAnswerAnother = !handshake.isReady && !handshake.isSole
    const mayAnswerOldNonce = code === 'bad_proof' && !handshake.proofRefused()
    if (mayAnswerAnother || mayAnswerOldNonce || drain.isOn) return this.#startAgain(restartPauseMs, message)
    this.#giveUp(code, message)
  }

  hubLeft(epoch: string): void {
    if (epoch !== this.#state.epoch) return
    if (this.#state.drain.isLeaving) this.#parts.departure.close()
    else this.#startAgain(restartPauseMs, 'the hub said BYE')
  }

  /** The way out led back to where a worker waits for a hub: nothing that it owed is left behind. [CB-78] */
  hubEnded(): void {
    this.#startAgain(restartPauseMs, 'the hub has ended')
  }

  /** Whatever ends a sign-in: the hub has answered its calls as `outcome_unknown`, so nobody waits for them. [CB-18] */
  disconnect(cause: string): void {
    const { handshake, heartbeats, drain, search, waiting, now } = this.#state
    const { served, made, announcements } = this.#parts
    const wasReady = handshake.isReady
    if (wasReady || handshake.phase.name === 'proving') handshake.disconnected(now)
    heartbeats.stop()
    waiting.clear()
    served.abortAll('link_lost')
    made.failAll()
    announcements.dropSubscriptions()
    if (wasReady) {
      search.begin(now)
      this.#state.emit({ type: 'unready', cause })
    }
    drain.linkLost(now)
  }

  #giveUp(code: Reject['code'], message: string): void {
    this.#parts.served.abortAll('stopped')
    this.#parts.made.failAll()
    this.#state.emit({ type: 'fatal', code, message })
    this.#state.handshake.close()
  }

  #startAgain(atLeastMs: number, cause: string): void {
    const { handshake, now } = this.#state
    this.disconnect(cause)
    handshake.sendBack(now, atLeastMs)
    if (handshake.dueAt <= now) this.greet()
  }
}

/** What READY says of who this is. [CB-14] [CB-105] */
function credential(
  { secret, key, routingId, service, instance }: SessionOptions,
  nonce: Uint8Array,
  epoch: string,
): Pick<Ready, 'key' | 'proof'> {
  const subject = { nonce, epoch, routingId, service, instance }
  if (key !== undefined) return { key: key.publicKey, proof: keyProof(key.shared, subject) }
  return secret === undefined ? {} : { proof: signInProof(secret, subject) }
}

function refusedIn(body: Uint8Array): DefinitionVerdicts['refused'] {
  const verdicts = decodeJson(body)
  return isRecord(verdicts) && Array.isArray(verdicts['refused']) ? verdicts['refused'] : []
}
