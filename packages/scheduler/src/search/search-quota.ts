import { Temporal } from '@js-temporal/polyfill'
import { searchesPerGroupAndDayMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import { refusal } from '../refusal.js'

export interface Day {
  /** `2026-03-02`. */
  readonly name: string
  /** UTC ms of the next midnight. */
  readonly endsAt: number
}

export function dayOf(now: number, timeZone: string): Day {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate()
  return {
    name: today.toString(),
    endsAt: today.add({ days: 1 }).toZonedDateTime({ timeZone }).epochMilliseconds,
  }
}

/** Counts one search. One statement, so that no two processes take the last one; throws RATE_LIMITED when none is left. */
export async function takeSearch(db: Database, group: string, day: Day, now: number): Promise<void> {
  const name = nameOf(group)
  const counted = await db
    .insertInto('quotas')
    .values({ name, window: day.name, used: 1 })
    .onConflict((same) =>
      same
        .columns(['name', 'window'])
        .doUpdateSet((row) => ({ used: row('quotas.used', '+', 1) }))
        .where('quotas.used', '<', searchesPerGroupAndDayMax),
    )
    .returning('used')
    .executeTakeFirst()
  if (counted !== undefined) return
  throw refusal('RATE_LIMITED', `This group has made its ${searchesPerGroupAndDayMax} searches of today.`, {
    retryAfterMs: Math.max(0, day.endsAt - now),
    hint: 'What was searched in the last ten minutes can be asked again; new searches are free after midnight.',
  })
}

/** For a search that no service has made. */
export async function giveSearchBack(db: Database, group: string, day: Day): Promise<void> {
  await db
    .updateTable('quotas')
    .set((row) => ({ used: row('used', '-', 1) }))
    .where('name', '=', nameOf(group))
    .where('window', '=', day.name)
    .where('used', '>', 0)
    .execute()
}

/** Days that are over count for nothing. */
export async function forgetOldQuotas(db: Database, group: string, day: Day): Promise<void> {
  await db.deleteFrom('quotas').where('name', '=', nameOf(group)).where('window', '<', day.name).execute()
}

const nameOf = (group: string) => `web_search:${group}`
