import type { DefinitionKind } from '@callboard/protocol'
import { type KeptOffer, offerKey, quarantined } from './editions.js'
import { verdictsMax } from './limits.js'
import { type Holder, heldBack, type Refusal, type Verdict, verdictOf } from './refusals.js'
import type { ServiceEntry } from './service-entry.js'

/** A name that a service would have. */
export interface Claim {
  readonly kind: DefinitionKind
  readonly key: string
  readonly service: string
}

/** What a worker offers that is not in force, each with the reason as it is now; of many the first. */
export function verdictsOf(
  own: KeptOffer,
  entry: ServiceEntry,
  holderOf: (claim: Claim) => Holder | undefined,
): Verdict[] {
  const held = [...own.held.values()].slice(0, verdictsMax)
  const heldKeys = new Set(held.map(({ kind, workerKey }) => offerKey(kind, workerKey)))
  const refused = entry.refused.filter(({ kind, workerKey }) => {
    return own.hashes.has(offerKey(kind, workerKey)) && !heldKeys.has(offerKey(kind, workerKey))
  })
  const told = refused.slice(0, verdictsMax).map((refusal) => toldOf(refusal, entry.service, holderOf))
  const verdicts = [...held.map(heldBack), ...told]
  if (own.digest === entry.inForce?.digest) return verdicts.slice(0, verdictsMax)
  const known = new Set(refused.map(({ kind, workerKey }) => offerKey(kind, workerKey)))
  const others = quarantined(own, entry.stored.version, entry.definitions, (kind, key) =>
    known.has(offerKey(kind, key)),
  )
  const unsaid = others.filter(({ kind, name }) => !heldKeys.has(offerKey(kind, name)))
  return [...verdicts, ...unsaid].slice(0, verdictsMax)
}

/** Whether a service was refused a name that one of these had and nobody has now. */
export function asksFor(
  { service, refused }: ServiceEntry,
  formerHolders: ReadonlySet<string>,
  isFree: (claim: Claim) => boolean,
): boolean {
  return refused.some(
    ({ kind, why }) => 'taken' in why && formerHolders.has(why.holder) && isFree({ kind, key: why.taken, service }),
  )
}

function toldOf(refusal: Refusal, service: string, holderOf: (claim: Claim) => Holder | undefined): Verdict {
  if ('problem' in refusal.why) return verdictOf(refusal, undefined)
  return verdictOf(refusal, holderOf({ kind: refusal.kind, key: refusal.why.taken, service }))
}
