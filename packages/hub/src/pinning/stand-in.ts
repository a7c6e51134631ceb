import { type Candidate, candidates, hashOf } from '../broker/definition.js'
import { offerKey } from '../broker/editions.js'
import { exposedName } from '../broker/exposed-name.js'
import type { ServiceEntry } from '../broker/service-entry.js'
import { type HeldDefinitions, heldKey } from './pinning.js'

/**
 * What goes into force for a candidate: itself; while it is held, the accepted definition of the same name that another
 * worker still offers, of several that of the first that came; else nothing.
 */
export function standIn(
  candidate: Candidate,
  held: HeldDefinitions,
  { service, offers }: Pick<ServiceEntry, 'service' | 'offers'>,
  namespace: 'never' | 'always',
): Candidate | undefined {
  if (held.size === 0) return candidate
  const { kind, key, value } = candidate
  const hash = hashOf(JSON.stringify(value), exposedName(kind, service, key, namespace))
  if (!held.has(heldKey(kind, hash))) return candidate
  for (const offer of offers.values()) {
    const other = offer.isLeaving ? undefined : offer.hashes.get(offerKey(kind, key))
    if (other === undefined || offer.held.has(heldKey(kind, other))) continue
    // Of two of one name in one offer its hash is that of the last.
    return candidates(offer.definitions).findLast((each) => each.kind === kind && each.key === key)
  }
  return undefined
}
