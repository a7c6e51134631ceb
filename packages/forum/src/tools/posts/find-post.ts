import { idAt, integerAt, type JsonRecord, recordAt, recordsAt, textAt } from '../../json/read-json.js'
import { newestPostsMax } from '../../limits.js'
import type { ToolCall } from '../forum-tool.js'
import { readPosts } from '../topics/topic-stream.js'
import { authorOf } from './author.js'
import { isMadeSince, isSameText, isSameTitle } from './same-text.js'

interface Sought {
  readonly raw: string
  readonly author_username?: string | undefined
}

/** A reply that has been sent, among the newest posts of its topic. */
export async function findReply(
  { topic_id, raw, author_username }: Sought & { readonly topic_id: number },
  call: ToolCall,
  sentAt: number,
): Promise<JsonRecord | undefined> {
  const author = await authorOf(author_username, call)
  const topic = await call.client.get(`/t/${topic_id}.json`, [['include_raw', true]], call.scope)
  const newest = integerAt(topic, 'highest_post_number') ?? 1
  const wanted = { topicId: topic_id, fromNumber: Math.max(1, newest - newestPostsMax + 1), limit: newestPostsMax }
  const { posts } = await readPosts(wanted, call)
  return posts.find((post) => isBy(post, author) && isSameText(textAt(post, 'raw'), raw) && isMadeSince(post, sentAt))
}

/** A topic that has been sent, with its first post, among those that its author has begun. */
export async function findTopic(
  { title, raw, author_username }: Sought & { readonly title: string },
  call: ToolCall,
  sentAt: number,
): Promise<{ readonly topic: JsonRecord; readonly post: JsonRecord } | undefined> {
  const author = await authorOf(author_username, call)
  const query = [
    ['username', author],
    ['filter', 4],
  ] as const
  const begun = recordsAt(await call.client.get('/user_actions.json', query, call.scope), 'user_actions')
  const candidates = begun.filter((row) => isSameTitle(textAt(row, 'title'), title) && isMadeSince(row, sentAt))
  for (const row of candidates) {
    const topicId = idAt(row, 'topic_id')
    if (topicId === undefined) continue
    const topic = await call.client.get(`/t/${topicId}.json`, [['include_raw', true]], call.scope)
    const post = recordsAt(recordAt(topic, 'post_stream'), 'posts')[0]
    if (post !== undefined && isSameText(textAt(post, 'raw'), raw)) return { topic: topic as JsonRecord, post }
  }
  return undefined
}

function isBy(post: JsonRecord, author: string): boolean {
  return textAt(post, 'username')?.toLowerCase() === author
}
