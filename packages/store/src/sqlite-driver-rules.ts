import { setTimeout as pause } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { busyRetryDelayMs, lockWaitMs } from './limits.js'
import { isBusy, sqliteError } from './sqlite-error.js'
import type { DriverRules } from './store-driver.js'

/** Transactions take the write lock at once: a read that becomes a write could fail half-way. */
export function sqliteRules(path: string): DriverRules {
  return {
    async begin(_driver, connection) {
      await retryWhileBusy(() => connection.executeQuery(CompiledQuery.raw('begin immediate')), lockWaitMs)
    },
    autocommit: (_driver, connection, query) => retryWhileBusy(() => connection.executeQuery(query), lockWaitMs),
    translate: (error) => sqliteError(error, path),
  }
}

/** Repeats what another process's lock has kept from taking effect, without blocking the event loop. */
export async function retryWhileBusy<Result>(
  operation: () => Result | Promise<Result>,
  waitMs: number,
): Promise<Result> {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    try {
      return await operation()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error
    }
    await pause(busyRetryDelayMs)
  }
}
