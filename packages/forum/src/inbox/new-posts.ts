import { idAt, type JsonRecord } from '../json/read-json.js'
import { requireRecords } from '../json/require-records.js'
import { inboxRequestsMax, postIdsWindow, sparsePosts } from '../limits.js'
import type { ToolCall } from '../tools/forum-tool.js'
import { isUnseen, lowestUnseen, type SeenIds, seenAfter } from './seen-ids.js'

type Asking = Pick<ToolCall, 'client' | 'scope'>

/** Posts by id. */
type Posts = ReadonlyMap<number, JsonRecord>

export interface NewPosts {
  /** By id, ascending: read on from the last one and nothing is left out. */
  readonly posts: readonly JsonRecord[]
  readonly seen: SeenIds
  readonly hasMore: boolean
}

/** The oldest ones that are new since then; the newest ones where nothing was read before. */
export async function readNewPosts(before: SeenIds | undefined, limit: number, asking: Asking): Promise<NewPosts> {
  const newest = await pageOf(undefined, asking)
  const top = [...newest.keys()].reduce((highest, id) => Math.max(highest, id), 0)
  const seen = before ?? startingAt([...newest.keys()], limit)
  const low = lowestUnseen(seen) - 1
  const isAll = before === undefined || newest.size === 0 || reaches(newest, low)
  const { found, through } = isAll ? { found: newest, through: top } : await walkUp(seen, low, top, limit, asking)
  return firstOf(unseenOf(found, seen), limit, seen, through, top)
}

/** As if all had been read but the newest ones. */
function startingAt(ids: readonly number[], limit: number): SeenIds {
  const newest = ids.toSorted((a, b) => b - a).slice(0, limit)
  return { upTo: Math.max(0, (newest.at(-1) ?? 1) - 1), missing: [] }
}

function firstOf(posts: Posts, limit: number, seen: SeenIds, through: number, top: number): NewPosts {
  const ids = [...posts.keys()].sort((a, b) => a - b)
  const given = ids.slice(0, limit)
  const isCut = ids.length > limit
  return {
    posts: given.map((id) => posts.get(id)!),
    seen: seenAfter(seen, given, isCut ? given.at(-1)! : through),
    hasMore: isCut || through < top,
  }
}

/**
 * What is new above `low`, from there upwards, until there is more than `limit` of it. The forum only pages downwards, and each
 * page may lack what the reader may not see, so none of them is known to be full. Two things are sure: a page has room for all
 * posts within so many ids, and one that goes down to what is known leaves nothing out above it.
 */
async function walkUp(seen: SeenIds, low: number, top: number, limit: number, asking: Asking) {
  const found = new Map<number, JsonRecord>()
  let through = low
  let width = postIdsWindow
  let mayWiden = true
  for (let asked = 0; asked < inboxRequestsMax && through < top && found.size <= limit; asked += 1) {
    const end = Math.min(through + width, top)
    const page = await pageOf(end + 1, asking)
    if (end - through > postIdsWindow && !reaches(page, through)) {
      // Also forums that give no more than the posts within so many ids.
      mayWiden = false
      width = postIdsWindow
      continue
    }
    const before = found.size
    for (const [id, post] of page) if (id > through && id <= end && isUnseen(seen, id)) found.set(id, post)
    through = end
    // Ids of nothing that can be seen, e.g. where an old forum was moved here.
    if (mayWiden && found.size - before < sparsePosts) width *= 2
  }
  return { found, through }
}

function reaches(posts: Posts, id: number): boolean {
  return [...posts.keys()].some((known) => known <= id)
}

function unseenOf(posts: Posts, seen: SeenIds): Posts {
  return new Map([...posts].filter(([id]) => isUnseen(seen, id)))
}

/** The newest posts; with `before` those below that id, which itself may be among them. */
async function pageOf(before: number | undefined, { client, scope }: Asking): Promise<Posts> {
  const answer = await client.get('/posts.json', before === undefined ? [] : [['before', before]], scope)
  const posts = new Map<number, JsonRecord>()
  for (const post of requireRecords(answer, 'latest_posts', '/posts.json')) {
    const id = idAt(post, 'id')
    if (id !== undefined) posts.set(id, post)
  }
  return posts
}
