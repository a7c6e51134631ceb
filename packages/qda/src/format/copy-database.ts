import type { Clock } from '@callboard/worker/clock'
import type Database from 'better-sqlite3'
import { QdaFailure } from '../failure.js'
import { backupStepPages, busyRetryMs, busyWaitMs } from '../limits.js'

/**
 * Copies a database of the connection into a file, whole or not at all; what has the file open sees the new content
 * from then on. A file that exists is copied into without a pause, since nobody can read it meanwhile. Throws a
 * QdaFailure PROJECT_BUSY.
 */
export async function copyDatabase(
  connection: Database.Database,
  schema: string,
  file: string,
  clock: Clock,
  pages: number = backupStepPages,
): Promise<void> {
  const until = clock.monotonic() + busyWaitMs
  while (!(await isCopied(connection, schema, file, pages, () => clock.monotonic() >= until))) {
    if (clock.monotonic() >= until) throw busy()
    await clock.sleepUntil(clock.now() + busyRetryMs)
  }
}

/** For {@link copyDatabase}: all of it. */
export const allPages = 0x7fffffff

/** A copy that found a lock at its start says that all of its no pages are done. */
async function isCopied(
  connection: Database.Database,
  schema: string,
  file: string,
  pages: number,
  isLate: () => boolean,
): Promise<boolean> {
  let remaining = Number.POSITIVE_INFINITY
  const progress = (now: { readonly remainingPages: number }): number => {
    const isStuck = now.remainingPages >= remaining
    if (isStuck && isLate()) throw busy()
    remaining = now.remainingPages
    return pages
  }
  // Its types do not know `attached`.
  const options = { attached: schema, progress }
  const { totalPages } = await connection.backup(file, options)
  return totalPages > 0
}

function busy(): QdaFailure {
  return new QdaFailure('PROJECT_BUSY', 'Another program is using the database. Repeat the call in a moment.', {
    details: { retryable: true },
  })
}
