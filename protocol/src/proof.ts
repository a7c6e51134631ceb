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
  const nonce = Buffer.from(subject.nonce).toString('hex')
  // No field can hold a line feed, so no two subjects give the same text.
  const lines = ['CB/1 sign-in', nonce, subject.epoch, subject.routingId, subject.service, subject.instance]
  return createHmac('sha256', secret).update(lines.join('\n')).digest()
}

export function isRightProof(secret: string, subject: ProofSubject, proof: Uint8Array): boolean {
  const expected = signInProof(secret, subject)
  return proof.byteLength === expected.byteLength && timingSafeEqual(proof, expected)
}
