import { ForumFailure } from '../failure/forum-failure.js'
import { recordAt, textAt } from '../json/read-json.js'
import type { ToolCall } from '../tools/forum-tool.js'
import { unexpectedAnswer } from '../tools/unexpected-answer.js'

/** Throws `not_authenticated`, before anything is asked for, where the forum is read as nobody. `what` begins a sentence. */
export function requireUser({ selection }: ToolCall, what: string): void {
  if (selection.credential.kind !== 'anonymous') return
  throw new ForumFailure('not_authenticated', `${what} belong to a user of the forum, and nobody is signed in.`, {
    hint: `The operator adds an auth_pairs entry for ${selection.base}.`,
  })
}

/** As whom the forum sees us; a user's own key does not tell. */
export async function ownUsername({ selection, client, scope }: ToolCall): Promise<string> {
  const known = selection.credential.username
  if (known !== undefined) return known
  const user = recordAt(await client.get('/session/current.json', [], scope), 'current_user')
  const username = textAt(user, 'username')
  if (!username) throw unexpectedAnswer('the name of the user as whom it is read')
  return username
}
