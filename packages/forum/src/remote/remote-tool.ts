/** A tool that a forum itself offers. */
export interface RemoteTool {
  /** As agents see it: `remote_` and its name, in characters that every client takes. */
  readonly localName: string
  /** As the forum knows it. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** As the forum gave it, without secrets. */
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  /** What is wrong with arguments by that schema; none: nothing. */
  check(given: unknown): readonly { readonly path: string; readonly message: string }[]
}
