import type { Identities, RefusalCode } from '../identities.js'
import type { Logger } from '../mcp/logger.js'
import type { OAuthConfig } from '../oauth-config.js'
import { tokenHash } from '../token-file.js'
import type { HttpAttach, HttpAuthenticate, HttpRefusal } from './callers.js'
import { after, FailedAttempts } from './failed-attempts.js'
import * as limits from './limits.js'
import { insufficientScope, unauthorized } from './oauth-metadata.js'
import type { Verdict } from './oauth-tokens.js'

export interface AuthenticationOptions {
  readonly identities: Pick<Identities, 'http' | 'configured' | 'inSession'>
  readonly oauth: OAuthConfig | undefined
  readonly log: Logger
}

const unknownToken = 'This token is not known here, or has ended.'

/** Who sends an HTTP request: by a token of ours, at once; by one of the authorization server, as soon as that is checked. */
export async function httpAuthentication({ identities, oauth, log }: AuthenticationOptions): Promise<HttpAuthenticate> {
  const attempts = new FailedAttempts(log)
  const tokens = oauth && (await oauthTokens(oauth, identities))

  const refuse = (why: string) => {
    const refusal = unauthorized(oauth, unknownToken, true)
    const pauseMs = attempts.add(why)
    return pauseMs === 0 ? refusal : after(pauseMs, refusal)
  }

  const decide = (verdict: Verdict, key: string | undefined) => {
    switch (verdict.kind) {
      case 'accepted':
        // A new token every few minutes is still the same caller.
        return identities.inSession(verdict.who, key ?? 'oauth')
      case 'insufficient_scope':
        return insufficientScope(oauth!)
      case 'unavailable':
        if (verdict.isNews) log.warn({ why: verdict.why }, 'the authorization server can’t be asked for its keys')
        return unavailable('The authorization server can’t be asked for its keys now: try again.')
      case 'invalid':
        return refuse(verdict.why)
      default:
        return verdict satisfies never
    }
  }

  return ({ token, session }: HttpAttach) => {
    const key = session === undefined ? undefined : `${session.kind} ${session.name}`
    const known = identities.http(token, key)
    if (!('error' in known)) return known
    if (known.error.code !== 'unauthorized') return refusalOf(known.error)
    if (token === undefined) return unauthorized(oauth, known.error.message, false)
    if (tokens === undefined || !isWebToken(token)) return refuse('unknown')
    const verdict = tokens.verify(token, tokenHash(token))
    return verdict instanceof Promise ? verdict.then((each) => decide(each, key)) : decide(verdict, key)
  }
}

/** What checks signatures is loaded by those who need it. */
async function oauthTokens(oauth: OAuthConfig, identities: AuthenticationOptions['identities']) {
  const { OAuthTokens } = await import('./oauth-tokens.js')
  return new OAuthTokens(oauth, (name) => identities.configured(name))
}

function refusalOf({ code, message }: { readonly code: RefusalCode; readonly message: string }): HttpRefusal {
  return code === 'unavailable' ? unavailable(message) : { status: 403, error: { code, message } }
}

function unavailable(message: string): HttpRefusal {
  const headers = { 'retry-after': String(limits.issuerRetryMs / 1000) }
  return { status: 503, error: { code: 'unavailable', message }, headers }
}

const isWebToken = (token: string): boolean => token.split('.', 4).length === 3
