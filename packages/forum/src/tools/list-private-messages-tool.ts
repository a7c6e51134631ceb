import { z } from 'zod'
import { pathPart } from '../http/request-url.js'
import { ownUsername, requireUser } from '../identity/forum-user.js'
import { idAt, integerAt, type JsonRecord, recordAt, recordsAt, textAt } from '../json/read-json.js'
import { listRowsMax, usernameLengthMax } from '../limits.js'
import { page, textOf } from './common-input.js'
import { readTool, type ToolCall } from './forum-tool.js'
import { slugOf, titleOf } from './topics/topic-row.js'
import { unexpectedAnswer } from './unexpected-answer.js'
import { untrustedText } from './untrusted-text.js'

const mailboxes = ['inbox', 'sent', 'archive', 'unread', 'new'] as const

const messageShape = z.strictObject({
  topic_id: z.int(),
  slug: z.string(),
  title: z.string(),
  posts_count: z.int().nullable(),
  created_at: z.string().nullable(),
  last_posted_at: z.string().nullable(),
  unread_posts: z.int(),
})

export const listPrivateMessagesTool = () =>
  readTool({
    name: 'discourse_list_private_messages',
    title: 'List private messages',
    description:
      'Lists the private messages of a user: your own ones, or with the key of an admin those of anybody. Each is a topic: ' +
      `discourse_read_topic reads it, discourse_create_post answers. While meta.has_more, go on with the next page. ${untrustedText}`,
    input: z.strictObject({
      mailbox: z
        .enum(mailboxes)
        .default('inbox')
        .describe('Which of them; unread and new: those with posts not read yet'),
      username: textOf(1, usernameLengthMax, 'Whose; absent: those of the user as whom the forum is read').optional(),
      page,
    }),
    output: z.strictObject({
      mailbox: z.enum(mailboxes),
      username: z.string(),
      messages: z.array(messageShape),
      meta: z.strictObject({ page: z.int(), has_more: z.boolean() }),
    }),
    async read({ mailbox, username: given, page }, call) {
      requireUser(call, 'Private messages')
      const username = given ?? (await ownUsername(call))
      const path = `/topics/private-messages${suffixes[mailbox]}/${pathPart(username)}.json`
      const { messages, mayHaveNext } = await pageOf(path, page, call)
      return {
        mailbox,
        username,
        messages: messages.map(messageOf),
        // The forum names a next page whenever one is full, also where it is empty.
        meta: { page, has_more: mayHaveNext && (await pageOf(path, page + 1, call)).messages.length > 0 },
      }
    },
  })

const suffixes = { inbox: '', sent: '-sent', archive: '-archive', unread: '-unread', new: '-new' } as const

async function pageOf(path: string, number: number, { client, scope }: ToolCall) {
  const list = recordAt(await client.get(path, [['page', number]], scope), 'topic_list')
  if (!Array.isArray(list['topics'])) throw unexpectedAnswer('a list of messages')
  const messages = recordsAt(list, 'topics').slice(0, listRowsMax)
  return { messages, mayHaveNext: messages.length > 0 && Boolean(textAt(list, 'more_topics_url')) }
}

function messageOf(topic: JsonRecord): z.input<typeof messageShape> {
  const id = idAt(topic, 'id')
  if (id === undefined) throw unexpectedAnswer('the id of a message')
  return {
    topic_id: id,
    slug: slugOf(topic, id),
    title: titleOf(topic),
    posts_count: integerAt(topic, 'posts_count') ?? null,
    created_at: textAt(topic, 'created_at') ?? null,
    last_posted_at: textAt(topic, 'last_posted_at') ?? null,
    unread_posts: integerAt(topic, 'unread_posts') ?? 0,
  }
}
