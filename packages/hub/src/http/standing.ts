import type { Identity } from '../port.js'

/** Equal for requests that may share a connection: the same caller in the same session, with the same rights, by the same token. */
export function standingOf({ session, principal, roles, group, services, run, credential }: Identity): string {
  return JSON.stringify([session, principal, roles, group, services, run, credential])
}

/** Every request of a caller shows a token again; the one that lasts longest counts. */
export function laterOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.max(one, other)
}

/** Who an identity is, whatever it may do now: what a session id that outlives the hub is bound to. Rights are asked anew then. */
export function holderOf({ principal, credential, run }: Identity): string {
  return JSON.stringify([principal, credential, run?.id])
}
