import { z } from 'zod'
import { idAt, isRecord, type JsonRecord, recordsAt, textAt } from '../json/read-json.js'
import { userActionRows } from '../limits.js'
import { page } from './common-input.js'
import { readTool, type ToolCall } from './forum-tool.js'
import { unexpectedAnswer } from './unexpected-answer.js'
import { untrustedText } from './untrusted-text.js'
import { withHint } from './with-hint.js'

const row = z.strictObject({
  id: z.int().nullable(),
  topic_id: z.int(),
  post_number: z.int().nullable(),
  slug: z.string(),
  title: z.string(),
  created_at: z.string().nullable(),
  excerpt: z.string(),
  category_id: z.int().nullable(),
})

export const listUserPostsTool = () =>
  readTool({
    name: 'discourse_list_user_posts',
    title: 'List posts of a user',
    description:
      'Lists topics and replies of a user, the newest first, each with the start of its text. id is null for a topic: ' +
      'read it with discourse_read_topic. While meta.has_more, go on with the next page and the same limit. ' +
      `${untrustedText}`,
    input: z.strictObject({
      username: z.string().min(1).describe('Name without @'),
      page,
      limit: z.int().min(1).max(50).default(30).describe('Posts on a page'),
    }),
    output: z.strictObject({
      posts: z.array(row),
      meta: z.strictObject({ page: z.int(), limit: z.int(), has_more: z.boolean() }),
    }),
    async read({ username, page, limit }, call) {
      // One more than is shown: it tells whether there is a next page.
      const rows = await actionsOf(username, page * limit, limit + 1, call)
      return { posts: rows.slice(0, limit).map(rowOf), meta: { page, limit, has_more: rows.length > limit } }
    },
  })

/** Newer forums give as many as they are asked for, older ones 30 whatever they are asked for. */
async function actionsOf(
  username: string,
  offset: number,
  count: number,
  call: Pick<ToolCall, 'client' | 'scope'>,
): Promise<readonly JsonRecord[]> {
  let rows: readonly JsonRecord[] = []
  while (rows.length < count) {
    const wanted = count - rows.length
    const found = await actionPage(username, offset + rows.length, wanted, call)
    rows = [...rows, ...found]
    if (found.length < Math.min(wanted, userActionRows)) break
  }
  return rows.slice(0, count)
}

async function actionPage(
  username: string,
  offset: number,
  limit: number,
  { client, scope }: Pick<ToolCall, 'client' | 'scope'>,
): Promise<readonly JsonRecord[]> {
  const query = [
    ['username', username],
    ['filter', topicsAndReplies],
    ['offset', offset],
    ['limit', limit],
  ] as const
  const answer = await withHint('not_found', missing, client.get('/user_actions.json', query, scope))
  if (!isRecord(answer) || !Array.isArray(answer['user_actions'])) throw unexpectedAnswer('what the user did')
  return recordsAt(answer, 'user_actions')
}

const topicsAndReplies = '4,5'
const missing = 'There is no such user, or the forum hides what this user does.'

function rowOf(action: JsonRecord): z.output<typeof row> {
  const topicId = idAt(action, 'topic_id')
  if (topicId === undefined) throw unexpectedAnswer('the topic of a post')
  return {
    id: idAt(action, 'post_id') ?? null,
    topic_id: topicId,
    post_number: idAt(action, 'post_number') ?? null,
    slug: textAt(action, 'slug') || String(topicId),
    title: textAt(action, 'title') ?? '',
    created_at: textAt(action, 'created_at') ?? null,
    excerpt: textAt(action, 'excerpt') ?? '',
    category_id: idAt(action, 'category_id') ?? null,
  }
}
