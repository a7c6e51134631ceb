import { z } from 'zod'
import { idAt, textAt } from '../json/read-json.js'
import { writeInput } from '../writes/write-shape.js'
import { id, postRaw, tagList, topicTitle } from './common-input.js'
import { writeTool } from './forum-tool.js'
import { actingAs, authorUsername, requireMayActAs } from './posts/author.js'
import { findTopic } from './posts/find-post.js'
import { heldPost, heldShape } from './posts/held-post.js'
import { tagsForVersion } from './tags-for-version.js'
import { unexpectedAnswer } from './unexpected-answer.js'

export const createTopicTool = () =>
  writeTool({
    name: 'discourse_create_topic',
    title: 'Begin a topic',
    description:
      'Begins a topic with its first post, for everybody to see; id is that of the post. With outcome `queued` the forum holds it for ' +
      'moderation: it has no ids yet. After outcome_unknown never send it again: look for the topic first.',
    input: writeInput({
      title: topicTitle,
      raw: postRaw,
      category_id: id('The category; none: the forum chooses').optional(),
      tags: tagList.optional(),
      author_username: authorUsername,
    }),
    output: z.strictObject({
      id: z.int().nullable(),
      topic_id: z.int().nullable(),
      slug: z.string().nullable(),
      title: z.string(),
      ...heldShape,
    }),
    marks: { destructiveHint: false, idempotentHint: false },
    async prepare({ author_username, tags }, call) {
      requireMayActAs(author_username, call)
      return tags === undefined ? undefined : tagsForVersion(tags, call)
    },
    request: ({ title, raw, category_id, author_username }, _, tags) => ({
      method: 'POST',
      path: '/posts.json',
      json: {
        title,
        raw,
        ...(category_id !== undefined && { category: category_id }),
        ...(tags !== undefined && { tags }),
      },
      ...actingAs(author_username),
    }),
    effect(answer, { title }) {
      const held = heldPost(answer)
      if (held !== undefined) {
        return { outcome: 'queued', output: { id: null, topic_id: null, slug: null, title, ...held } }
      }
      const postId = idAt(answer, 'id')
      const topicId = idAt(answer, 'topic_id')
      if (postId === undefined || topicId === undefined) throw unexpectedAnswer('the id of the new topic')
      const slug = textAt(answer, 'topic_slug') ?? String(topicId)
      return { output: { id: postId, topic_id: topicId, slug, title: textAt(answer, 'topic_title') ?? title } }
    },
    lookFirst: 'search for its title with discourse_search, or see the newest topics with discourse_filter_topics.',
    async find(input, call, sentAt) {
      const found = await findTopic(input, call, sentAt)
      const postId = idAt(found?.post, 'id')
      const topicId = idAt(found?.topic, 'id')
      if (found === undefined || postId === undefined || topicId === undefined) return undefined
      const { topic } = found
      const slug = textAt(topic, 'slug') ?? String(topicId)
      return { id: postId, topic_id: topicId, slug, title: textAt(topic, 'title') ?? input.title }
    },
  })
