import { ForumFailure } from '../../failure/forum-failure.js'
import { ownUsername } from '../../identity/forum-user.js'
import { textOf } from '../common-input.js'
import type { ToolCall } from '../forum-tool.js'

export const authorUsername = textOf(
  1,
  60,
  'The user as whom to post, in place of the one of the key; with an admin key only',
).optional()

/** A forum would ignore the name and post as the owner of the key. Throws a ForumFailure. */
export function requireMayActAs(name: string | undefined, { selection }: ToolCall): void {
  if (name === undefined || selection.credential.kind === 'api_key') return
  const message = 'author_username needs an admin key, and this forum is used with the key of one user; leave it out.'
  throw new ForumFailure('invalid_arguments', message, {
    issues: [{ path: 'author_username', message: 'needs an admin key' }],
  })
}

export function actingAs(name: string | undefined): { readonly actAs?: string } {
  return name === undefined ? {} : { actAs: name }
}

/** Who has written it: a name, in lower case. */
export async function authorOf(actAs: string | undefined, call: ToolCall): Promise<string> {
  return (actAs ?? (await ownUsername(call))).toLowerCase()
}
