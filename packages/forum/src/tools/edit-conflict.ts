import type { ForumFailure } from '../failure/forum-failure.js'

/** What to do where somebody has changed it meanwhile; any other failure as it is. */
export async function conflictHint(failure: ForumFailure, hint: string): Promise<ForumFailure> {
  return failure.code === 'conflict' ? failure.with({ hint }) : failure
}
