import { loopJitterMsMax, loopLeaseMs, loopLeaseMsMax, loopPauseMs, loopRetryMsMax } from '../limits.js'
import type { Row } from '../records/row.js'
import type { Database } from '../records/schema.js'
import type { Loop } from './loop.js'

export type LoopRow = Row<'cursors'>

/** The loop's row; made where there is none, due at once. */
export async function loopRow(db: Database, loop: Loop, now: number): Promise<LoopRow> {
  const found = await select(db, loop)
  if (found !== undefined) return found
  const { network, name } = loop
  await db
    .insertInto('cursors')
    .values({ network, source: name, due_at: now, failures: 0, updated_at: now })
    .onConflict((same) => same.columns(['network', 'source']).doNothing())
    .execute()
  return (await select(db, loop))!
}

function select(db: Database, { network, name }: Loop): Promise<LoopRow | undefined> {
  return db
    .selectFrom('cursors')
    .selectAll()
    .where('network', '=', network)
    .where('source', '=', name)
    .executeTakeFirst()
}

/** A time that lies farther ahead than any turn sets is of another interval, or of a clock that was wrong. */
export function isDue({ due_at: dueAt }: LoopRow, { everyMs }: Loop, now: number): boolean {
  const reach = everyMs + loopJitterMsMax + loopPauseMs + loopRetryMsMax
  return dueAt === null || dueAt <= now || dueAt > now + reach
}

/**
 * Takes the row as it was read, if nobody holds it and nobody has taken it meanwhile: of two replicas one wins. Who holds a
 * token holds the lease for {@link loopLeaseMs}.
 */
export async function claim(db: Database, row: LoopRow, token: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('cursors')
    .set({ lease_owner: token, lease_until: now + loopLeaseMs, updated_at: now })
    .where('network', '=', row.network)
    .where('source', '=', row.source)
    // A turn that ended since the row was read has moved its time: then there is nothing to do.
    .where('due_at', row.due_at === null ? 'is' : '=', row.due_at)
    .where((it) =>
      it.or([
        it('lease_until', 'is', null),
        it('lease_until', '<=', now),
        it('lease_until', '>', now + loopLeaseMsMax),
      ]),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** False: it ran out, and somebody else has the loop now. */
export async function renew(db: Database, loop: Loop, token: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await held(db, loop, token)
    .set({ lease_until: now + loopLeaseMs })
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Gives the loop back, with what its turn came to. False as with {@link renew}: then others know better. */
export async function release(
  db: Database,
  loop: Loop,
  token: string,
  end: { readonly due_at: number | null; readonly failures: number; readonly updated_at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await held(db, loop, token)
    .set({ ...end, lease_owner: null, lease_until: null })
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

function held(db: Database, { network, name }: Loop, token: string) {
  return db
    .updateTable('cursors')
    .where('network', '=', network)
    .where('source', '=', name)
    .where('lease_owner', '=', token)
}
