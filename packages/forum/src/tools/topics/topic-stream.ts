import { idAt, isRecord, type JsonRecord, listAt, recordAt, recordsAt } from '../../json/read-json.js'
import { postIdsPerRequest } from '../../limits.js'
import type { ToolCall } from '../forum-tool.js'
import { unexpectedAnswer } from '../unexpected-answer.js'

type Asking = Pick<ToolCall, 'client' | 'scope'>

export interface PostsWanted {
  readonly topicId: number
  /** The first post of them, or the next one that there is. */
  readonly fromNumber: number
  readonly limit: number
}

/** A part of a topic: posts that are visible, in order, as the forum gives them. */
export interface PostsRead {
  /** Another one than was asked for, where the forum leads from that one to it. */
  readonly topicId: number
  /** All else that the forum said of it. */
  readonly topic: JsonRecord
  readonly posts: readonly JsonRecord[]
  /** Whether there were any after them. */
  readonly hasMore: boolean
}

type Part = Pick<PostsRead, 'posts' | 'hasMore'>

const nothing: Part = { posts: [], hasMore: false }

export async function readPosts(wanted: PostsWanted, asking: Asking): Promise<PostsRead> {
  const topic = await topicAround(wanted.topicId, wanted.fromNumber, asking)
  const topicId = idAt(topic, 'id') ?? wanted.topicId
  const read = Array.isArray(recordAt(topic, 'post_stream')['stream']) ? readStream : readWindows
  return { topicId, topic, ...(await read(topic, { ...wanted, topicId }, asking)) }
}

/** The topic with a window of posts in which that one is, if there is anything from there on. */
async function topicAround(topicId: number, number: number, { client, scope }: Asking): Promise<JsonRecord> {
  const around = number > 1 ? ([['post_number', number]] as const) : []
  const topic = await client.get(`/t/${topicId}.json`, [['include_raw', true], ...around], scope)
  if (!isRecord(topic) || idAt(topic, 'id') === undefined) throw unexpectedAnswer('the topic')
  if (!Array.isArray(recordAt(topic, 'post_stream')['posts'])) throw unexpectedAnswer('posts of the topic')
  return topic
}

/**
 * By `stream`, the ids of all posts that are visible. Numbers tell nothing of how many are left: what was deleted or moved
 * away has left gaps.
 */
async function readStream(
  topic: JsonRecord,
  { topicId, fromNumber, limit }: PostsWanted,
  asking: Asking,
): Promise<Part> {
  const stream = listAt(topic['post_stream'], 'stream').filter((id) => Number.isSafeInteger(id))
  const places = new Map(stream.map((id, place) => [id, place]))
  const known = new Map(postsIn(topic).map((post) => [post['id'], post]))
  const first = postsIn(topic).find((post) => numberOf(post) >= fromNumber && places.has(post['id']))
  if (first === undefined) return nothing
  const posts: JsonRecord[] = []
  let next = places.get(first['id']) ?? stream.length
  while (posts.length < limit && next < stream.length) {
    const ids = stream.slice(next, next + limit - posts.length)
    const missing = ids.filter((id) => !known.has(id))
    for (const post of await postsById(topicId, missing, asking)) known.set(post['id'], post)
    // Deleted since the stream was made: others take their places.
    posts.push(...ids.map((id) => known.get(id)).filter((post) => post !== undefined))
    next += ids.length
  }
  return { posts, hasMore: next < stream.length }
}

async function postsById(
  topicId: number,
  ids: readonly unknown[],
  { client, scope }: Asking,
): Promise<readonly JsonRecord[]> {
  let posts: readonly JsonRecord[] = []
  for (let from = 0; from < ids.length; from += postIdsPerRequest) {
    const some = ids.slice(from, from + postIdsPerRequest).map((id) => ['post_ids[]', String(id)] as const)
    const answer = await client.get(`/t/${topicId}/posts.json`, [...some, ['include_raw', true]], scope)
    if (!Array.isArray(recordAt(answer, 'post_stream')['posts'])) throw unexpectedAnswer('posts of the topic')
    posts = [...posts, ...postsIn(answer)]
  }
  return posts
}

/** Of a topic that is so long that it comes without `stream`: one window after the other, until its last post. */
async function readWindows(
  first: JsonRecord,
  { topicId, fromNumber, limit }: PostsWanted,
  asking: Asking,
): Promise<Part> {
  const posts: JsonRecord[] = []
  let window = first
  let next = fromNumber
  for (;;) {
    const found = postsIn(window).filter((post) => numberOf(post) >= next)
    // The last post may have been deleted meanwhile.
    if (found.length === 0) return { posts, hasMore: false }
    posts.push(...found.slice(0, limit - posts.length))
    const last = posts.at(-1)!
    const hasMore = last['id'] !== lastIdOf(window)
    if (posts.length === limit || !hasMore) return { posts, hasMore }
    next = numberOf(last) + 1
    window = await topicAround(topicId, next, asking)
  }
}

function lastIdOf(topic: JsonRecord): unknown {
  const stream = recordAt(topic, 'post_stream')
  // Posts may have been deleted meanwhile, so that it is not that long any more.
  const id = idAt(stream, 'lastId') ?? listAt(stream, 'stream').at(-1)
  if (id === undefined) throw unexpectedAnswer('the last post of the topic')
  return id
}

const postsIn = (answer: unknown) => recordsAt(recordAt(answer, 'post_stream'), 'posts')

function numberOf(post: JsonRecord): number {
  const number = idAt(post, 'post_number')
  if (number === undefined) throw unexpectedAnswer('the number of a post')
  return number
}
