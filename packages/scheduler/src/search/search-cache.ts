import { createHash } from 'node:crypto'
import { z } from 'zod'
import { searchCacheMs } from '../limits.js'
import type { Database } from '../records/schema.js'
import type { SearchProvider, ServiceRequest } from './search-provider.js'

const keptSchema = z.object({
  results: z.array(
    z.object({ title: z.string(), url: z.string(), snippet: z.string(), published: z.string().exactOptional() }),
  ),
  answer: z.string().nullable(),
})

/** What a search came to; the answer null when it was not written. */
export type KeptSearch = Readonly<z.output<typeof keptSchema>>

/** The same for the same question to the same service; keys are no part of it. */
export function searchKey({ name }: SearchProvider, { url, body = '' }: ServiceRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([name, url, body]))
    .digest('hex')
}

export async function keptSearch(db: Database, key: string, now: number): Promise<KeptSearch | undefined> {
  const row = await db
    .selectFrom('searches')
    .select(['reply', 'at'])
    .where('key', '=', key)
    .where('at', '>', now - searchCacheMs)
    // Of a clock that was set back since.
    .where('at', '<=', now)
    .executeTakeFirst()
  return row === undefined ? undefined : keptSchema.safeParse(JSON.parse(row.reply)).data
}

/** Keeps `at`, when it was searched, and drops what is too old. */
export async function keepSearch(db: Database, key: string, search: KeptSearch, at: number): Promise<void> {
  const reply = JSON.stringify(search)
  await db
    .deleteFrom('searches')
    .where('at', '<=', at - searchCacheMs)
    .execute()
  await db
    .insertInto('searches')
    .values({ key, reply, at })
    .onConflict((same) => same.column('key').doUpdateSet({ reply, at }))
    .execute()
}

/** An answer that could not be written before; the results keep their age. */
export async function keepAnswer(db: Database, key: string, search: KeptSearch): Promise<void> {
  await db
    .updateTable('searches')
    .set({ reply: JSON.stringify(search) })
    .where('key', '=', key)
    .execute()
}
