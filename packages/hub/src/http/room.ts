import type { Identity } from '../port.js'
import { TooBusyError } from './answers.js'

/** What takes one of a limited number of places. */
export interface Place {
  readonly identity: Pick<Identity, 'principal'>
  /** Requests and streams that use it now; it is given up only when there are none. */
  readonly open: number
  readonly idleSince: number
}

export interface Room {
  readonly placesMax: number
  /** Of one principal, so that none can fill the room alone. */
  readonly principalPlacesMax: number
}

/**
 * Whose place a newcomer takes; undefined while there is room. Clients that forget to say goodbye must not keep new ones
 * out, so whoever was silent longest makes room: the newcomer's own first, and then of those who hold more than it does.
 * @throws TooBusyError when there is no such place.
 */
export function placeToTake<P extends Place>(places: Iterable<P>, principal: string, room: Room): P | undefined {
  const byPrincipal = new Map<string, P[]>()
  let count = 0
  for (const place of places) {
    count += 1
    const held = byPrincipal.get(place.identity.principal)
    if (held === undefined) byPrincipal.set(place.identity.principal, [place])
    else held.push(place)
  }
  const own = byPrincipal.get(principal) ?? []
  const mayGrow = own.length < room.principalPlacesMax
  if (mayGrow && count < room.placesMax) return undefined
  const larger = [...byPrincipal.values()].filter((held) => held.length > own.length).flat()
  const taken = longestIdle(own) ?? (mayGrow ? longestIdle(larger) : undefined)
  if (taken === undefined) throw new TooBusyError()
  return taken
}

function longestIdle<P extends Place>(places: readonly P[]): P | undefined {
  const idle = places.filter(({ open }) => open === 0)
  return idle.length === 0
    ? undefined
    : idle.reduce((longest, place) => (place.idleSince < longest.idleSince ? place : longest))
}
