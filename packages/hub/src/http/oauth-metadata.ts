import type { OAuthConfig } from '../oauth-config.js'
import type { HttpRefusal } from './callers.js'

const wellKnown = '/.well-known/oauth-protected-resource'
/** The resource's own, by RFC 9728, and the root's, which older clients ask for. */
const metadataPaths = [`${wellKnown}/mcp`, wellKnown]

/** What each of the metadata's paths answers. */
export function metadataByPath(oauth: OAuthConfig): [path: string, metadata: object][] {
  return metadataPaths.map((path) => [path, protectedResourceMetadata(oauth)])
}

/** Tells clients which authorization server gives tokens for this hub (RFC 9728). */
function protectedResourceMetadata({ issuer, resource, requiredScopes, operatorScope }: OAuthConfig): object {
  const scopes = [...requiredScopes, ...(operatorScope === undefined ? [] : [operatorScope])]
  return {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    resource_name: 'Callboard',
  }
}

/** 401 without an error code is what a client gets that has shown nothing yet (RFC 6750, 3.1). */
export function unauthorized(oauth: OAuthConfig | undefined, message: string, isWrongToken: boolean): HttpRefusal {
  const problem = isWrongToken ? { error: 'invalid_token', error_description: message } : {}
  return {
    status: 401,
    error: { code: 'unauthorized', message },
    headers: challenge({ ...problem, ...(oauth === undefined ? {} : whereToAsk(oauth)) }),
  }
}

export function insufficientScope(oauth: OAuthConfig): HttpRefusal {
  const message = `The token lacks a scope; needed: ${oauth.requiredScopes.join(' ')}.`
  return {
    status: 403,
    error: { code: 'insufficient_scope', message },
    headers: challenge({ error: 'insufficient_scope', ...whereToAsk(oauth) }),
  }
}

function whereToAsk({ resource, requiredScopes }: OAuthConfig): Record<string, string> {
  return {
    resource_metadata: new URL(`${wellKnown}/mcp`, resource).href,
    ...(requiredScopes.length > 0 && { scope: requiredScopes.join(' ') }),
  }
}

/** The values are ours: none has a quote, a backslash or anything but ASCII in it. */
function challenge(parameters: Readonly<Record<string, string>>): Record<string, string> {
  const listed = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return { 'www-authenticate': ['Bearer', listed.join(', ')].filter((part) => part !== '').join(' ') }
}
