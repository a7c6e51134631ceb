import { z } from 'zod'
import type { ForumConfig } from '../config/forum-config.js'
import { idAt, isRecord, textAt } from '../json/read-json.js'
import { id } from './common-input.js'
import { readTool } from './forum-tool.js'
import { postOf, postShape } from './topics/post-shape.js'
import { unexpectedAnswer } from './unexpected-answer.js'
import { untrustedText } from './untrusted-text.js'

export const readPostTool = ({ config }: { readonly config: Pick<ForumConfig, 'maxReadLength'> }) =>
  readTool({
    name: 'discourse_read_post',
    title: 'Read a post',
    description:
      'Reads one post by its id, as written (Markdown); with truncated: true it is longer than what is shown. ' +
      `${untrustedText}`,
    input: z.strictObject({ post_id: id('Id of the post, which is not its number in the topic') }),
    output: z.strictObject({ ...postShape, topic_id: z.int(), topic_slug: z.string() }),
    async read({ post_id }, { client, scope }) {
      const answer = await client.get(`/posts/${post_id}.json`, [['include_raw', true]], scope)
      const topicId = idAt(answer, 'topic_id')
      if (!isRecord(answer) || topicId === undefined) throw unexpectedAnswer('the post')
      const { id, ...post } = postOf(answer, config.maxReadLength)
      return { id, topic_id: topicId, topic_slug: textAt(answer, 'topic_slug') || String(topicId), ...post }
    },
  })
