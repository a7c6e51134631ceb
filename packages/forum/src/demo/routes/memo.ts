import { createHash } from 'node:crypto'
import type { ForumModel } from '../forum-model.js'
import type { Answer } from '../http/answer.js'
import type { Input } from '../http/input.js'
import { Refusal } from '../http/refusal.js'
import { memoMs, memosMax } from '../limits.js'

interface Memo {
  readonly answer: Answer
  readonly until: number
}

/** Of each forum, by what was posted and by whom; oldest first. */
const memos = new WeakMap<ForumModel, Map<string, Memo>>()

/** The stored first answer to the same post by the same user; refusals are stored as well. */
export function remembered(forum: ForumModel, username: string, { all }: Input, create: () => Answer): Answer {
  const known = memos.get(forum) ?? new Map<string, Memo>()
  memos.set(forum, known)
  const signature = createHash('sha256')
    .update(JSON.stringify([username, Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('hex')
  const memo = known.get(signature)
  if (memo !== undefined && memo.until > forum.now()) return memo.answer
  const answer = refusedOr(create)
  known.delete(signature)
  known.set(signature, { answer, until: forum.now() + memoMs })
  for (const oldest of known.keys()) {
    if (known.size <= memosMax) break
    known.delete(oldest)
  }
  return answer
}

function refusedOr(create: () => Answer): Answer {
  try {
    return create()
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}
