import { hashOfJson } from '@callboard/worker/canonical-json'
import { z } from 'zod'
import { failure } from '../../envelope/failure.js'
import type { Foundation } from '../../foundation.js'
import { type HttpAnswer, type HttpClient, HttpTrouble } from '../../http/http-client.js'
import { xRenewAheadMs, xRenewalLeaseMs, xRenewalRetryMs } from '../../limits.js'
import type { Database } from '../../records/schema.js'
import { randomKey } from '../random-key.js'
import { tokenAnswer } from './answers.js'
import { parsedJson } from './refusal.js'

export interface XSessionOptions extends Pick<Foundation, 'store' | 'clock' | 'random'> {
  readonly http: HttpClient
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly clientId?: string
  /** Of a confidential client. */
  readonly clientSecret?: string
  readonly accessToken?: string
  readonly refreshToken?: string
}

const tokens = z.object({
  /** Which configured tokens these grew from: an operator who writes new ones means those. */
  seed: z.string(),
  accessToken: z.string().optional(),
  refreshToken: z.string().optional(),
  /** UTC ms; absent of a token that was configured. */
  expiresAt: z.number().optional(),
})
type Tokens = z.output<typeof tokens>

/**
 * The login. A refresh token works once, and the answer brings the next one: so one replica renews at a time, and what it got
 * is stored before it is used. No message holds a token.
 */
export class XSession {
  readonly #options: XSessionOptions
  readonly #seed: Tokens
  readonly #owner: string
  #renewal: Promise<Tokens> | undefined
  /** X does not take it: asking again changes nothing. */
  #refused: string | undefined
  readonly #secrets = new Set<string>()

  constructor(options: XSessionOptions) {
    this.#options = options
    const { clientId, clientSecret, accessToken, refreshToken } = options
    const seed = hashOfJson([clientId, accessToken, refreshToken])
    this.#seed = { seed, ...(accessToken && { accessToken }), ...(refreshToken && { refreshToken }) }
    this.#owner = randomKey(options.random)
    this.#keepSecret(clientSecret, accessToken, refreshToken)
  }

  /** Good for the next request. Throws `network_auth_expired`, or `network_unavailable` when it can not be renewed now. */
  async token(signal?: AbortSignal): Promise<string> {
    const held = await this.#load(this.#options.store.db)
    const isGood = held.expiresAt === undefined || held.expiresAt > this.#options.clock.now()
    if (held.accessToken !== undefined && isGood) return held.accessToken
    return accessTokenOf(await this.#renewed(held, signal))
  }

  /** For the token that X has just refused. Throws as {@link token}. */
  async instead(refused: string, signal?: AbortSignal): Promise<string> {
    const held = await this.#load(this.#options.store.db)
    if (held.accessToken !== undefined && held.accessToken !== refused) return held.accessToken
    return accessTokenOf(await this.#renewed(held, signal))
  }

  /** Renews a token that soon ends. */
  async renew(signal?: AbortSignal): Promise<void> {
    const held = await this.#load(this.#options.store.db)
    const endsSoon = held.expiresAt !== undefined && held.expiresAt - this.#options.clock.now() <= xRenewAheadMs
    if (held.refreshToken !== undefined && (endsSoon || held.accessToken === undefined)) {
      await this.#renewed(held, signal)
    }
  }

  /** Takes every secret of this login out of a text. */
  clean(text: string): string {
    let clean = text
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '[secret]')
    return clean
  }

  #renewed(held: Tokens, signal: AbortSignal | undefined): Promise<Tokens> {
    // What several callers wait for is not one caller's to stop.
    this.#renewal ??= this.#renewOnce(held).finally(() => {
      this.#renewal = undefined
    })
    return signal === undefined ? this.#renewal : orAborted(this.#renewal, signal)
  }

  async #renewOnce(held: Tokens): Promise<Tokens> {
    const { store } = this.#options
    const newer = await store.transaction((db) => this.#newerOrLease(db, held))
    if (newer !== undefined) return newer
    try {
      const fresh = await this.#exchange(held)
      this.#keepSecret(fresh.accessToken, fresh.refreshToken)
      await store.transaction((db) => storeSession(db, fresh))
      return fresh
    } finally {
      await this.#release()
    }
  }

  /** What another replica got meanwhile; else the lease is ours. Throws when another one holds it. */
  async #newerOrLease(db: Database, held: Tokens): Promise<Tokens | undefined> {
    const stored = await this.#load(db)
    if (stored.accessToken !== held.accessToken && stored.accessToken !== undefined) return stored
    const now = this.#options.clock.now()
    const lease = await db
      .selectFrom('cursors')
      .select(['lease_owner', 'lease_until'])
      .where('network', '=', 'x')
      .where('source', '=', leaseName)
      .executeTakeFirst()
    if (lease?.lease_owner != null && lease.lease_owner !== this.#owner && (lease.lease_until ?? 0) > now) {
      throw unavailable('Another process renews the login at X at this moment.')
    }
    const taken = { lease_owner: this.#owner, lease_until: now + xRenewalLeaseMs, updated_at: now }
    await db
      .insertInto('cursors')
      .values({ network: 'x', source: leaseName, failures: 0, ...taken })
      .onConflict((conflict) => conflict.columns(['network', 'source']).doUpdateSet(taken))
      .execute()
    return undefined
  }

  async #release(): Promise<void> {
    await this.#options.store.db
      .updateTable('cursors')
      .set({ lease_owner: null, lease_until: null })
      .where('network', '=', 'x')
      .where('source', '=', leaseName)
      .where('lease_owner', '=', this.#owner)
      .execute()
  }

  async #exchange({ refreshToken, seed }: Tokens): Promise<Tokens> {
    if (refreshToken === undefined || refreshToken === this.#refused) throw expired()
    const { clock } = this.#options
    const answer = await this.#ask(refreshToken)
    if (answer.status >= 500 || answer.status === 429) {
      throw unavailable(`X can not renew the login at the moment (HTTP ${answer.status}).`)
    }
    if (answer.status !== 200) {
      this.#refused = refreshToken
      throw expired()
    }
    const granted = tokenAnswer.safeParse(parsedJson(answer.text))
    if (!granted.success) throw failure('network_api_error', 'X renewed the login in words that can not be read.')
    const { access_token, refresh_token = refreshToken, expires_in } = granted.data
    return { seed, accessToken: access_token, refreshToken: refresh_token, expiresAt: clock.now() + expires_in * 1_000 }
  }

  async #ask(refreshToken: string): Promise<HttpAnswer> {
    const { http, baseUrl, clientId = '', clientSecret } = this.#options
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`)
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId })
    try {
      return await http.send({
        method: 'POST',
        url: `${baseUrl}/oauth2/token`,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(clientSecret && { authorization: `Basic ${basic.toString('base64')}` }),
        },
        body: form.toString(),
      })
    } catch (error) {
      if (error instanceof HttpTrouble) throw unavailable(`The login at X can not be renewed: ${error.message}.`)
      throw error
    }
  }

  async #load(db: Database): Promise<Tokens> {
    const row = await db.selectFrom('network_states').select('session').where('network', '=', 'x').executeTakeFirst()
    const stored = tokens.safeParse(parsedJson(row?.session ?? ''))
    if (!stored.success || stored.data.seed !== this.#seed.seed) return this.#seed
    this.#keepSecret(stored.data.accessToken, stored.data.refreshToken)
    return stored.data
  }

  #keepSecret(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) if (secret) this.#secrets.add(secret)
  }
}

const leaseName = 'token'

async function storeSession(db: Database, session: Tokens): Promise<void> {
  const text = JSON.stringify(session)
  await db
    .insertInto('network_states')
    .values({ network: 'x', next_post_at: 0, session: text })
    .onConflict((conflict) => conflict.column('network').doUpdateSet({ session: text }))
    .execute()
}

function accessTokenOf({ accessToken }: Tokens): string {
  if (accessToken === undefined) throw expired()
  return accessToken
}

async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}

function expired() {
  return failure(
    'network_auth_expired',
    'X no longer lets us in: an operator authorises the account again and sets social.x.refresh_token (or access_token).',
    { details: { network: 'x' } },
  )
}

function unavailable(message: string) {
  return failure('network_unavailable', message, { retryAfterMs: xRenewalRetryMs, details: { network: 'x' } })
}
