import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeCurveKey,
  encodeCurveKey,
  isRightKeyProof,
  keyProof,
  parseKeyPair,
  publicKeyOf,
  sharedSecret,
  signInProof,
} from '../src/index.js'
import { hex, vectorsDirectory } from './support/vector.js'

interface KeyProofVector {
  readonly name: string
  readonly workerKey: string
  readonly workerSecretKey: string
  readonly hubKey: string
  readonly shared: string
  readonly nonce: string
  readonly epoch: string
  readonly routingId: string
  readonly service: string
  readonly instance: string
  readonly text: string
  readonly proof: string
}

// The keys and their secret are those of RFC 7748; the proofs were computed with openssl and Python, never with the code under test.
const vectors = JSON.parse(readFileSync(new URL('key-proof.json', vectorsDirectory), 'utf8')) as KeyProofVector[]
const [vector] = vectors as [KeyProofVector, ...KeyProofVector[]]
const subjectOf = ({ nonce, ...others }: KeyProofVector) => ({ ...others, nonce: Buffer.from(nonce, 'hex') })

describe('the proof by key', () => {
  test.each(vectors.map((each) => [each.name, each] as const))('[CB-105] %s', (_name, each) => {
    const shared = sharedSecret(each.workerSecretKey, each.hubKey)!
    expect(hex(shared)).toBe(each.shared)
    expect(hex(keyProof(shared, subjectOf(each)))).toBe(each.proof)
    const { nonce, epoch, routingId, service, instance } = each
    expect(each.text).toBe(['CB/1 sign-in by key', nonce, epoch, routingId, service, instance].join('\n'))
  })

  test.each([
    ['nonce', { nonce: new Uint8Array(32) }],
    ['epoch', { epoch: 'aaaaaaaa' }],
    ['routing id', { routingId: `${vector.routingId}0` }],
    ['service', { service: 'kernel' }],
    ['instance', { instance: 'other' }],
  ])('[CB-105] is worth nothing for another %s', (_field, change) => {
    const shared = Buffer.from(vector.shared, 'hex')
    const proof = Buffer.from(vector.proof, 'hex')
    expect(isRightKeyProof(shared, subjectOf(vector), proof)).toBe(true)
    expect(isRightKeyProof(shared, { ...subjectOf(vector), ...change }, proof)).toBe(false)
  })

  test('[CB-105] is another than that by a secret of the same bytes', () => {
    expect(hex(signInProof('x', subjectOf(vector)))).not.toBe(hex(keyProof(Buffer.from('x'), subjectOf(vector))))
  })

  test('[CB-105] is made with no public key that gives everybody the same secret', () => {
    const zero = encodeCurveKey(new Uint8Array(32))
    expect(sharedSecret(vector.workerSecretKey, zero)).toBeUndefined()
    expect(sharedSecret(vector.workerSecretKey, 'short')).toBeUndefined()
  })
})

describe('a key as text', () => {
  test('is the Z85 of its bytes, and each text is of one key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(hex(decodeCurveKey(encodeCurveKey(bytes))!)).toBe(hex(bytes))
      }),
    )
    // Of RFC 32.
    expect(hex(decodeCurveKey('HelloWorld'.repeat(4))!)).toBe('864fd26fb559f75b'.repeat(4))
  })

  test.each(['', 'short', '#'.repeat(40), `${'0'.repeat(39)} `, `${'0'.repeat(39)}é`, '0'.repeat(41)])(
    '%j is none',
    (text) => expect(decodeCurveKey(text)).toBeUndefined(),
  )

  test('the public one follows from the secret one', () => {
    expect(publicKeyOf(vector.workerSecretKey)).toBe(vector.workerKey)
  })
})

describe('a key file', () => {
  const lines = `public ${vector.workerKey}\nsecret ${vector.workerSecretKey}\n`
  const pair = { publicKey: vector.workerKey, secretKey: vector.workerSecretKey }

  test('has a public and a secret key, in any order, and comments', () => {
    expect(parseKeyPair(`# mine\n\n${lines}`)).toEqual(pair)
    expect(parseKeyPair(lines.trim().split('\n').reverse().join('\r\n'))).toEqual(pair)
  })

  test.each([
    ['nothing', ''],
    ['one key', `secret ${vector.workerSecretKey}`],
    ['a public key of another secret one', lines.replace(vector.workerKey, vector.hubKey)],
    ['a line twice', `${lines}${lines}`],
    ['another word', `${lines}other ${vector.hubKey}`],
    ['more in a line', lines.replace('\n', ' more\n')],
  ])('is none with %s', (_what, text) => expect(parseKeyPair(text)).toBeUndefined())
})
