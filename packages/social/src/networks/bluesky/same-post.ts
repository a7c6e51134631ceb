import { z } from 'zod'
import type { PreparedPost } from './prepare-post.js'

const stored = z.object({
  text: z.string(),
  createdAt: z.string(),
  reply: z.object({ root: z.object({ uri: z.string() }), parent: z.object({ uri: z.string() }) }).optional(),
  embed: z.looseObject({ $type: z.string(), images: z.array(z.object({ alt: z.string() })).optional() }).optional(),
})

/**
 * Whether what is stored under the key is this post. Mentions are left out: whom a handle meant may have changed since, and
 * languages: they are ours, and change with a configuration.
 */
export function isSamePost(record: unknown, { part, request }: PreparedPost): boolean {
  const { text, createdAt, reply, embed } = stored.safeParse(record).data ?? {}
  const wanted = request.record
  const alts = embed?.$type === 'app.bsky.embed.images' ? (embed.images ?? []).map(({ alt }) => alt) : []
  return (
    text === wanted.text &&
    createdAt === wanted.createdAt &&
    reply?.root.uri === wanted.reply?.root.uri &&
    reply?.parent.uri === wanted.reply?.parent.uri &&
    alts.length === part.media.length &&
    part.media.every(({ alt }, index) => alts[index] === alt)
  )
}
