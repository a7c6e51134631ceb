import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isRightProof, type ProofSubject, signInProof } from '../src/index.js'
import { hex, vectorsDirectory } from './support/vector.js'

interface ProofVector {
  readonly name: string
  readonly secret: string
  readonly nonce: string
  readonly epoch: string
  readonly routingId: string
  readonly service: string
  readonly instance: string
  readonly text: string
  readonly proof: string
}

// Computed once with `openssl dgst -sha256 -hmac`, and again with Python's hmac; never with the code under test.
const vectors = JSON.parse(readFileSync(new URL('proof.json', vectorsDirectory), 'utf8')) as ProofVector[]
const subjectOf = ({ nonce, epoch, routingId, service, instance }: ProofVector): ProofSubject => ({
  nonce: Buffer.from(nonce, 'hex'),
  epoch,
  routingId,
  service,
  instance,
})

describe('signInProof', () => {
  test.each(vectors.map((vector) => [vector.name, vector] as const))('[CB-14] %s', (_name, vector) => {
    expect(hex(signInProof(vector.secret, subjectOf(vector)))).toBe(vector.proof)
    expect(isRightProof(vector.secret, subjectOf(vector), Buffer.from(vector.proof, 'hex'))).toBe(true)
  })

  test('[CB-14] the text of each vector is that of the clause', () => {
    for (const { nonce, epoch, routingId, service, instance, text } of vectors) {
      expect(text).toBe(`CB/1 sign-in\n${nonce}\n${epoch}\n${routingId}\n${service}\n${instance}`)
    }
  })
})

describe('isRightProof', () => {
  const [vector] = vectors as [ProofVector, ...ProofVector[]]
  const subject = subjectOf(vector)
  const proof = signInProof(vector.secret, subject)

  test.each([
    ['nonce', { nonce: new Uint8Array(32) }],
    ['epoch', { epoch: 'aaaaaaaa' }],
    ['routing id', { routingId: `${subject.routingId}0` }],
    ['service', { service: 'kernel' }],
    ['instance', { instance: 'other' }],
  ])('[CB-14] refuses a proof made for another %s', (_field, change) => {
    expect(isRightProof(vector.secret, { ...subject, ...change }, proof)).toBe(false)
  })

  test('[CB-14] refuses another secret', () => expect(isRightProof('other', subject, proof)).toBe(false))

  test('[CB-14] refuses every other length, and every flipped bit', () => {
    for (const length of [0, 1, 31]) expect(isRightProof(vector.secret, subject, proof.subarray(0, length))).toBe(false)
    expect(isRightProof(vector.secret, subject, Buffer.concat([proof, proof]))).toBe(false)
    for (let bit = 0; bit < 256; bit++) {
      const flipped = Buffer.from(proof)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      expect(isRightProof(vector.secret, subject, flipped)).toBe(false)
    }
  })
})
