import { storable } from '@callboard/store'
import { cursorLengthMax } from '../limits.js'
import type { Database } from '../records/schema.js'

/** Up to where something has been read; undefined: from the beginning. */
export async function readCursor(db: Database, network: string, source: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cursors')
    .select('value')
    .where('network', '=', network)
    .where('source', '=', source)
    .executeTakeFirst()
  return row?.value ?? undefined
}

/** In a loop's own row it touches neither lease nor time. One that is too long to be a cursor, or can't be stored, is not kept. */
export async function writeCursor(
  db: Database,
  network: string,
  source: string,
  value: string | undefined,
  now: number,
): Promise<void> {
  if (value === undefined || value.length > cursorLengthMax || storable(value, cursorLengthMax) !== value) return
  await db
    .insertInto('cursors')
    .values({ network, source, value, failures: 0, updated_at: now })
    .onConflict((same) => same.columns(['network', 'source']).doUpdateSet({ value, updated_at: now }))
    .execute()
}
