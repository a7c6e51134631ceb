import { z } from 'zod'
import { type Report, readFields } from './config-fields.js'

/** An authorization server whose tokens are good here, and what they are worth. */
export interface OAuthConfig {
  /** As its tokens name it, letter by letter. */
  readonly issuer: string
  /** What clients ask a token for: the URL of our MCP endpoint. */
  readonly resource: string
  /** What `aud` must have in it; the resource, unless the server can't be told that. */
  readonly audience: string
  /** Where its keys are; absent: its metadata says so. */
  readonly jwksUri?: string | undefined
  readonly requiredScopes: readonly string[]
  /** Gives the role operator. */
  readonly operatorScope?: string | undefined
  /** The claim that says who it is. */
  readonly principalClaim: string
  /** Agents of the config by the value of that claim. */
  readonly agents: Readonly<Record<string, string>>
}

const addressRule = 'must be an https URL (http for a loopback address) without a query'
const address = z.string(addressRule).refine(isTrustworthy, addressRule)
const scopeRule = 'a scope has no space, quote or backslash'
const scope = z.string('must be text').regex(/^[!#-[\]-~]{1,256}$/, scopeRule)
const fewText = z.string('must be text').min(1, 'must not be empty').max(256, 'must have at most 256 characters')

const fields = {
  issuer: address,
  audience: fewText,
  jwksUri: address,
  requiredScopes: z.array(scope, 'must be a list, like ["callboard"]').max(32, 'must have at most 32 entries'),
  operatorScope: scope,
  principalClaim: fewText,
  agents: z.record(
    z.string(),
    z.string('must be the name of an agent'),
    'must be an object, like {"sub-of-ada": "ada"}',
  ),
}

/** `publicUrl`: what clients call the hub. Undefined when it can't be used. */
export function readOAuth(
  section: object,
  publicUrl: string | undefined,
  agentNames: readonly string[],
  report: Report,
): OAuthConfig | undefined {
  const { issuer, ...given } = readFields(section, fields, 'http.oauth', report)
  if (!Object.hasOwn(section, 'issuer')) report('http.oauth: needs an issuer, the URL of the authorization server')
  if (publicUrl === undefined) report('http.oauth: needs http.publicUrl, by which clients know this hub')
  for (const name of Object.values(given.agents ?? {})) {
    if (!agentNames.includes(name))
      report(`http.oauth.agents: there is no agent ${JSON.stringify(name)} under "agents"`)
  }
  if (issuer === undefined || publicUrl === undefined) return undefined
  const resource = `${publicUrl}/mcp`
  return { audience: resource, requiredScopes: [], principalClaim: 'sub', agents: {}, ...given, issuer, resource }
}

/** Keys that came over a line that others can write to would make them whoever they like. */
export function isTrustworthy(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (url.username !== '' || url.search !== '' || url.hash !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackName(url.hostname))
}

const isLoopbackName = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
