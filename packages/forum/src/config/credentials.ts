import { createHash } from 'node:crypto'
import type { Credential } from '../http/credential.js'
import type { AuthPair } from './auth-pair.js'

type Headers = { readonly [name: string]: string }

/** Who we are by an entry of `auth_pairs`. What is secret is seen by nobody who prints the object. */
export function credentialOf(pair: AuthPair): Credential {
  const basic = basicHeader(pair)
  const { user_api_key: userKey, user_api_client_id: clientId } = pair
  if (userKey !== undefined && clientId !== undefined) {
    const headers = { ...basic, 'User-Api-Key': userKey, 'User-Api-Client-Id': clientId }
    return { id: idOf(pair, 'user_api_key', clientId, userKey), kind: 'user_api_key', headers: () => headers }
  }
  const { api_key: key = '', api_username: username = '' } = pair
  const headers = (actAs = username): Headers => ({ ...basic, 'Api-Key': key, 'Api-Username': actAs })
  return { id: idOf(pair, 'api_key', username, key), kind: 'api_key', username, headers }
}

/** Every string of an entry that must never be seen. */
export function secretsOf(pair: AuthPair): readonly string[] {
  const { api_key, user_api_key, http_basic_pass } = pair
  const basic = basicHeader(pair).Authorization?.replace('Basic ', '')
  return [api_key, user_api_key, http_basic_pass, basic].filter((secret) => secret !== undefined)
}

function basicHeader({ http_basic_user: user, http_basic_pass: pass }: AuthPair): { readonly Authorization?: string } {
  if (user === undefined || pass === undefined) return {}
  return { Authorization: `Basic ${Buffer.from(`${user}:${pass}`, 'utf8').toString('base64')}` }
}

/** Another key is another identity: what it may do and see may be something else. */
function idOf({ site }: AuthPair, kind: Credential['kind'], name: string, key: string): string {
  return digest(JSON.stringify([site, kind, name, digest(key)])).slice(0, 16)
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
