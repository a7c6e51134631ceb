import { type FailureCode, ForumFailure } from '../failure/forum-failure.js'

/** Adds what a failure of that code means for this request; a hint that is there already says more. */
export async function withHint<Answer>(code: FailureCode, hint: string, request: Promise<Answer>): Promise<Answer> {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof ForumFailure) || error.code !== code || error.details.hint !== undefined) throw error
    throw error.with({ hint })
  }
}
