import { isRightKeyProof, isRightProof, type ProofSubject, type Ready, type RejectCode } from '@callboard/protocol'
import type { PeerId } from './events.js'
import { isKeyedPeer, routingIdOf } from './keyed-peer.js'
import { keyRetryMs } from './limits.js'
import type { WorkerPeer } from './peers.js'
import type { BrokerOptions } from './state.js'

export interface Refusal {
  readonly code: RejectCode
  readonly message: string
  readonly retryAfterMs?: number
}

export type AcceptedCredential = Pick<WorkerPeer, 'trusted' | 'signedInBy'>

/** What READY's proof makes of a peer, or why it makes nothing. */
export type Credential = AcceptedCredential | Refusal

/** An operator may authorise the key at any time, so the worker asks again. */
export const keyRefused: Refusal = {
  code: 'key_refused',
  message:
    'This hub does not know the key, or it was revoked or has expired: an operator runs "callboard keys authorize".',
  retryAfterMs: keyRetryMs,
}

/** Judges the proof of READY: by key where it names one, else by the sign-in secret. [CB-14] [CB-105] [CB-106] */
export function judgeCredential(peer: PeerId, nonce: Uint8Array, ready: Ready, options: BrokerOptions): Credential {
  const { service, instance } = ready
  const subject = { nonce, epoch: options.epoch, routingId: routingIdOf(peer), service, instance }
  if (ready.key !== undefined) return byKey(ready.key, subject, ready.proof, options)
  if (isKeyedPeer(peer)) {
    return { code: 'key_required', message: 'Over this endpoint a worker signs in by its key: READY must name it.' }
  }
  const { signInSecret } = options
  if (ready.proof === undefined || signInSecret === undefined) return { trusted: false, signedInBy: undefined }
  if (isRightProof(signInSecret, subject, ready.proof)) return { trusted: true, signedInBy: undefined }
  return { code: 'bad_proof', message: 'The proof does not fit this hub: check the sign-in secret.' }
}

function byKey(
  key: string,
  subject: ProofSubject,
  proof: Uint8Array | undefined,
  { keys, reservedServices }: BrokerOptions,
): Credential {
  const authorization = keys?.find(key)
  const shared = authorization && keys?.sharedSecret(key)
  if (authorization === undefined || shared === undefined) return keyRefused
  if (proof === undefined || !isRightKeyProof(shared, subject, proof)) {
    return { code: 'bad_proof', message: 'The proof does not fit the key that READY names.' }
  }
  const { name, services, trusted } = authorization
  const { service } = subject
  if (!services.includes(service)) {
    const message = `The key of ${name} may not offer ${service}: an operator adds it to services= of the key.`
    return { code: 'not_authorized', message, retryAfterMs: keyRetryMs }
  }
  if (!trusted && reservedServices.includes(service)) {
    const message = `${service} is a reserved name: the key of ${name} must be trusted for it.`
    return { code: 'not_authorized', message, retryAfterMs: keyRetryMs }
  }
  return { trusted, signedInBy: { key, authorization } }
}
