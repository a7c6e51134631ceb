import type { NetworkName } from '../config.js'
import type { Row } from '../records/row.js'
import type { Database } from '../records/schema.js'

export interface LogQuery {
  /** UTC ms. */
  readonly since: number
  readonly type?: string | undefined
  readonly network?: NetworkName | undefined
}

/** Where a page of the log ends: what comes next is older. */
export type LogPlace = readonly [createdAt: number, id: number]

export interface LogPage {
  /** Oldest first: it reads like a story. */
  readonly entries: readonly Row<'action_log'>[]
  /** Of the page before this one in time; absent when there is none. */
  readonly older?: LogPlace
}

/** The newest entries that fit, or those before a place. */
export async function readLog(db: Database, query: LogQuery, limit: number, before?: LogPlace): Promise<LogPage> {
  const rows = await entriesOf(db, query)
    .selectAll()
    .$if(before !== undefined, (select) =>
      select.where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(...before!))),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const older = rows.length > limit && last !== undefined ? { older: [last.created_at, last.id] as const } : {}
  return { entries: page.reverse(), ...older }
}

/** How many entries there are of each type. */
export async function countLog(db: Database, query: LogQuery): Promise<Readonly<Record<string, number>>> {
  const rows = await entriesOf(db, query)
    .select(({ fn }) => ['action_type', fn.countAll<number>().as('count')])
    .groupBy('action_type')
    .orderBy('action_type')
    .execute()
  return Object.fromEntries(rows.map(({ action_type, count }) => [action_type, Number(count)]))
}

function entriesOf(db: Database, { since, type, network }: LogQuery) {
  return db
    .selectFrom('action_log')
    .where('created_at', '>=', since)
    .$if(type !== undefined, (query) => query.where('action_type', '=', type!))
    .$if(network !== undefined, (query) => query.where('network', '=', network!))
}
