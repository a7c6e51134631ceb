import {
  type CryptoKey,
  createRemoteJWKSet,
  customFetch,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type RemoteJWKSet,
} from 'jose'
import { isRecord } from '../mcp/json-rpc.js'
import { isTrustworthy, type OAuthConfig } from '../oauth-config.js'
import * as limits from './limits.js'

/** The authorization server can't be asked for its keys: nothing can be said of its tokens, neither good nor bad. */
export class KeysUnavailableError extends Error {
  /** False: it failed a moment ago and was left alone this time. */
  readonly wasAsked: boolean

  constructor(message: string, wasAsked: boolean) {
    super(message)
    this.wasAsked = wasAsked
  }
}

/** The keys of an authorization server: fetched when first needed, and again when it signs with one that is new. */
export class IssuerKeys {
  readonly #oauth: Pick<OAuthConfig, 'issuer' | 'jwksUri'>
  readonly #now: () => number
  #keys: Promise<RemoteJWKSet> | undefined
  #askableAt = 0

  constructor(oauth: Pick<OAuthConfig, 'issuer' | 'jwksUri'>, now: () => number = Date.now) {
    this.#oauth = oauth
    this.#now = now
  }

  /** @throws JOSEError when there is no such key; KeysUnavailableError */
  readonly find = async (header?: JWSHeaderParameters, token?: FlattenedJWSInput): Promise<CryptoKey> => {
    this.#keys ??= this.#locate().catch((error: unknown) => {
      this.#keys = undefined
      throw error
    })
    const keys = await this.#keys
    return keys(header, token)
  }

  /** Whether anybody needs them or not. @throws KeysUnavailableError, JOSEError */
  async fetchNow(): Promise<void> {
    const keys = await this.#locate()
    await keys.reload()
  }

  async #locate(): Promise<RemoteJWKSet> {
    const uri = this.#oauth.jwksUri ?? (await this.#discover())
    return createRemoteJWKSet(new URL(uri), {
      cooldownDuration: limits.keysCooldownMs,
      cacheMaxAge: limits.keysAgeMsMax,
      timeoutDuration: limits.issuerTimeoutMs,
      [customFetch]: async (url, options) => {
        const set = await this.#ask((signal) => fetchJson(url, signal), options.signal)
        if (!Array.isArray(set['keys'])) throw this.#unavailable('its keys are no key set')
        return Response.json(set)
      },
    })
  }

  /** By the server's metadata: RFC 8414, or OpenID Connect Discovery, which puts the path elsewhere. */
  async #discover(): Promise<string> {
    const { issuer } = this.#oauth
    const { origin, pathname } = new URL(issuer)
    const path = pathname.replace(/\/$/, '')
    const places = [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]
    const metadata = await this.#ask(async (signal) => {
      try {
        return await fetchJson(places[0]!, signal)
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error
        return fetchJson(places[1]!, signal)
      }
    }, AbortSignal.timeout(limits.issuerTimeoutMs))
    const { issuer: named, jwks_uri: uri } = metadata
    if (named !== issuer) throw this.#unavailable('its metadata names another issuer')
    if (typeof uri !== 'string' || !isTrustworthy(uri)) throw this.#unavailable('its metadata names no usable jwks_uri')
    return uri
  }

  /** A server that is down is left alone for a while: each of its tokens would ask it again. */
  async #ask(
    fetch: (signal: AbortSignal) => Promise<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    if (this.#now() < this.#askableAt) throw new KeysUnavailableError('it failed a moment ago', false)
    try {
      return await fetch(signal)
    } catch (error) {
      throw this.#unavailable(wordsOf(error))
    }
  }

  #unavailable(why: string): KeysUnavailableError {
    this.#askableAt = this.#now() + limits.issuerRetryMs
    return new KeysUnavailableError(why, true)
  }
}

class NotFoundError extends Error {}

/** What `fetch` says by itself is only that it failed. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

async function fetchJson(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new (response.status === 404 ? NotFoundError : Error)(`${url} answered with status ${response.status}`)
  }
  const value: unknown = JSON.parse(await boundedText(response))
  if (!isRecord(value)) throw new Error(`${url} answered with no object`)
  return value
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > limits.issuerAnswerBytesMax) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
