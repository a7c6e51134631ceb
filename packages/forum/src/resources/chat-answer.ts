import { ForumFailure } from '../failure/forum-failure.js'
import type { Query } from '../http/site-client.js'
import type { ToolCall } from '../tools/forum-tool.js'

/** What the chat answers; a forum without chat is an error that says so. */
export async function chatAnswer(path: string, query: Query, { client, scope }: ToolCall): Promise<unknown> {
  try {
    return await client.get(path, query, scope)
  } catch (error) {
    if (!(error instanceof ForumFailure) || error.code !== 'not_found') throw error
    throw new ForumFailure('not_found', 'This forum has no chat, or the reader may not use it.', error.details, error)
  }
}
