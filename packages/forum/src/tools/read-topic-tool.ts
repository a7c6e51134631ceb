import { z } from 'zod'
import type { ForumConfig } from '../config/forum-config.js'
import { idAt, integerAt, listAt } from '../json/read-json.js'
import { id } from './common-input.js'
import { readTool } from './forum-tool.js'
import { postOf, postShape } from './topics/post-shape.js'
import { tagNames } from './topics/tag-names.js'
import { slugOf, titleOf } from './topics/topic-row.js'
import { readPosts } from './topics/topic-stream.js'
import { untrustedText } from './untrusted-text.js'

export const readTopicTool = ({ config }: { readonly config: Pick<ForumConfig, 'maxReadLength'> }) =>
  readTool({
    name: 'discourse_read_topic',
    title: 'Read a topic',
    description:
      'Reads posts of a topic in their order, as written (Markdown). While meta.has_more, go on with start_post_number = ' +
      `meta.next_post_number. A post with truncated: true is longer than what is shown. ${untrustedText}`,
    input: z.strictObject({
      topic_id: id('Id of the topic'),
      post_limit: z.int().min(1).max(50).default(5).describe('How many posts at most'),
      start_post_number: z
        .int()
        .min(1)
        .default(1)
        .describe('Number of the first post to read; of a deleted one, the next that is there'),
    }),
    output: z.strictObject({
      id: z.int(),
      title: z.string(),
      slug: z.string(),
      category_id: z.int().nullable(),
      tags: z.array(z.string()),
      posts_count: z.int().nullable(),
      posts: z.array(z.strictObject(postShape)),
      meta: z.strictObject({
        start_post: z.int(),
        returned: z.int(),
        has_more: z.boolean(),
        next_post_number: z.int().nullable(),
      }),
    }),
    async read({ topic_id, post_limit, start_post_number }, call) {
      const wanted = { topicId: topic_id, fromNumber: start_post_number, limit: post_limit }
      const { topicId, topic, posts: found, hasMore } = await readPosts(wanted, call)
      const posts = found.map((post) => postOf(post, config.maxReadLength))
      const last = posts.at(-1)
      return {
        id: topicId,
        title: titleOf(topic),
        slug: slugOf(topic, topicId),
        category_id: idAt(topic, 'category_id') ?? null,
        tags: tagNames(listAt(topic, 'tags')),
        posts_count: integerAt(topic, 'posts_count') ?? null,
        posts,
        meta: {
          start_post: start_post_number,
          returned: posts.length,
          has_more: hasMore,
          next_post_number: hasMore && last !== undefined ? last.post_number + 1 : null,
        },
      }
    },
  })
