import type { ToolCall } from '../tools/forum-tool.js'

/** A list of the selected forum, under one address. */
export interface ForumResource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  /** Whether nobody but a user of the forum has one: without a credential nothing is asked for. */
  readonly needsCredential: boolean
  /** The whole document. Rejects with a ForumFailure; an error is never an empty list. */
  read(call: ToolCall): Promise<{ readonly [key: string]: unknown }>
}
