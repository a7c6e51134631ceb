import { QdaFailure } from '../failure.js'
import { requestKeptMs, requestsPrunedMax } from '../limits.js'
import { parsedObject } from '../project/parsed-json.js'
import type { ProjectDatabase } from '../project/project-database.js'

/** Which write it is: a repeat has the same actor, tool and key, and asks for the same. */
export interface RequestIdentity {
  readonly actor: string
  readonly tool: string
  readonly key: string
  readonly argumentsHash: string
}

/** What the first such write was answered. Throws REQUEST_ID_CONFLICT where it asked for something else. */
export function findReply(db: ProjectDatabase, identity: RequestIdentity | undefined, now: number): object | undefined {
  if (identity === undefined) return undefined
  const { actor, tool, key, argumentsHash } = identity
  const row = db.get<{ readonly args_hash: string; readonly reply: string }>(
    'SELECT args_hash, reply FROM side.request WHERE actor = ? AND tool = ? AND key = ? AND created_at > ?',
    ...[actor, tool, key, now - requestKeptMs],
  )
  const reply = parsedObject(row?.reply)
  // What nobody here wrote replays nothing.
  if (row === undefined || reply === undefined) return undefined
  if (row.args_hash === argumentsHash) return reply
  throw new QdaFailure(
    'REQUEST_ID_CONFLICT',
    `This request_id was used for another call of ${tool}; take a new one for other arguments`,
    { details: { request_id: key } },
  )
}

/** In the transaction that had the effect. Old ones go, some at a time. */
export function keepReply(
  db: ProjectDatabase,
  identity: RequestIdentity | undefined,
  reply: object,
  now: number,
): void {
  if (identity === undefined) return
  const { actor, tool, key, argumentsHash } = identity
  db.run(
    'INSERT OR REPLACE INTO side.request (actor, tool, key, args_hash, reply, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    ...[actor, tool, key, argumentsHash, JSON.stringify(reply), now],
  )
  db.run(
    `DELETE FROM side.request WHERE (actor, tool, key) IN
     (SELECT actor, tool, key FROM side.request WHERE created_at <= ? LIMIT ?)`,
    ...[now - requestKeptMs, requestsPrunedMax],
  )
}
