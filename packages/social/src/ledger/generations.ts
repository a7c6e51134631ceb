import { failure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { generationsPerHourMax, hourMs } from '../limits.js'

const action = 'generation'

/**
 * Counts a text that somebody wants written, before a model is asked: what it costs is the operator's money, whether anything
 * comes of it or not. Throws `rate_limited`.
 */
export async function countGeneration(
  { store, clock }: Pick<Foundation, 'store' | 'clock'>,
  principal: string,
): Promise<void> {
  const now = clock.now()
  await store.transaction(async (db) => {
    const rows = await db
      .selectFrom('rate_ledger')
      .select('at')
      .where('action_type', '=', action)
      .where('network', '=', '')
      .where('principal', '=', principal)
      .where('at', '>', now - hourMs)
      .orderBy('at', 'desc')
      .limit(generationsPerHourMax)
      .execute()
    const oldest = rows[generationsPerHourMax - 1]
    if (oldest !== undefined) throw tooMany(oldest.at + hourMs, now)
    await db
      .insertInto('rate_ledger')
      .values({ action_type: action, network: '', principal, state: 'used', at: now })
      .execute()
  })
}

function tooMany(free: number, now: number) {
  return failure(
    'rate_limited',
    `${generationsPerHourMax} texts have been written for you in one hour, which is the limit; wait, or write it yourself.`,
    { retryAfterMs: free - now, rateLimitReset: free, details: { action_type: action } },
  )
}
