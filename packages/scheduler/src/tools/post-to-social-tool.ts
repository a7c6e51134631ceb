import { z } from 'zod'
import { longTextMax, socialUrlMax } from '../limits.js'
import { refusal } from '../refusal.js'
import type { SocialPosts } from '../social/post-to-social.js'
import { platforms } from '../social/social-post.js'
import { type Item, itemId } from '../social/social-worker.js'
import { answering, type SchedulerTool } from './scheduler-tool.js'
import { textInput } from './text-input.js'

const input = z.strictObject({
  platform: z.enum(platforms),
  text: textInput({ max: longTextMax }).describe('What is posted, as it is.'),
  url: textInput({ max: socialUrlMax })
    .optional()
    .describe(
      'twitter: the post to reply to; none for a post of its own. reddit: the post to comment on. reddit_dm: the user name. ' +
        'linkedin: none.',
    ),
})

const output = z.object({
  status: z.enum(['posted', 'queued', 'unverified', 'failed']),
  approval_id: itemId,
  permalink: z.string().exactOptional(),
  account: z.string().nullable(),
  reason: z.string().exactOptional(),
})

type Output = z.output<typeof output>

export function postToSocialTool(posts: Pick<SocialPosts, 'submit'>): SchedulerTool {
  return answering({
    name: 'post_to_social',
    title: 'Post to a social network',
    description:
      'Proposes a post. Nothing is published before a person has approved exactly this text for exactly this place: until ' +
      'then the answer is APPROVAL_REQUIRED. Call it again with the same arguments to learn what became of it; that never ' +
      'posts twice.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    access: 'group',
    async answer({ platform, text, url }, actor, context) {
      const item = await posts.submit({ platform, text, ...(url !== undefined && { url }) }, actor, context)
      const value = outputOf(item)
      return { value, text: sentences[value.status](value) }
    },
  })
}

function outputOf({ id, status, account, permalink, reason }: Item): Output {
  const rest = { approval_id: id, ...(permalink !== undefined && { permalink }), account }
  const why = reason === undefined ? {} : { reason }
  switch (status) {
    case 'draft':
    case 'pending':
      throw approvalRequired(id)
    case 'approved':
    case 'scheduled':
    case 'publishing':
      return { status: 'queued', ...rest, ...why }
    case 'posted':
      return { status: 'posted', ...rest }
    case 'unknown':
      return { status: 'unverified', ...rest, reason: reason ?? 'it was sent, and no answer came back' }
    case 'rejected':
    case 'withdrawn':
    case 'expired':
    case 'failed':
      return {
        status: 'failed',
        ...rest,
        reason: reason === undefined ? endings[status] : `${endings[status]}: ${reason}`,
      }
    default:
      return status satisfies never
  }
}

const endings = {
  rejected: 'a person rejected it',
  withdrawn: 'it was withdrawn',
  expired: 'nobody approved it in time',
  failed: 'the network did not take it',
} as const

const sentences: { readonly [status in Output['status']]: (output: Output) => string } = {
  posted: ({ approval_id: id, permalink }) => `Posted: ${permalink ?? `item ${id}`}.`,
  queued: ({ approval_id: id }) => `Item ${id} is approved and not yet sent. Call again to learn what became of it.`,
  unverified: ({ approval_id: id }) =>
    `It is not known whether item ${id} was posted: do not report it as posted, and do not post it another way.`,
  failed: ({ approval_id: id, reason }) =>
    `Item ${id} was not posted: ${reason}. The same call will not propose it again.`,
}

function approvalRequired(id: Item['id']): Error {
  return refusal('APPROVAL_REQUIRED', `Nothing was posted: item ${id} waits for a person's approval.`, {
    approval_id: id,
    hint: 'Tell the user; only a person can approve it, by "callboard approvals". Then call again with the same arguments.',
  })
}
