import { z } from 'zod'
import { ForumFailure } from '../failure/forum-failure.js'
import { pathPart } from '../http/request-url.js'
import { idAt, integerAt, type JsonRecord, recordAt, recordsAt, textAt } from '../json/read-json.js'
import { recipientsMax } from '../limits.js'
import { writeInput } from '../writes/write-shape.js'
import { postRaw, topicTitle } from './common-input.js'
import { type ToolCall, writeTool } from './forum-tool.js'
import { authorOf } from './posts/author.js'
import { heldPost, heldShape } from './posts/held-post.js'
import { isMadeSince, isSameText, isSameTitle } from './posts/same-text.js'
import { unexpectedAnswer } from './unexpected-answer.js'

/** The forum takes all of them as one text, with commas. */
const names = (what: string) =>
  z
    .array(z.string().regex(/^[^\s,]{1,60}$/u, { error: 'must be a name, without spaces and commas' }))
    .max(recipientsMax)
    .describe(what)

export const createPrivateMessageTool = () =>
  writeTool({
    name: 'discourse_create_private_message',
    title: 'Send a private message',
    description:
      'Sends a private message to users, to groups or to both, as the user as whom the forum is used. It is a topic: ' +
      'discourse_create_post adds to it. With outcome `queued` the forum holds it for moderation: it has no ids yet. After ' +
      'outcome_unknown never send it again: look at what was sent first.',
    input: writeInput({
      title: topicTitle,
      raw: postRaw,
      usernames: names('The users who get it').optional(),
      group_names: names('The groups whose members get it').optional(),
    }),
    output: z.strictObject({
      id: z.int().nullable().describe('Of its first post'),
      topic_id: z.int().nullable(),
      post_number: z.int().nullable(),
      title: z.string(),
      ...heldShape,
    }),
    marks: { destructiveHint: false, idempotentHint: false },
    async prepare({ usernames = [], group_names = [] }) {
      if (usernames.length + group_names.length === 0) throw nobody()
    },
    request: ({ title, raw, usernames = [], group_names = [] }) => ({
      method: 'POST',
      path: '/posts.json',
      json: {
        title,
        raw,
        archetype: 'private_message',
        target_recipients: [...usernames, ...group_names].join(','),
      },
    }),
    effect(answer, { title }) {
      const held = heldPost(answer)
      if (held !== undefined) {
        return { outcome: 'queued', output: { id: null, topic_id: null, post_number: null, title, ...held } }
      }
      const output = viewOf(answer, textAt(answer, 'topic_title') ?? title)
      if (output === undefined) throw unexpectedAnswer('the id of the new message')
      return { output }
    },
    lookFirst: 'list what was sent with discourse_list_private_messages, mailbox sent.',
    find: findMessage,
  })

/** Among the newest that its author has sent. */
async function findMessage(
  { title, raw }: { readonly title: string; readonly raw: string },
  call: ToolCall,
  sentAt: number,
) {
  const { client, scope } = call
  const author = pathPart(await authorOf(undefined, call))
  const sent = recordAt(await client.get(`/topics/private-messages-sent/${author}.json`, [], scope), 'topic_list')
  for (const topic of recordsAt(sent, 'topics')) {
    const topicId = idAt(topic, 'id')
    if (topicId === undefined || !isMadeSince(topic, sentAt) || !isSameTitle(textAt(topic, 'title'), title)) continue
    const found = await client.get(`/t/${topicId}.json`, [['include_raw', true]], scope)
    const post = recordsAt(recordAt(found, 'post_stream'), 'posts')[0]
    if (isSameText(textAt(post, 'raw'), raw))
      return viewOf({ topic_id: topicId, ...post }, textAt(topic, 'title') ?? title)
  }
  return undefined
}

function viewOf(post: JsonRecord | unknown, title: string) {
  const id = idAt(post, 'id')
  const topicId = idAt(post, 'topic_id')
  if (id === undefined || topicId === undefined) return undefined
  return { id, topic_id: topicId, post_number: integerAt(post, 'post_number') ?? null, title }
}

function nobody(): ForumFailure {
  const message = 'Nobody is to get it: give usernames or group_names.'
  return new ForumFailure('invalid_arguments', message, {
    issues: ['usernames', 'group_names'].map((path) => ({ path, message: 'one of these is required' })),
  })
}
