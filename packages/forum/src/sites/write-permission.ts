import type { ForumConfig } from '../config/forum-config.js'
import type { Credential } from '../http/credential.js'

/** Why nothing can be written to a forum: a sentence with the remedy; undefined where something can. */
export function whyNoWrites(
  { allowWrites, readOnly }: Pick<ForumConfig, 'allowWrites' | 'readOnly'>,
  base: string,
  credential: Credential,
): string | undefined {
  if (!allowWrites) return 'Writing is off. The operator switches it on with allow_writes and read_only=false.'
  if (readOnly) return 'This worker is read-only. The operator lets it write with read_only=false.'
  if (credential.kind === 'anonymous')
    return `There is no key for ${base}, so nothing can be written there. The operator adds an auth_pairs entry for exactly this site.`
  return undefined
}
