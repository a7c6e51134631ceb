import type { Foundation } from '../foundation.js'
import { idleSitesMax } from '../limits.js'
import type { Credential } from './credential.js'
import { HttpClient } from './http-client.js'
import { type ClientParts, HttpSiteClient } from './http-site-client.js'
import { ResponseCache } from './response-cache.js'
import type { SiteClient } from './site-client.js'
import { SiteState } from './site-state.js'

/** The clients of all forums. What is known of a forum's limits is shared by all clients of it, whoever holds them. */
export class SiteClients {
  readonly #parts: ClientParts
  readonly #states = new Map<string, SiteState>()

  constructor({ config, clock, random, log }: Pick<Foundation, 'config' | 'clock' | 'random' | 'log'>) {
    const state = (base: string) => this.#state(base, () => new SiteState(clock, config.concurrency))
    this.#parts = { config, clock, random, log, http: new HttpClient(clock), cache: new ResponseCache(), state }
  }

  /** `base` as `baseOf` gives it; two clients for the same are as good as one. */
  for(base: string, credential: Credential): SiteClient {
    return new HttpSiteClient(this.#parts, base, credential)
  }

  #state(base: string, open: () => SiteState): SiteState {
    const state = this.#states.get(base) ?? open()
    this.#states.delete(base)
    this.#states.set(base, state)
    if (this.#states.size > idleSitesMax) this.#forgetOne(base)
    return state
  }

  /** The one that was used least recently among those that nobody uses; best one of which nothing has to be remembered. */
  #forgetOne(used: string): void {
    const idle = [...this.#states].filter(([base, { gate }]) => base !== used && gate.isIdle)
    const [base] = idle.find(([, state]) => state.isForgettable) ?? idle[0] ?? []
    if (base !== undefined) this.#states.delete(base)
  }
}
