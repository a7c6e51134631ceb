import { z } from 'zod'
import type { ForumConfig } from '../config/forum-config.js'
import { cutText } from '../json/cut-text.js'
import { idAt, integerAt, type JsonRecord, recordAt, textAt } from '../json/read-json.js'
import { editReasonLengthMax, originalTextLengthMax } from '../limits.js'
import { writeInput } from '../writes/write-shape.js'
import { id, postRaw, textOf } from './common-input.js'
import { conflictHint } from './edit-conflict.js'
import { writeTool } from './forum-tool.js'
import { isSameText } from './posts/same-text.js'
import { unexpectedAnswer } from './unexpected-answer.js'

export const updatePostTool = ({ config }: { readonly config: Pick<ForumConfig, 'maxReadLength'> }) =>
  writeTool({
    name: 'discourse_update_post',
    title: 'Edit a post',
    description:
      'Replaces the text of a post. Give original_text, the raw that you have read: then the forum refuses the edit with ' +
      '`conflict` where somebody has changed the post meanwhile, instead of losing their change.',
    input: writeInput({
      post_id: id('The post'),
      raw: postRaw.describe('The whole new text, Markdown'),
      edit_reason: textOf(1, editReasonLengthMax, 'Shown in the history of the post').optional(),
      original_text: textOf(1, originalTextLengthMax, 'The raw of the post as you have read it, whole').optional(),
    }),
    output: z.strictObject({
      id: z.int(),
      topic_id: z.int().nullable(),
      post_number: z.int().nullable(),
      raw: z.string().describe('As the forum has stored it; as it was sent where the forum does not tell'),
      truncated: z.boolean(),
      updated_at: z.string().nullable(),
      edit_reason: z.string().nullable(),
    }),
    marks: { destructiveHint: true, idempotentHint: false },
    setsValue: true,
    request: ({ post_id, raw, edit_reason, original_text }) => ({
      method: 'PUT',
      path: `/posts/${post_id}.json`,
      json: {
        post: {
          raw,
          ...(edit_reason !== undefined && { edit_reason }),
          // Older forums have another name for it.
          ...(original_text !== undefined && { original_text, raw_old: original_text }),
        },
      },
    }),
    effect(answer, { post_id, raw }) {
      const post = recordAt(answer, 'post')
      if (idAt(post, 'id') !== post_id) throw unexpectedAnswer('the edited post')
      return { output: viewOf(post, post_id, textAt(post, 'raw') ?? raw, config.maxReadLength) }
    },
    refused: (failure) =>
      conflictHint(failure, 'Read the post again with discourse_read_post, and edit what it says now.'),
    lookFirst: 'read the post with discourse_read_post.',
    async find({ post_id, raw }, { client, scope }) {
      const post = (await client.get(`/posts/${post_id}.json`, [['include_raw', true]], scope)) as JsonRecord
      const stored = textAt(post, 'raw')
      return isSameText(stored, raw) ? viewOf(post, post_id, stored ?? raw, config.maxReadLength) : undefined
    },
  })

function viewOf(post: JsonRecord, postId: number, raw: string, lengthMax: number) {
  const { text, isCut } = cutText(raw, lengthMax)
  return {
    id: postId,
    topic_id: idAt(post, 'topic_id') ?? null,
    post_number: integerAt(post, 'post_number') ?? null,
    raw: text,
    truncated: isCut,
    updated_at: textAt(post, 'updated_at') ?? null,
    edit_reason: textAt(post, 'edit_reason') ?? null,
  }
}
