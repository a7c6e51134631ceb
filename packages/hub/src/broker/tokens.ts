import type { Identity } from '../port.js'
import { tokensMax } from './limits.js'

/** A short-lived identity that a worker with the right to mint gave to an agent it started. */
export interface Grant {
  readonly identity: Identity
  /** The service that minted it; only that one may revoke it. */
  readonly mintedBy: string
  readonly expiresAt: number
}

export class Tokens {
  readonly #grants = new Map<string, Grant>()
  /** Revoked by their service: none comes back. The oldest are forgotten, long after their time. */
  readonly #revoked = new Set<string>()

  get isFull(): boolean {
    return this.#grants.size >= tokensMax
  }

  add(token: string, grant: Grant): void {
    this.#grants.set(token, grant)
  }

  /** Whether this service may bring the token back as this identity: nobody else's, nor one that it has ended itself. */
  mayRestore(token: string, mintedBy: string, identity: Identity): boolean {
    const grant = this.#grants.get(token)
    if (grant === undefined) return !this.#revoked.has(token)
    return grant.mintedBy === mintedBy && isSame(grant.identity, identity)
  }

  has(token: string): boolean {
    return this.#grants.has(token)
  }

  find(token: string, now: number): Identity | undefined {
    const grant = this.#grants.get(token)
    return grant !== undefined && grant.expiresAt > now ? grant.identity : undefined
  }

  /** The tokens that this service minted for one attempt of a run. */
  ofRun(run: { readonly id: string; readonly attempt: number }, mintedBy: string): string[] {
    return [...this.#grants].flatMap(([token, grant]) => {
      const its = grant.identity.run
      return grant.mintedBy === mintedBy && its?.id === run.id && its.attempt === run.attempt ? [token] : []
    })
  }

  /** The grant that ended; undefined when there was none of that minter (absent minter: whoever it was). */
  revoke(token: string, mintedBy?: string): Grant | undefined {
    const grant = this.#grants.get(token)
    if (grant === undefined || (mintedBy !== undefined && grant.mintedBy !== mintedBy)) return undefined
    this.#grants.delete(token)
    if (mintedBy !== undefined) this.#bar(token)
    return grant
  }

  #bar(token: string): void {
    this.#revoked.add(token)
    const [oldest] = this.#revoked
    if (this.#revoked.size > tokensMax && oldest !== undefined) this.#revoked.delete(oldest)
  }
}

function isSame(a: Identity, b: Identity): boolean {
  const { principal, group, run } = a
  return (
    principal === b.principal &&
    group === b.group &&
    run?.id === b.run?.id &&
    run?.attempt === b.run?.attempt &&
    run?.triggerDepth === b.run?.triggerDepth
  )
}
