import type { Medium, Part, PostRef } from '../networks/network-adapter.js'
import type { ReplyTarget } from '../policy/safety-checks.js'

interface PartParts {
  readonly text: string
  readonly media: readonly Medium[]
  /** Of a reply. */
  readonly target?: ReplyTarget | undefined
  /** Of a thread: its first post, and the one before this part. */
  readonly thread?: { readonly first: PostRef; readonly previous: PostRef } | undefined
  readonly visibility?: string | null | undefined
  readonly contentWarning?: string | null
  readonly language?: string | null
}

/** One part as its network is given it. */
export function networkPartOf({ text, media, target, thread, visibility, contentWarning, language }: PartParts): Part {
  return {
    text,
    media,
    ...linksOf(target, thread),
    ...(visibility != null && { visibility }),
    ...(contentWarning != null && { contentWarning }),
    ...(language != null && { language }),
  }
}

function linksOf(target: ReplyTarget | undefined, thread: PartParts['thread']): Pick<Part, 'parent' | 'root'> {
  if (thread !== undefined) return { parent: thread.previous, root: thread.first }
  if (target === undefined) return {}
  const parent = { id: target.id, ...(target.cid !== undefined && { cid: target.cid }) }
  return { parent, root: target.root ?? parent }
}
