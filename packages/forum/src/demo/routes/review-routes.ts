import { requireUser } from '../auth.js'
import { type Answer, json } from '../http/answer.js'
import { invalidParameters, notFound, Refusal } from '../http/refusal.js'
import type { PendingPost, Post } from '../model/entities.js'
import { isStaff } from '../model/users.js'
import { iso } from './iso.js'
import { type ForumRequest, get, put, type Route, type Site } from './route.js'

const reviewablesPerPage = 10
const states = { pending: 0, approved: 1, rejected: 2 }

export const reviewRoutes: readonly Route[] = [
  get('/review.json', (request, { forum }) => {
    requireStaff(request)
    const offset = Math.max(0, request.input.integer('offset') ?? 0)
    const waiting = forum.pending.filter(({ status }) => status === 'pending')
    return json({
      reviewables: waiting.slice(offset, offset + reviewablesPerPage).map((each) => rowJson(each, forum)),
      meta: {
        total_rows_reviewables: waiting.length,
        load_more_reviewables: `/review.json?offset=${offset + reviewablesPerPage}`,
      },
    })
  }),
  put('/review/:id/perform/:action.json', perform),
  put('/review/:id/perform/:action', perform),
]

/** Who has nothing to do there does not learn that it is there. */
function requireStaff({ visitor }: ForumRequest): void {
  if (!isStaff(requireUser(visitor))) throw notFound()
}

function perform(request: ForumRequest, { forum }: Site): Answer {
  requireStaff(request)
  const held = forum.pending.find(({ id }) => id === Number(request.params['id']))
  if (held === undefined) throw notFound()
  if (request.input.integer('version') !== held.version || held.status !== 'pending') {
    throw new Refusal(json({ errors: ['Somebody else has dealt with this meanwhile. Please load it again.'] }, 409))
  }
  const action = request.params['action']!
  if (action !== 'approve_post' && action !== 'reject_post') throw invalidParameters('action')
  held.version += 1
  held.status = action === 'approve_post' ? 'approved' : 'rejected'
  const created = action === 'approve_post' ? publish(held, forum) : undefined
  return json({
    reviewable_perform_result: {
      success: true,
      transition_to: held.status,
      transition_to_id: states[held.status],
      ...(created && { created_post_id: created.id, created_post_topic_id: created.topicId }),
      remove_reviewable_ids: [held.id],
      version: held.version,
      reviewable_count: forum.pending.filter(({ status }) => status === 'pending').length,
    },
  })
}

function publish({ username, raw, topicId, title, categoryId, tags }: PendingPost, forum: Site['forum']): Post {
  if (topicId !== null) return forum.addPost(topicId, { username, raw })
  const topic = forum.addTopic({
    title: title ?? '',
    username,
    raw,
    tags,
    ...(categoryId !== null && { category: categoryId }),
  })
  return topic.posts[0]!
}

const rowJson = (held: PendingPost, forum: Site['forum']): object => ({
  id: held.id,
  type: 'ReviewableQueuedPost',
  status: states[held.status],
  score: 0,
  version: held.version,
  created_at: iso(held.createdAt),
  topic_id: held.topicId,
  category_id: held.categoryId,
  target_created_by_id: forum.users.find(held.username)?.id ?? null,
  created_by: { id: forum.users.find(held.username)?.id ?? null, username: held.username },
  payload: { raw: held.raw, ...(held.title !== null && { title: held.title, tags: held.tags }) },
  bundled_actions: [{ id: `${held.id}`, action_ids: ['approve_post', 'reject_post'] }],
})
