import { createHash } from 'node:crypto'
import type { DefinitionKind } from '@callboard/protocol'
import { type HeldDefinitions, nothingHeld } from '../pinning/pinning.js'
import { candidates, type Definition, hashOf } from './definition.js'
import type { PeerId } from './events.js'
import { exposedName } from './exposed-name.js'
import { editionGraceMs, trialMs } from './limits.js'
import type { Offer } from './offer.js'
import { quarantine, type Verdict } from './refusals.js'
import { compareVersions } from './versions.js'

/**
 * What one worker offers, as the catalogue keeps it. Workers with the same version and definitions offer the same
 * **edition** of their service; one edition of a service is in force at a time. [CB-23]
 */
export interface KeptOffer extends Offer {
  readonly peer: PeerId
  /** Of the edition: equal for those that offer the same. */
  readonly digest: string
  /** By `kind key` as the worker has it: the definition's hash, once in force. */
  readonly hashes: ReadonlyMap<string, string>
  /** What of it no operator has accepted. */
  held: HeldDefinitions
  /** UTC ms: when it signed in, last changed its definitions, or was heard again. */
  since: number
  /** Nothing is heard of it: it may hang, and proves nothing by staying. */
  isSilent: boolean
  /** It finishes what it holds and gets nothing new. */
  isLeaving: boolean
}

/** The edition in force, which may have nobody left. */
export interface EditionInForce {
  readonly digest: string
  readonly version: string
  readonly peer: PeerId
  /** UTC ms: when the last worker of it was lost without a goodbye; undefined: one is there, or took its leave. */
  readonly lostAt: number | undefined
}

/** Which edition is to be in force, and when to look again. */
export interface Choice {
  /** Undefined: the one in force stays, without a worker at present. */
  readonly lead: KeptOffer | undefined
  readonly lookAgainAt: number | undefined
}

export function keepOffer(peer: PeerId, offer: Offer, namespace: 'never' | 'always', now: number): KeptOffer {
  const hashes = new Map<string, string>()
  const all = createHash('sha256').update(offer.version)
  for (const { kind, key, value } of candidates(offer.definitions)) {
    const hash = hashOf(JSON.stringify(value), exposedName(kind, offer.service, key, namespace))
    hashes.set(offerKey(kind, key), hash)
    all.update(hash)
  }
  all.update(JSON.stringify(offer.definitions.completions ?? []))
  const digest = all.digest('base64url')
  return { ...offer, peer, digest, hashes, held: nothingHeld, since: now, isSilent: false, isLeaving: false }
}

/**
 * An edition stays in force while a worker of it stays, so that a list does not flap. It gives way to a newer version that
 * has stayed for {@link trialMs}, and to any other when its own workers have left: at once when they said so, after
 * {@link editionGraceMs} when they were lost, because they may be back by then.
 */
export function chooseEdition(offers: Iterable<KeptOffer>, inForce: EditionInForce | undefined, now: number): Choice {
  const staying = [...offers].filter(({ isLeaving }) => !isLeaving)
  if (inForce === undefined) return { lead: highest(staying), lookAgainAt: undefined }
  const same = staying.filter(({ digest }) => digest === inForce.digest)
  const newer = staying.filter(({ version, isSilent }) => !isSilent && compareVersions(version, inForce.version) > 0)
  if (same.length > 0) {
    const proven = highest(newer.filter(({ since }) => now - since >= trialMs))
    if (proven !== undefined) return { lead: proven, lookAgainAt: undefined }
    const lead = same.find(({ peer }) => peer === inForce.peer) ?? same[0]
    return { lead, lookAgainAt: soonest(newer.map(({ since }) => since + trialMs)) }
  }
  const graceEndsAt = (inForce.lostAt ?? Number.NEGATIVE_INFINITY) + editionGraceMs
  if (staying.length > 0 && now < graceEndsAt) return { lead: undefined, lookAgainAt: graceEndsAt }
  return { lead: highest(staying), lookAgainAt: undefined }
}

/** What a worker offers that is not in force as it has it, and was not refused for a reason of its own. */
export function quarantined(
  own: KeptOffer,
  listedVersion: string,
  definitions: readonly Definition[],
  isRefused: (kind: DefinitionKind, key: string) => boolean,
): Verdict[] {
  const inForce = new Map(definitions.map((each) => [offerKey(each.kind, each.workerKey), each.hash]))
  return candidates(own.definitions).flatMap(({ kind, key }) => {
    const hash = inForce.get(offerKey(kind, key))
    if (hash === own.hashes.get(offerKey(kind, key)) || (hash === undefined && isRefused(kind, key))) return []
    return [quarantine(kind, key, listedVersion, hash === undefined ? 'missing' : 'different')]
  })
}

export const offerKey = (kind: DefinitionKind, key: string): string => `${kind} ${key}`

/** The highest version; among equals the one that was there first. */
function highest(offers: readonly KeptOffer[]): KeptOffer | undefined {
  let chosen: KeptOffer | undefined
  for (const offer of offers) {
    if (chosen === undefined || compareVersions(offer.version, chosen.version) > 0) chosen = offer
  }
  return chosen
}

const soonest = (times: readonly number[]): number | undefined => (times.length === 0 ? undefined : Math.min(...times))
