import { z } from 'zod'
import { believedStatusLengthMax, believedUrlLengthMax } from '../../limits.js'

// What servers of this API agree on is required; everything else may be missing or odd, and is then as if it were not there.

const remoteId = z.string().regex(/^[\w-]{1,64}$/)
const count = z.int().min(0).optional().catch(undefined)
const webUrl = z
  .string()
  .max(2_048)
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))
  .optional()
  .catch(undefined)
/** Without a host of those who are at home there. */
const handle = z
  .string()
  .max(320)
  .regex(/^[^\s@/<>"'\p{Control}]+(@[^\s@/<>"'\p{Control}]+)?$/u)

export const accountShape = z.object({
  id: remoteId,
  acct: handle,
  followers_count: count,
  following_count: count,
  statuses_count: count,
})
export type RemoteAccount = z.output<typeof accountShape>

const mentions = z
  .array(z.object({ id: z.string() }).optional().catch(undefined))
  .max(1_000)
  .catch([])

export const statusShape = z.object({
  id: remoteId,
  account: accountShape,
  content: z.string(),
  created_at: z.string().refine((value) => !Number.isNaN(Date.parse(value))),
  url: webUrl,
  uri: webUrl,
  in_reply_to_id: remoteId.optional().catch(undefined),
  in_reply_to_account_id: remoteId.optional().catch(undefined),
  visibility: z.string().optional().catch(undefined),
  spoiler_text: z.string().catch(''),
  language: z.string().max(35).optional().catch(undefined),
  favourites_count: count,
  reblogs_count: count,
  replies_count: count,
  media_attachments: z.array(z.unknown()).catch([]),
  mentions,
  reblog: z.unknown().optional(),
  quote: z.unknown().optional(),
})
export type RemoteStatus = z.output<typeof statusShape>

/**
 * A list. An entry that has not the shape is a stranger's oddity and must not hide the others; but when none has, the list is
 * not what was asked for.
 */
function listOf<Shape extends z.ZodType>(shape: Shape) {
  return z
    .array(z.unknown())
    .max(1_000)
    .transform((entries, context): z.output<Shape>[] => {
      const good = entries.flatMap((entry) => {
        const result = shape.safeParse(entry)
        return result.success ? [result.data] : []
      })
      if (good.length > 0 || entries.length === 0) return good
      context.addIssue('no entry has the shape')
      return z.NEVER
    })
}

export const statusesShape = listOf(statusShape)

export const searchShape = z.object({ statuses: statusesShape })

/** Only those about a post have one. */
export const notificationsShape = listOf(
  z.object({ id: remoteId, type: z.string(), status: statusShape.optional().catch(undefined) }),
)

/** Of a file, and of what is of no further interest. */
export const idShape = z.object({ id: remoteId })

export const anyShape = z.unknown()

const bytes = z.int().min(1).optional().catch(undefined)

export const instanceShape = z.object({
  configuration: z
    .object({
      statuses: z
        .object({
          max_characters: z.int().min(1).max(believedStatusLengthMax).optional().catch(undefined),
          characters_reserved_per_url: z.int().min(1).max(believedUrlLengthMax).optional().catch(undefined),
          max_media_attachments: z.int().min(0).optional().catch(undefined),
        })
        .catch({}),
      media_attachments: z
        .object({
          supported_mime_types: z.array(z.string().max(100)).max(200).optional().catch(undefined),
          image_size_limit: bytes,
          video_size_limit: bytes,
          description_limit: z.int().min(1).optional().catch(undefined),
        })
        .catch({}),
    })
    .catch({ statuses: {}, media_attachments: {} }),
  /** Servers that do not have the above. */
  max_toot_chars: z.int().min(1).max(believedStatusLengthMax).optional().catch(undefined),
})
export type RemoteInstance = z.output<typeof instanceShape>
