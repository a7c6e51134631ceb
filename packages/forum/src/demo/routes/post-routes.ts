import { requireUser, type Visitor } from '../auth.js'
import type { ForumModel } from '../forum-model.js'
import { json, text } from '../http/answer.js'
import { editConflict, notFound, notPermitted } from '../http/refusal.js'
import { latestPostsPerPage } from '../limits.js'
import type { Post, User } from '../model/entities.js'
import { isStaff } from '../model/users.js'
import type { Setting } from '../setting.js'
import { createPost } from './create-post.js'
import { checkBody } from './new-post.js'
import { postJson } from './post-json.js'
import { type ForumRequest, get, post, put, type Route, remove, type Site } from './route.js'

export const postRoutes: readonly Route[] = [
  get('/posts.json', ({ input, visitor: { user } }, { forum, setting }) => {
    const posts = latestPosts(forum, user, range(input.integer('before') ?? 0, setting))
    return json({ latest_posts: posts.map((each) => postJson(forum, each, user, true)) })
  }),
  post('/posts.json', createPost),
  get('/posts/:id/replies.json', ({ params, visitor }, { forum }) => {
    const { number, topicId } = readablePost(forum, params['id']!, visitor)
    const replies = forum.topic(topicId).posts.filter((each) => each.replyTo === number && each.deletedAt === null)
    return json(replies.map((each) => postJson(forum, each, visitor.user, false)))
  }),
  // Of one post core tells the text, asked or not.
  get('/posts/:id.json', ({ params, visitor }, { forum }) =>
    json(postJson(forum, readablePost(forum, params['id']!, visitor), visitor.user, true)),
  ),
  put('/posts/:id.json', updatePost),
  remove('/posts/:id.json', ({ params, visitor }, { forum }) => {
    const user = requireUser(visitor)
    const found = readablePost(forum, params['id']!, visitor)
    requireOwn(found, user)
    if (found.number === 1) throw notPermitted()
    forum.deletePost(found.id)
    return text('')
  }),
]

interface IdRange {
  /** Not itself in it. */
  readonly above: number
  readonly below: number
}

function range(before: number, { postsBefore }: Setting): IdRange {
  if (before <= 0) return { above: 0, below: Number.POSITIVE_INFINITY }
  if (postsBefore === 'below') return { above: 0, below: before }
  return { above: before - latestPostsPerPage, below: before + 1 }
}

/** Newest first. */
function latestPosts(forum: ForumModel, user: User | undefined, { above, below }: IdRange): readonly Post[] {
  const posts: Post[] = []
  for (const each of forum.postsInOrder.toReversed()) {
    if (posts.length === latestPostsPerPage || each.id <= above) break
    if (each.id < below && isPublic(forum, each, user)) posts.push(each)
  }
  return posts
}

function isPublic(forum: ForumModel, each: Post, user: User | undefined): boolean {
  const topic = forum.topic(each.topicId)
  const isThere = topic.recipients === null && topic.deleted === null && topic.visible && each.deletedAt === null
  return isThere && forum.maySee(user, topic)
}

/** @throws Refusal. */
export function readablePost(forum: ForumModel, id: string, { user }: Visitor): Post {
  const found = forum.posts.get(Number(id))
  const topic = found && forum.topic(found.topicId)
  if (found === undefined || topic === undefined || topic.deleted !== null) throw notFound()
  if (found.deletedAt !== null && !isStaff(user)) throw notFound()
  if (!forum.maySee(user, topic)) throw notPermitted()
  return found
}

function requireOwn(found: Post, user: User): void {
  if (found.username !== user.username && !isStaff(user)) throw notPermitted()
}

function updatePost({ params, input, visitor }: ForumRequest, { forum }: Site) {
  const user = requireUser(visitor)
  const found = readablePost(forum, params['id']!, visitor)
  requireOwn(found, user)
  const edit = input.inner('post')
  const original = edit.text('original_text')
  if (original !== undefined && original !== found.raw) throw editConflict()
  const raw = edit.required('raw')
  checkBody(raw, {})
  found.raw = raw
  found.updatedAt = forum.now()
  found.version += 1
  found.editReason = edit.text('edit_reason') ?? null
  return json({ post: { ...postJson(forum, found, user, true), draft_sequence: 0 } })
}
