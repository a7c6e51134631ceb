import type { Clock } from '@callboard/worker/clock'
import { failure } from '../../envelope/failure.js'
import type { Foundation } from '../../foundation.js'
import { dayMs } from '../../limits.js'

/** What a request may cost at most, or did cost. */
export interface Spent {
  readonly units: number
  /** USD. */
  readonly cost: number
}

/** Money that is set aside for one request. */
export interface Reservation {
  /** It cost this much; nothing of it stays in the books where that is 0. */
  settle(spent: Spent): Promise<void>
}

/**
 * The books of a day, UTC, shared by all replicas: what a request may cost is written down before it leaves, so that several
 * at once, or one that is never settled, can not overrun the budget.
 */
export class Spending {
  readonly #store: Foundation['store']
  readonly #clock: Clock
  readonly #budget: number

  constructor({ store, clock, dailyBudgetUsd }: Pick<Foundation, 'store' | 'clock'> & { dailyBudgetUsd: number }) {
    this.#store = store
    this.#clock = clock
    this.#budget = dailyBudgetUsd
  }

  /** Throws `policy_denied_rate_limited` when the day's budget does not hold it. */
  async reserve(endpoint: string, { units, cost }: Spent): Promise<Reservation> {
    const now = this.#clock.now()
    const today = now - (now % dayMs)
    const id = await this.#store.transaction(async (db) => {
      const { spent } = await db
        .selectFrom('network_usage')
        .select(({ fn }) => fn.sum<number | null>('cost').as('spent'))
        .where('network', '=', 'x')
        .where('at', '>=', today)
        .executeTakeFirstOrThrow()
      if (isMore(Number(spent ?? 0) + cost, this.#budget)) throw this.#usedUp(cost, today + dayMs - now)
      const row = { network: 'x', endpoint, units, cost, at: now } as const
      return (await db.insertInto('network_usage').values(row).returning('id').executeTakeFirstOrThrow()).id
    })
    return { settle: (actual) => this.#settle(id, actual) }
  }

  async #settle(id: number, { units, cost }: Spent): Promise<void> {
    const { db } = this.#store
    if (cost === 0) await db.deleteFrom('network_usage').where('id', '=', id).execute()
    else await db.updateTable('network_usage').set({ units, cost }).where('id', '=', id).execute()
  }

  #usedUp(cost: number, retryAfterMs: number) {
    return failure(
      'policy_denied_rate_limited',
      `Today's budget for X (${this.#budget} USD) does not hold another ${cost.toFixed(3)} USD: wait for the next day (UTC), or an operator raises social.x.daily_budget_usd.`,
      { retryAfterMs, details: { network: 'x', rule: 'daily_budget_usd', cost } },
    )
  }
}

/** To the millionth: sums of fractions are not exact. */
function isMore(sum: number, budget: number): boolean {
  return Math.round(sum * 1e6) > Math.round(budget * 1e6)
}
