import type { Foundation } from '../../foundation.js'
import { HttpClient } from '../../http/http-client.js'
import type { NetworkAdapter } from '../network-adapter.js'
import { Spending } from './spending.js'
import { isPaidByUse, type XTier } from './tiers.js'
import { XClient } from './x-client.js'
import { XNetwork } from './x-network.js'
import { XReader } from './x-reader.js'
import { XSession } from './x-session.js'

export interface XOptions {
  /** `https://api.x.com/2`. */
  readonly baseUrl: string
  readonly tier: XTier
  /** Of a day, UTC. Holds where requests are paid one by one. */
  readonly dailyBudgetUsd: number
  /** What a login is renewed with; the secret of a confidential client only. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** At least one of the two. Later ones are kept in the database. */
  readonly accessToken?: string
  readonly refreshToken?: string
  readonly foundation: Pick<Foundation, 'store' | 'clock' | 'random'>
}

/** Asks nobody: whether X lets us in shows at the first request. */
export function openX({ baseUrl, tier, dailyBudgetUsd, foundation, ...login }: XOptions): NetworkAdapter {
  const { store, clock, random } = foundation
  const http = new HttpClient(clock)
  const base = { http, baseUrl: baseUrl.replace(/\/+$/, '') }
  const session = new XSession({ ...base, ...login, store, clock, random })
  const spending = isPaidByUse(tier) ? new Spending({ store, clock, dailyBudgetUsd }) : undefined
  const client = new XClient({ ...base, clock, session, ...(spending && { spending }) })
  return new XNetwork({ store, clock, tier, session, client, reader: new XReader({ client, clock, tier }) })
}
