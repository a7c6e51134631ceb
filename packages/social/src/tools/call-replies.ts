import { hashOfJson } from '../canonical-json.js'
import { failure } from '../envelope/failure.js'
import { replyMs } from '../limits.js'
import type { Database } from '../records/schema.js'
import { storable } from '../records/storable.js'
import type { Reply } from './social-tool.js'

/** Which call it is: a repeat has the same owner, tool and key. */
export interface CallIdentity {
  readonly owner: string
  readonly tool: string
  readonly key: string
  /** Whether the caller gave it. */
  readonly isKeyGiven: boolean
  readonly argumentsHash: string
}

/** The key that the arguments give, else the request's, else the call's id; it is no part of what is asked for. */
export function callIdentity(
  owner: string,
  tool: string,
  given: { readonly [key: string]: unknown },
  call: { readonly idempotencyKey: string; readonly callId: string },
): CallIdentity {
  const { idempotency_key: own, ...rest } = given
  const key = own ?? call.idempotencyKey
  return {
    owner,
    tool,
    key: storable(String(key), keyLengthMax),
    isKeyGiven: key !== call.callId,
    argumentsHash: hashOfJson(rest),
  }
}

/** Characters; more than the hub and any tool let through. */
const keyLengthMax = 1_024

/** What the first such call was answered in the last 24 hours. Throws `conflict` when that had other arguments. */
export async function storedReply(
  db: Database,
  { owner, tool, key, argumentsHash }: CallIdentity,
  now: number,
): Promise<Reply<unknown> | undefined> {
  const row = await db
    .selectFrom('call_replies')
    .select(['args_hash', 'reply'])
    .where('principal', '=', owner)
    .where('tool', '=', tool)
    .where('key', '=', key)
    .where('created_at', '>', now - replyMs)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.args_hash === argumentsHash) return JSON.parse(row.reply) as Reply<unknown>
  throw failure(
    'conflict',
    'This idempotency key was used for a call with other arguments in the last 24 hours; take another key for another call.',
  )
}

/** In place of an older one under the same key, if there is any. */
export async function storeReply(
  db: Database,
  { owner, tool, key, argumentsHash }: CallIdentity,
  reply: Reply<unknown>,
  now: number,
): Promise<void> {
  const values = { args_hash: argumentsHash, reply: JSON.stringify(reply), created_at: now }
  await db
    .insertInto('call_replies')
    .values({ principal: owner, tool, key, ...values })
    .onConflict((same) => same.columns(['principal', 'tool', 'key']).doUpdateSet(values))
    .execute()
}
