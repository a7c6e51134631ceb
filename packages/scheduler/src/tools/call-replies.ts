import { replyMs } from '../limits.js'
import type { Database } from '../records/schema.js'
import { storable } from '../records/storable.js'
import { refusal } from '../refusal.js'
import { hashOfJson } from './canonical-json.js'
import type { Reply } from './scheduler-tool.js'

/** Which call it is: a repeat has the same principal, tool and key. */
export interface CallIdentity {
  readonly principal: string
  readonly tool: string
  readonly key: string
  readonly argumentsHash: string
}

/** The key that the arguments give, else the request's; it is no part of what is asked for. */
export function callIdentity(
  principal: string,
  tool: string,
  given: { readonly [key: string]: unknown },
  requestKey: string,
): CallIdentity {
  const { idempotency_key: key = requestKey, ...rest } = given
  return { principal, tool, key: storable(String(key), keyLengthMax), argumentsHash: hashOfJson(rest) }
}

/** Characters; more than the hub and any tool let through. */
const keyLengthMax = 1_024

/** What the first such call was answered in the last 24 hours. Throws a ToolError CONFLICT when that had other arguments. */
export async function storedReply(
  db: Database,
  { principal, tool, key, argumentsHash }: CallIdentity,
  now: number,
): Promise<Reply<object> | undefined> {
  const row = await db
    .selectFrom('call_replies')
    .select(['args_hash', 'reply'])
    .where('principal', '=', principal)
    .where('tool', '=', tool)
    .where('key', '=', key)
    .where('created_at', '>', now - replyMs)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.args_hash === argumentsHash) return JSON.parse(row.reply) as Reply<object>
  throw refusal('CONFLICT', 'This idempotency key was used for a call with other arguments in the last 24 hours.', {
    hint: 'Take another key for another call.',
  })
}

/** In place of an older one under the same key, if there is any. */
export async function storeReply(
  db: Database,
  { principal, tool, key, argumentsHash }: CallIdentity,
  reply: Reply<object>,
  now: number,
): Promise<void> {
  const values = { args_hash: argumentsHash, reply: JSON.stringify(reply), created_at: now }
  await db
    .insertInto('call_replies')
    .values({ principal, tool, key, ...values })
    .onConflict((same) => same.columns(['principal', 'tool', 'key']).doUpdateSet(values))
    .execute()
}
