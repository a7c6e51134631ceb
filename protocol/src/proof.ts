import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a proof binds together: this hub's challenge, this connection, this name. [CB-14] */
export interface ProofSubject {
  readonly nonce: Uint8Array
  readonly epoch: string
  readonly routingId: string
  readonly service: string
  readonly instance: string
}

/** 32 bytes: HMAC-SHA256 with the sign-in secret as key. */
export function signInProof(secret: string, subject: ProofSubject): Uint8Array {
  return hmac(secret, 'CB/1 sign-in', subject)
}

export function isRightProof(secret: string, subject: ProofSubject, proof: Uint8Array): boolean {
  return isSame(signInProof(secret, subject), proof)
}

/** 32 bytes: HMAC-SHA256 with what the worker's and the hub's keys make together as key. [CB-105] */
export function keyProof(shared: Uint8Array, subject: ProofSubject): Uint8Array {
  return hmac(shared, 'CB/1 sign-in by key', subject)
}

export function isRightKeyProof(shared: Uint8Array, subject: ProofSubject, proof: Uint8Array): boolean {
  return isSame(keyProof(shared, subject), proof)
}

function hmac(key: string | Uint8Array, purpose: string, subject: ProofSubject): Uint8Array {
  const nonce = Buffer.from(subject.nonce).toString('hex')
  // No field can hold a line feed, so no two subjects give the same text.
  const lines = [purpose, nonce, subject.epoch, subject.routingId, subject.service, subject.instance]
  return createHmac('sha256', key).update(lines.join('\n')).digest()
}

function isSame(expected: Uint8Array, proof: Uint8Array): boolean {
  return proof.byteLength === expected.byteLength && timingSafeEqual(proof, expected)
}
