import type { Affinity, Definitions, Replicas } from '@callboard/protocol'
import { heldKey } from '../pinning/pinning.js'
import type { Definition } from './definition.js'
import { type EditionInForce, type KeptOffer, offerKey } from './editions.js'
import type { PeerId } from './events.js'
import { absentCharactersMax, absentServicesMax, forgetServiceMs } from './limits.js'
import type { Refusal } from './refusals.js'

/** A service as it is kept over a restart of the hub. */
export interface StoredService {
  readonly service: string
  readonly version: string
  readonly replicas: Replicas
  readonly affinity: Affinity
  readonly lastSeenAt: number
  /** It proved itself: its names can't be taken by one that did not. */
  readonly trusted: boolean
  /** The name of the key by which whoever offered it last signed in. */
  readonly key?: string | undefined
  readonly definitions: Definitions
}

/** What the catalogue knows of one service. */
export interface ServiceEntry {
  readonly service: string
  stored: StoredService
  readonly offers: Map<PeerId, KeptOffer>
  /** Undefined while there has been no worker since the hub's start. */
  inForce: EditionInForce | undefined
  /** By worker: those of the definitions in force that it offers just so. Asked for with every call. */
  readonly serves: Map<PeerId, ReadonlySet<Definition>>
  definitions: Definition[]
  /** What else the listed one has. */
  refused: Refusal[]
}

/** Takes down which of the definitions in force a worker may answer for. */
export function noteServed(entry: ServiceEntry, { peer, hashes, held }: KeptOffer): void {
  const served = entry.definitions.filter(({ kind, workerKey, hash }) => {
    return hashes.get(offerKey(kind, workerKey)) === hash && !held.has(heldKey(kind, hash))
  })
  entry.serves.set(peer, new Set(served))
}

/** Of the services that are away, the one seen last is kept first. */
export function toForget(absent: readonly ServiceEntry[], now: number): ServiceEntry[] {
  let count = 0
  let characters = 0
  const latestFirst = absent.toSorted((one, other) => other.stored.lastSeenAt - one.stored.lastSeenAt)
  return latestFirst.filter(({ stored: { trusted, lastSeenAt }, definitions }) => {
    if (!trusted) {
      count++
      characters += definitions.reduce((sum, definition) => sum + definition.characters, 0)
    }
    const isCrowded = !trusted && (count > absentServicesMax || characters > absentCharactersMax)
    return isCrowded || now - lastSeenAt > forgetServiceMs
  })
}
