import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto'
import { decodeCurveKey, encodeCurveKey } from './z85.js'

/** An X25519 key pair as CURVE uses it, both parts in Z85. */
export interface CurveKeyPair {
  readonly publicKey: string
  readonly secretKey: string
}

/** What comes before the 32 bytes of a key in DER. */
const secretPrefix = Buffer.from('302e020100300506032b656e04220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b656e032100', 'hex')

/** The public key that belongs to a secret one; undefined where that is no key. */
export function publicKeyOf(secretKey: string): string | undefined {
  const bytes = decodeCurveKey(secretKey)
  if (bytes === undefined) return undefined
  const key = createPublicKey(secretKeyObject(bytes)).export({ type: 'spki', format: 'der' })
  return encodeCurveKey(key.subarray(publicPrefix.byteLength))
}

/**
 * The 32 bytes that only the owners of both secret keys can know [CB-105]; undefined where a text is no key, or the public key is
 * one of the few that give the same secret with everybody.
 */
export function sharedSecret(secretKey: string, publicKey: string): Uint8Array | undefined {
  const [own, other] = [decodeCurveKey(secretKey), decodeCurveKey(publicKey)]
  if (own === undefined || other === undefined) return undefined
  try {
    return diffieHellman({ privateKey: secretKeyObject(own), publicKey: publicKeyObject(other) })
  } catch {
    return undefined
  }
}

const secretKeyObject = (bytes: Uint8Array) =>
  createPrivateKey({ key: Buffer.concat([secretPrefix, bytes]), format: 'der', type: 'pkcs8' })

const publicKeyObject = (bytes: Uint8Array) =>
  createPublicKey({ key: Buffer.concat([publicPrefix, bytes]), format: 'der', type: 'spki' })
