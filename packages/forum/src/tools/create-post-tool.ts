import { z } from 'zod'
import { idAt, integerAt, type JsonRecord, textAt } from '../json/read-json.js'
import { writeInput } from '../writes/write-shape.js'
import { id, postRaw } from './common-input.js'
import { writeTool } from './forum-tool.js'
import { actingAs, authorUsername, requireMayActAs } from './posts/author.js'
import { findReply } from './posts/find-post.js'
import { heldPost, heldShape } from './posts/held-post.js'
import { unexpectedAnswer } from './unexpected-answer.js'

export const createPostTool = () =>
  writeTool({
    name: 'discourse_create_post',
    title: 'Reply in a topic',
    description:
      'Posts a reply in a topic, for everybody to see. With outcome `queued` the forum holds it for moderation: it has no id yet. ' +
      'After outcome_unknown never send it again: read the end of the topic first.',
    input: writeInput({
      topic_id: id('The topic to reply in'),
      raw: postRaw,
      reply_to_post_number: z.int().min(1).optional().describe('The post_number, in the topic, of the post to answer'),
      author_username: authorUsername,
    }),
    output: z.strictObject({
      id: z.int().nullable(),
      topic_id: z.int(),
      post_number: z.int().nullable(),
      username: z.string().optional(),
      ...heldShape,
    }),
    marks: { destructiveHint: false, idempotentHint: false },
    async prepare({ author_username }, call) {
      requireMayActAs(author_username, call)
    },
    request: ({ topic_id, raw, reply_to_post_number, author_username }) => ({
      method: 'POST',
      path: '/posts.json',
      json: { topic_id, raw, ...(reply_to_post_number !== undefined && { reply_to_post_number }) },
      ...actingAs(author_username),
    }),
    effect(answer, { topic_id }) {
      const held = heldPost(answer)
      if (held !== undefined) return { outcome: 'queued', output: { id: null, topic_id, post_number: null, ...held } }
      const output = viewOf(answer as JsonRecord, topic_id)
      if (output === undefined) throw unexpectedAnswer('the id of the new post')
      return { output }
    },
    lookFirst: 'read the end of the topic with discourse_read_topic.',
    async find(input, call, sentAt) {
      const post = await findReply(input, call, sentAt)
      return post === undefined ? undefined : viewOf(post, input.topic_id)
    },
  })

function viewOf(post: JsonRecord, topicId: number) {
  const postId = idAt(post, 'id')
  if (postId === undefined) return undefined
  const username = textAt(post, 'username')
  return {
    id: postId,
    topic_id: idAt(post, 'topic_id') ?? topicId,
    post_number: integerAt(post, 'post_number') ?? null,
    ...(username !== undefined && { username }),
  }
}
