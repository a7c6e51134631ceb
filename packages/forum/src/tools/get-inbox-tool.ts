import { z } from 'zod'
import type { ForumConfig } from '../config/forum-config.js'
import type { Foundation } from '../foundation.js'
import { cursorOf, positionOf } from '../inbox/inbox-cursor.js'
import { type NewNotifications, readNewNotifications } from '../inbox/new-notifications.js'
import { readNewPosts } from '../inbox/new-posts.js'
import { keepCursor, lastCursor } from '../inbox/stored-cursors.js'
import { idAt, integerAt, type JsonRecord, textAt, truthAt } from '../json/read-json.js'
import { inboxCursorLengthMax } from '../limits.js'
import { textOf } from './common-input.js'
import { readTool, type ToolCall } from './forum-tool.js'
import { postOf, postShape } from './topics/post-shape.js'
import { unexpectedAnswer } from './unexpected-answer.js'
import { untrustedText } from './untrusted-text.js'

const notificationShape = z.strictObject({
  id: z.int(),
  notification_type: z.int().nullable(),
  read: z.boolean(),
  topic_id: z.int().nullable(),
  post_number: z.int().nullable(),
  created_at: z.string().nullable(),
})

interface InboxParts extends Pick<Foundation, 'store' | 'clock'> {
  readonly config: Pick<ForumConfig, 'maxReadLength'>
}

export const getInboxTool = (parts: InboxParts) =>
  readTool({
    name: 'discourse_get_inbox',
    title: 'See what is new',
    // It keeps the cursor that it is given: nothing changes on the forum, but a call without one has another answer then.
    marks: { readOnlyHint: false },
    description:
      'Posts of the whole forum and notifications that are new since the cursor, oldest first, each of them once. The first ' +
      'call, without a cursor, gives the newest ones. Once you have dealt with an answer, pass its meta.cursor in the next ' +
      'call: it is kept for you, also over restarts. Without a cursor the last one counts that you have passed, so an answer ' +
      'that got lost is given again. While meta.has_more, call again at once. meta.complete: false means that there were so ' +
      `many notifications that the oldest ones are left out. ${untrustedText}`,
    input: z.strictObject({
      cursor: textOf(
        1,
        inboxCursorLengthMax,
        'meta.cursor of an earlier answer; absent: the last one passed',
      ).optional(),
      limit: z.int().min(1).max(50).default(20).describe('Posts, and as many notifications'),
    }),
    output: z.strictObject({
      posts: z.array(z.strictObject({ ...postShape, topic_id: z.int() })),
      notifications: z.array(notificationShape),
      meta: z.strictObject({
        cursor: z.string(),
        has_more: z.boolean(),
        complete: z.literal(false).optional(),
      }),
    }),
    async read({ cursor, limit }, call) {
      const { base } = call.selection
      const known = cursor ?? (await lastCursor(call, parts))
      const position = known === undefined ? undefined : positionOf(base, known)
      if (cursor !== undefined) await keepCursor(cursor, call, parts)
      const [news, notices] = await Promise.all([
        readNewPosts(position?.posts, limit, call),
        notificationsOf(position?.notification, limit, call),
      ])
      return {
        posts: news.posts.map((post) => inboxPost(post, parts.config.maxReadLength)),
        notifications: notices.notifications.map(notificationOf),
        meta: {
          cursor: cursorOf(base, { posts: news.seen, notification: notices.upTo }),
          has_more: news.hasMore || notices.hasMore,
          ...(!notices.isComplete && { complete: false as const }),
        },
      }
    },
  })

/** Nobody is notified who is not signed in. */
async function notificationsOf(after: number | undefined, limit: number, call: ToolCall): Promise<NewNotifications> {
  if (call.selection.credential.kind !== 'anonymous') return readNewNotifications(after, limit, call)
  return { notifications: [], upTo: after ?? 0, hasMore: false, isComplete: true }
}

function inboxPost(post: JsonRecord, lengthMax: number) {
  const topicId = idAt(post, 'topic_id')
  if (topicId === undefined) throw unexpectedAnswer('the topic of a post')
  const { id, ...rest } = postOf(post, lengthMax)
  return { id, topic_id: topicId, ...rest }
}

function notificationOf(row: JsonRecord) {
  return {
    id: idAt(row, 'id') ?? 0,
    notification_type: integerAt(row, 'notification_type') ?? null,
    read: truthAt(row, 'read') ?? false,
    topic_id: idAt(row, 'topic_id') ?? null,
    post_number: idAt(row, 'post_number') ?? null,
    created_at: textAt(row, 'created_at') ?? null,
  }
}
