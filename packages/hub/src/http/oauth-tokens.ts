import { createHash } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { oauthPrefix } from '../agent-names.js'
import type { Who } from '../identities.js'
import type { OAuthConfig } from '../oauth-config.js'
import { IssuerKeys, KeysUnavailableError } from './issuer-keys.js'
import * as limits from './limits.js'

export type Verdict =
  | { readonly kind: 'accepted'; readonly who: Who }
  /** `why`: for the log; the client learns no more than that. */
  | { readonly kind: 'invalid'; readonly why: string }
  | { readonly kind: 'insufficient_scope' }
  /** The server can't be asked; `isNews`: it was asked now. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly isNews: boolean }

/** None that is made with a secret: the public key could be taken for one. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

interface Kept {
  readonly verdict: Extract<Verdict, { kind: 'accepted' }>
  /** UTC ms. */
  readonly keptUntil: number
}

/** Says what a JSON Web Token of the authorization server is worth here. */
export class OAuthTokens {
  readonly #oauth: OAuthConfig
  readonly #configured: (name: string) => Who | undefined
  readonly #keys: IssuerKeys
  readonly #now: () => number
  /** A signature costs more than the rest of a call: each is checked once. By hash of the token. */
  readonly #kept = new Map<string, Kept>()

  /** `configured`: the agent of the config with that name. */
  constructor(oauth: OAuthConfig, configured: (name: string) => Who | undefined, now: () => number = Date.now) {
    this.#oauth = oauth
    this.#configured = configured
    this.#keys = new IssuerKeys(oauth, now)
    this.#now = now
  }

  /** At once for a token that was accepted before. Never rejects. */
  verify(token: string, hash: string): Verdict | Promise<Verdict> {
    const kept = this.#kept.get(hash)
    if (kept !== undefined && this.#now() < kept.keptUntil) return kept.verdict
    this.#kept.delete(hash)
    if (token.length > limits.tokenLengthMax) return { kind: 'invalid', why: 'too long' }
    return this.#verify(token, hash)
  }

  async #verify(token: string, hash: string): Promise<Verdict> {
    try {
      const { payload } = await jwtVerify(token, this.#keys.find, {
        algorithms,
        issuer: this.#oauth.issuer,
        audience: this.#oauth.audience,
        clockTolerance: limits.clockToleranceMs / 1000,
        requiredClaims: ['exp'],
        currentDate: new Date(this.#now()),
      })
      const verdict = this.#judge(payload)
      if (verdict.kind === 'accepted') this.#keep(hash, { verdict, keptUntil: this.#keepableUntil(payload) })
      return verdict
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (isOfToken(error)) return { kind: 'invalid', why }
      return { kind: 'unavailable', why, isNews: !(error instanceof KeysUnavailableError) || error.wasAsked }
    }
  }

  #judge(payload: JWTPayload): Verdict {
    const { requiredScopes, operatorScope, principalClaim, agents } = this.#oauth
    const value = payload[principalClaim]
    if (typeof value !== 'string' || value === '')
      return { kind: 'invalid', why: `no text in the claim ${principalClaim}` }
    const scopes = scopesOf(payload)
    if (!requiredScopes.every((scope) => scopes.has(scope))) return { kind: 'insufficient_scope' }
    const stand = { credential: 'oauth', until: payload.exp! * 1000 + limits.renewalMs }
    const named = Object.hasOwn(agents, value) ? this.#configured(agents[value]!) : undefined
    if (named !== undefined) return { kind: 'accepted', who: { ...named, ...stand } }
    const isOperator = operatorScope !== undefined && scopes.has(operatorScope)
    const roles = isOperator ? (['agent', 'operator'] as const) : (['agent'] as const)
    return { kind: 'accepted', who: { principal: `agent:${oauthAgentName(value)}`, roles, ...stand } }
  }

  #keepableUntil({ exp }: JWTPayload): number {
    return Math.min(exp! * 1000, this.#now() + limits.verifiedMsMax)
  }

  #keep(hash: string, kept: Kept): void {
    const oldest = this.#kept.size >= limits.verifiedTokensMax ? this.#kept.keys().next().value : undefined
    if (oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(hash, kept)
  }
}

/**
 * A name for everybody whom the server knows, unlike that of any other and of any agent of this installation. What can't be
 * part of a name becomes a hash; the dot keeps the two kinds apart.
 */
export function oauthAgentName(value: string): string {
  if (/^[A-Za-z0-9_-]{1,58}$/.test(value)) return `${oauthPrefix}${value}`
  return `${oauthPrefix}sha256.${createHash('sha256').update(value).digest('base64url')}`
}

/** As one text (RFC 9068), or as some servers have it, under `scp`. */
function scopesOf({ scope, scp }: JWTPayload): ReadonlySet<string> {
  const given = scope ?? scp
  const listed = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : []
  return new Set(listed.filter((each): each is string => typeof each === 'string'))
}

/** What jose says of a token is the token's fault, except for what it says of the server's answers. */
function isOfToken(error: unknown): boolean {
  if (error instanceof KeysUnavailableError) return false
  if (!(error instanceof errors.JOSEError)) return false
  return !(
    error instanceof errors.JWKSInvalid ||
    error instanceof errors.JWKSTimeout ||
    error.code === 'ERR_JOSE_GENERIC'
  )
}
