import { createHash } from 'node:crypto'
import { ForumFailure } from '../failure/forum-failure.js'
import type { SeenIds } from './seen-ids.js'

/** Up to where somebody has read what is new on a forum. */
export interface InboxPosition {
  readonly posts: SeenIds
  /** Id of the last notification; 0: none. */
  readonly notification: number
}

/** Opaque to agents: which forum, the highest ids, and in bits, from the lowest one, which ids below are missing. */
export function cursorOf(base: string, { posts, notification }: InboxPosition): string {
  let bits = 0n
  for (const id of posts.missing) bits |= 1n << BigInt(posts.upTo - id)
  return [mark(base), posts.upTo, notification, bits.toString(16)].join('.')
}

/** Throws a ForumFailure invalid_arguments for what is no cursor, or that of another forum. */
export function positionOf(base: string, cursor: string): InboxPosition {
  const parts = form.exec(cursor)
  const upTo = Number(parts?.[2])
  const notification = Number(parts?.[3])
  if (parts === null || !Number.isSafeInteger(upTo) || !Number.isSafeInteger(notification)) {
    throw noCursor('It is none that discourse_get_inbox has given.')
  }
  if (parts[1] !== mark(base)) throw noCursor('It belongs to another forum than the one that is selected.')
  return { posts: { upTo, missing: idsOf(BigInt(`0x${parts[4]}`), upTo) }, notification }
}

const form = /^([0-9a-f]{8})\.(\d{1,16})\.(\d{1,16})\.([0-9a-f]{1,13})$/

function idsOf(bits: bigint, upTo: number): number[] {
  const ids: number[] = []
  for (let left = bits, id = upTo; left > 0n; left >>= 1n, id -= 1) if ((left & 1n) === 1n) ids.push(id)
  return ids.reverse()
}

function mark(base: string): string {
  return createHash('sha256').update(base).digest('hex').slice(0, 8)
}

function noCursor(why: string): ForumFailure {
  const message = `This cursor can't be used. ${why} Call without one.`
  return new ForumFailure('invalid_arguments', message, { issues: [{ path: 'cursor', message: why }] })
}
