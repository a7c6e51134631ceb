/** How one forum differs from another. What can be changed while it runs is not readonly. */
export interface Setting {
  title: string
  version: string
  loginRequired: boolean
  /** Writes are 503, as during a backup. */
  readOnly: boolean
  chat: boolean
  tagging: boolean
  tagIds: 'numbers' | 'names'
  honoursActionsLimit: boolean
  hidesTakenEmails: boolean
  /** Whether the list of groups is there for all; without it that is 403. */
  groupDirectory: boolean
  /** What `/posts.json?before=` gives: 50 posts below that id, or as old cores do those of the 50 ids up to and with it. */
  postsBefore: 'below' | 'window'
  aiTools: DemoAiTools | undefined
  /** Posts from which on a topic is a mega topic. */
  megaTopicPosts: number
  /** Where the forum is, without a slash at its end; known when it listens. */
  readonly base: () => string
}

export interface DemoAiTools {
  /** `list`: the bare array; `object`: in `{tools}`. */
  readonly shape?: 'list' | 'object'
  readonly tools: readonly DemoAiTool[]
}

export interface DemoAiTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: unknown
  /** The whole body of the answer to a call. */
  readonly answer: (body: Readonly<Record<string, unknown>>) => unknown
}
