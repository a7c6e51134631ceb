import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

export interface TokenWish {
  readonly claims?: JWTPayload
  readonly header?: Readonly<Record<string, unknown>>
  readonly key?: KeyPair['privateKey'] | Uint8Array
}

/** An authorization server over real HTTP, with real keys. A test may have it answer otherwise. */
export class AuthorizationServer {
  readonly url: string
  readonly #server: Server
  readonly #keys = new Map<string, { readonly pair: KeyPair; readonly jwk: JWK }>()
  /** Paths, in the order in which they were asked for. */
  readonly asked: string[] = []
  /** Instead of what it would say at that path. */
  readonly answers = new Map<string, RequestListener>()
  #kid = ''

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(): Promise<AuthorizationServer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const started = new AuthorizationServer(server)
    server.on('request', (request, response) => started.#answer(request, response))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    await started.rotate()
    return started
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Signs with a new key from now on; the old one is gone. */
  async rotate(algorithm = 'ES256'): Promise<void> {
    const pair = await generateKeyPair(algorithm, { extractable: true })
    this.#kid = `key-${this.asked.length}-${Math.random()}`
    this.#keys.clear()
    this.#keys.set(this.#kid, {
      pair,
      jwk: { ...(await exportJWK(pair.publicKey)), kid: this.#kid, alg: algorithm, use: 'sig' },
    })
  }

  get jwk(): JWK {
    return this.#keys.get(this.#kid)!.jwk
  }

  /** A token that is good for an hour, unless the wish has it otherwise. */
  token(audience: string, { claims = {}, header = {}, key }: TokenWish = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const payload = { iss: this.url, aud: audience, sub: 'someone', iat: now, exp: now + 3600, ...claims }
    return new SignJWT(payload)
      .setProtectedHeader({ alg: this.jwk.alg!, kid: this.#kid, ...header })
      .sign(key ?? this.#keys.get(this.#kid)!.pair.privateKey)
  }

  #answer: RequestListener = (request, response) => {
    const path = request.url!
    this.asked.push(path)
    const own = this.answers.get(path)
    if (own !== undefined) return own(request, response)
    const content = this.#contentOf(path)
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(content ?? {}))
  }

  #contentOf(path: string): object | undefined {
    if (path === '/.well-known/oauth-authorization-server') return { issuer: this.url, jwks_uri: `${this.url}/keys` }
    if (path === '/keys') return { keys: [...this.#keys.values()].map(({ jwk }) => jwk) }
    return undefined
  }
}
