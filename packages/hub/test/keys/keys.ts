import { curveKeyPair } from 'zeromq'

/** A key as a new worker has it. */
export const newKey = (): string => curveKeyPair().publicKey
