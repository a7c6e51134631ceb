import { z } from 'zod'
import type { NetworkPost, PostRef } from '../network-adapter.js'
import { isDid, pageOf, placeOfUri, postCollection } from './identifiers.js'

export const recordUri = z
  .string()
  .max(1_024)
  .refine((uri) => placeOfUri(uri) !== undefined)
export const contentId = z.string().min(1).max(256)
const count = z.int().min(0).catch(0)

/** What one thing of a list is not fit for must not cost the rest. */
const strongRef = z.object({ uri: recordUri, cid: contentId })
const embed = z.looseObject({
  $type: z.string(),
  images: z.array(z.unknown()).max(100).optional().catch(undefined),
  record: z.unknown().optional(),
  media: z.unknown().optional(),
})
const mentionFacet = z.object({
  features: z.array(z.looseObject({ $type: z.string(), did: z.string().optional().catch(undefined) })).max(20),
})

/** A post as its author wrote it. Whatever a stranger's program may have left out or made up is let go. */
export const postRecord = z.object({
  text: z.string().max(30_000),
  createdAt: z.string().max(100).catch(''),
  langs: z.array(z.string().max(35)).max(20).catch([]),
  reply: z.object({ root: strongRef, parent: strongRef }).optional().catch(undefined),
  embed: embed.optional().catch(undefined),
  facets: z.array(mentionFacet.or(z.unknown())).max(1_000).catch([]),
})

const rule = z.looseObject({ $type: z.string().max(200) })
export const threadgateRecord = z.object({ allow: z.array(rule).max(20).optional() })

export const postView = z.object({
  uri: recordUri,
  cid: contentId,
  author: z.object({
    did: z.string().refine(isDid),
    handle: z.string().max(253).catch('handle.invalid'),
    viewer: z
      .object({ blockedBy: z.boolean().catch(false), blocking: z.string().max(1_024).optional().catch(undefined) })
      .optional(),
  }),
  record: z.unknown(),
  likeCount: count,
  repostCount: count,
  replyCount: count,
  indexedAt: z.string().max(100).catch(''),
  viewer: z.object({ replyDisabled: z.boolean().catch(false) }).optional(),
  threadgate: z.object({ record: threadgateRecord }).optional().catch(undefined),
})

export type PostView = z.output<typeof postView>
export type PostRecord = z.output<typeof postRecord>

/** Lists of the network are read entry by entry: one that is not what it should be is left out. */
export function fitting<Shape extends z.ZodType>(entries: readonly unknown[], shape: Shape): z.output<Shape>[] {
  return entries.flatMap((entry) => {
    const parsed = shape.safeParse(entry)
    return parsed.success ? [parsed.data] : []
  })
}

/** Undefined when it is no post, or says to be by somebody else than it is. `ourDid` decides whether it addresses us. */
export function toNetworkPost(view: PostView, ourDid: string): NetworkPost | undefined {
  const place = placeOfUri(view.uri)
  const record = postRecord.safeParse(view.record).data
  if (record === undefined || place?.collection !== postCollection || place.repo !== view.author.did) return undefined
  const { did, handle } = view.author
  const refusal = replyRefusalOf(view, record, ourDid)
  return {
    ref: { id: view.uri, cid: view.cid },
    url: pageOf(did, handle, place.rkey),
    authorId: did,
    authorUsername: handle,
    text: record.text,
    ...(record.langs[0] !== undefined && { lang: record.langs[0] }),
    postedAt: timeOf(view, record),
    likes: view.likeCount,
    reposts: view.repostCount,
    replies: view.replyCount,
    media: mediaOf(record),
    isQuote: quotedBy(record) !== undefined,
    isRepost: false,
    ...(record.reply !== undefined && { replyTo: refOf(record.reply.parent), root: refOf(record.reply.root) }),
    addressesUs: addresses(record, ourDid),
    ...(refusal !== undefined && { replyRefusal: refusal }),
  }
}

function refOf({ uri, cid }: z.output<typeof strongRef>): PostRef {
  return { id: uri, cid }
}

/** As the network sorts: when it was written, and never after it was first seen. UTC ms. */
function timeOf({ indexedAt }: PostView, { createdAt }: PostRecord): number {
  const times = [Date.parse(createdAt), Date.parse(indexedAt)].filter((time) => Number.isFinite(time))
  return times.length === 0 ? 0 : Math.max(0, Math.min(...times))
}

function mediaOf({ embed }: Pick<PostRecord, 'embed'>): number {
  if (embed === undefined) return 0
  if (embed.$type === 'app.bsky.embed.images') return embed.images?.length ?? 0
  if (embed.$type === 'app.bsky.embed.video') return 1
  const inner = embedShape.safeParse(embed.media).data
  return embed.$type === 'app.bsky.embed.recordWithMedia' && inner !== undefined ? mediaOf({ embed: inner }) : 0
}

const embedShape = embed
const quoted = z.object({ uri: recordUri })
const quotedWithMedia = z.object({ record: quoted })

/** The URI of the post that it quotes. */
function quotedBy({ embed }: PostRecord): string | undefined {
  const uri =
    embed?.$type === 'app.bsky.embed.record'
      ? quoted.safeParse(embed.record).data?.uri
      : embed?.$type === 'app.bsky.embed.recordWithMedia'
        ? quotedWithMedia.safeParse(embed.record).data?.record.uri
        : undefined
  return uri !== undefined && placeOfUri(uri)?.collection === postCollection ? uri : undefined
}

function addresses(record: PostRecord, ourDid: string): boolean {
  const isOurs = (uri: string | undefined) => uri !== undefined && placeOfUri(uri)?.repo === ourDid
  return mentions(record, ourDid) || isOurs(record.reply?.parent.uri) || isOurs(quotedBy(record))
}

function mentions({ facets }: PostRecord, did: string): boolean {
  return fitting(facets, mentionFacet).some(({ features }) => features.some((feature) => feature.did === did))
}

/** Why the network would hide our reply. Where it does not say what holds for us, the gate on the post itself is read. */
function replyRefusalOf(view: PostView, record: PostRecord, ourDid: string): string | undefined {
  const { author, viewer, threadgate } = view
  if (author.did === ourDid) return undefined
  if (author.viewer?.blockedBy) return 'its author blocks this account'
  if (author.viewer?.blocking !== undefined) return 'this account blocks its author'
  if (viewer?.replyDisabled) return 'its author limits who may reply, and this account is not among them'
  const allow = viewer === undefined ? threadgate?.record.allow : undefined
  if (allow === undefined) return undefined
  const byMention = allow.some(({ $type }) => $type === 'app.bsky.feed.threadgate#mentionRule')
  return byMention && mentions(record, ourDid) ? undefined : 'its author limits who may reply'
}
