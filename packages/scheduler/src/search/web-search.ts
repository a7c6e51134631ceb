import { ToolError } from '@callboard/worker'
import { recordActivity } from '../activity/record-activity.js'
import type { Foundation } from '../foundation.js'
import type { Actor } from '../tools/actor.js'
import type { Network } from './ask-service.js'
import { chosenProvider, noProvider } from './choose-provider.js'
import { keepAnswer, keepSearch, keptSearch, searchKey } from './search-cache.js'
import type { SearchProvider, SearchResult, ServiceRequest } from './search-provider.js'
import { type Day, dayOf, forgetOldQuotas, giveSearchBack, takeSearch } from './search-quota.js'
import { searchWeb } from './search-web.js'
import { type Answer, writeAnswer } from './write-answer.js'

export interface WebSearchOptions {
  readonly fetch?: typeof globalThis.fetch
  /** Where the key of the chat endpoint is, by its name. */
  readonly environment: { readonly [name: string]: string | undefined }
}

export interface Found {
  readonly provider: SearchProvider['name']
  readonly results: readonly SearchResult[]
  readonly answer: Answer
  readonly isCached: boolean
  /** What the service was asked, where it does not take the whole query. */
  readonly shortened?: string
  readonly tookMs: number
}

/** Searches for groups: within their quota, from the cache where it can be. */
export class WebSearch {
  readonly #foundation: Foundation
  readonly #options: WebSearchOptions
  readonly #network: Network

  constructor(foundation: Foundation, options: WebSearchOptions) {
    this.#foundation = foundation
    this.#options = options
    this.#network = { fetch: options.fetch ?? globalThis.fetch, clock: foundation.clock }
  }

  /** Rejects with a refusal: NOT_CONFIGURED, RATE_LIMITED, UPSTREAM_ERROR or TIMEOUT. */
  async find(query: string, actor: Actor, signal: AbortSignal): Promise<Found> {
    const { config, clock, store } = this.#foundation
    const started = clock.monotonic()
    const provider = chosenProvider(config)
    if (provider === undefined) throw noProvider()
    const asked = provider.shorten?.(query) ?? query
    const request = provider.request(asked)
    const key = searchKey(provider, request)
    const kept = await keptSearch(store.db, key, clock.now())
    const searchedAt = clock.now()
    const results = kept?.results ?? (await this.#search(provider, request, actor, signal))
    const answer = kept?.answer ? { answer: kept.answer } : await this.#answer(query, results, signal)
    const found: Found = {
      provider: provider.name,
      results,
      answer,
      isCached: kept !== undefined,
      ...(asked !== query && { shortened: asked }),
      tookMs: Math.round(clock.monotonic() - started),
    }
    await this.#record(query, key, found, searchedAt, actor)
    return found
  }

  async #search(
    provider: SearchProvider,
    request: ServiceRequest,
    actor: Actor,
    signal: AbortSignal,
  ): Promise<readonly SearchResult[]> {
    const { clock, timeZone } = this.#foundation
    const group = actor.group.folder
    const day = dayOf(clock.now(), timeZone)
    await this.#take(group, day)
    try {
      return await searchWeb(provider, request, this.#network, signal)
    } catch (error) {
      // Else the group would have to wait for midnight after the operator has mended it.
      if (error instanceof ToolError && error.code === 'NOT_CONFIGURED') {
        await giveSearchBack(this.#foundation.store.db, group, day)
      }
      throw error
    }
  }

  async #take(group: string, day: Day): Promise<void> {
    const { store, clock } = this.#foundation
    await store.transaction(async (db) => {
      await takeSearch(db, group, day, clock.now())
      await forgetOldQuotas(db, group, day)
    })
  }

  async #answer(query: string, results: readonly SearchResult[], signal: AbortSignal): Promise<Answer> {
    const { search_chat: chat } = this.#foundation.config
    if (chat === undefined) return { answer: null, reason: 'SEARCH_CHAT is not configured' }
    if (results.length === 0) return { answer: null, reason: 'there is nothing to write it from' }
    const key = chat.key_env === undefined ? undefined : this.#options.environment[chat.key_env] || undefined
    return writeAnswer(query, results, chat, key, this.#network, signal)
  }

  async #record(query: string, key: string, found: Found, searchedAt: number, actor: Actor): Promise<void> {
    const { store, clock } = this.#foundation
    const { provider, results, isCached, tookMs } = found
    const { answer } = found.answer
    await store.transaction(async (db) => {
      if (!isCached) await keepSearch(db, key, { results: [...results], answer }, searchedAt)
      else if (answer !== null) await keepAnswer(db, key, { results: [...results], answer })
      await recordActivity(db, {
        at: clock.now(),
        type: 'search_done',
        group: actor.group.folder,
        ...(actor.run !== undefined && { runId: actor.run.id }),
        summary: `${provider}: ${countOf(results.length)} for ${query}`,
        details: {
          provider,
          query: query.slice(0, 200),
          results: results.length,
          cached: isCached,
          answered: answer !== null,
          took_ms: tookMs,
        },
      })
    })
  }
}

export const countOf = (results: number): string => (results === 1 ? '1 result' : `${results || 'no'} results`)
