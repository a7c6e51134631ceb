import type { ServiceEntry } from '../broker/service-entry.js'
import type { HeldViews } from './held-views.js'
import type { HeldDefinition } from './pinning.js'
import { acceptanceOf } from './worker-identity.js'

/** What no operator has accepted of what these services offer to all or to single sessions: each once, in a stable order. */
export function heldIn(entries: readonly ServiceEntry[], views: HeldViews): HeldDefinition[] {
  const services = new Set(entries.map(({ service }) => service))
  const ofAll = entries.flatMap(({ offers }) => [...offers.values()].flatMap(({ held }) => [...held.values()]))
  const ofSessions = views.all().flatMap(({ held }) => held.filter(({ service }) => services.has(service)))
  const found = new Map<string, HeldDefinition>()
  for (const held of [...ofAll, ...ofSessions]) {
    const key = acceptanceOf(held.identity, held.service, held.hash)
    if (!found.has(key)) found.set(key, held)
  }
  return [...found.values()].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
}

const orderOf = ({ service, kind, name, hash }: HeldDefinition): string => `${service}\n${kind}\n${name}\n${hash}`
