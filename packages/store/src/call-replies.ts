import type { Kysely } from 'kysely'
import { columnsFor } from './columns.js'
import { callKeyLengthMax, callReplyMs } from './limits.js'
import { storable } from './storable.js'
import type { DialectName } from './store.js'

/** Which call it is: a repeat has the same principal, tool and key. */
export interface CallIdentity {
  readonly principal: string
  readonly tool: string
  /** A `callKey`. */
  readonly key: string
  /** Of all that is asked for; a repeat asks for the same. */
  readonly argumentsHash: string
}

/** Replies of calls that had an effect, for their repeats. */
export interface CallRepliesTable {
  principal: string
  tool: string
  key: string
  args_hash: string
  /** JSON. */
  reply: string
  created_at: number
}

/** What the schema of a worker must have for {@link CallReplies}; {@link createCallReplies} makes it. */
export interface CallRepliesSchema {
  call_replies: CallRepliesTable
}

/** A caller's key as it is kept. */
export function callKey(text: string): string {
  return storable(text, callKeyLengthMax)
}

/** A repeat of a call within 24 hours is answered as the first one was. */
export class CallReplies<Schema extends CallRepliesSchema, Reply> {
  readonly #conflict: () => Error

  /** `conflict` makes what is thrown where a key is used again for something else. */
  constructor(conflict: () => Error) {
    this.#conflict = conflict
  }

  /** What the first such call was answered; undefined: this is the first. */
  async find(
    db: Kysely<Schema>,
    { principal, tool, key, argumentsHash }: CallIdentity,
    now: number,
  ): Promise<Reply | undefined> {
    const row = await narrow(db)
      .selectFrom('call_replies')
      .select(['args_hash', 'reply'])
      .where('principal', '=', principal)
      .where('tool', '=', tool)
      .where('key', '=', key)
      .where('created_at', '>', now - callReplyMs)
      .executeTakeFirst()
    if (row === undefined) return undefined
    if (row.args_hash !== argumentsHash) throw this.#conflict()
    return JSON.parse(row.reply) as Reply
  }

  /** In place of an older one under the same key, if there is any. */
  async keep(
    db: Kysely<Schema>,
    { principal, tool, key, argumentsHash }: CallIdentity,
    reply: Reply,
    now: number,
  ): Promise<void> {
    const values = { args_hash: argumentsHash, reply: JSON.stringify(reply), created_at: now }
    await narrow(db)
      .insertInto('call_replies')
      .values({ principal, tool, key, ...values })
      .onConflict((same) => same.columns(['principal', 'tool', 'key']).doUpdateSet(values))
      .execute()
  }
}

/** Removes replies that are no longer given, at most so many; tells how many. */
export async function pruneCallReplies<Schema extends CallRepliesSchema>(
  db: Kysely<Schema>,
  now: number,
  rowsMax: number,
): Promise<number> {
  const { numDeletedRows } = await narrow(db)
    .deleteFrom('call_replies')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('principal', 'tool', 'key'),
        'in',
        selectFrom('call_replies as old')
          .select(['old.principal', 'old.tool', 'old.key'])
          .where('old.created_at', '<=', now - callReplyMs)
          .limit(rowsMax)
          .$asTuple('principal', 'tool', 'key'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** For migrations. Databases have run it: a change of the table is another step. */
export async function createCallReplies({ schema }: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const column = columnsFor(dialect)
  await schema
    .createTable('call_replies')
    .addColumn('principal', column.text, (principal) => principal.notNull())
    .addColumn('tool', column.text, (tool) => tool.notNull())
    .addColumn('key', column.text, (key) => key.notNull())
    .addColumn('args_hash', column.text, (hash) => hash.notNull())
    .addColumn('reply', column.json, (reply) => reply.notNull())
    .addColumn('created_at', column.milliseconds, (time) => time.notNull())
    .addPrimaryKeyConstraint('call_replies_key', ['principal', 'tool', 'key'])
    .execute()
  await schema.createIndex('call_replies_time').on('call_replies').columns(['created_at']).execute()
}

/** Kysely does not know that a handle of more tables is one of fewer. */
function narrow<Schema extends CallRepliesSchema>(db: Kysely<Schema>): Kysely<CallRepliesSchema> {
  return db as unknown as Kysely<CallRepliesSchema>
}
