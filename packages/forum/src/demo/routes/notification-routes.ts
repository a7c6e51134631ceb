import { requireUser } from '../auth.js'
import { json, success } from '../http/answer.js'
import { notFound, notPermitted } from '../http/refusal.js'
import { notificationsPerPage } from '../limits.js'
import type { Notification } from '../model/entities.js'
import { isStaff } from '../model/users.js'
import { iso } from './iso.js'
import { type ForumRequest, get, put, type Route, type Site } from './route.js'

export const notificationRoutes: readonly Route[] = [
  get('/notifications.json', notifications),
  put('/notifications/mark-read.json', markRead),
  put('/notifications/mark-read', markRead),
]

function markRead({ input, visitor }: ForumRequest, { forum }: Site) {
  forum.notices.markRead(requireUser(visitor).username, input.integer('id'))
  return success()
}

/** Names a next page always. */
function notifications({ input, visitor }: ForumRequest, site: Site) {
  const user = requireUser(visitor)
  const owner = input.has('username') ? site.forum.users.find(input.text('username')!) : user
  if (owner === undefined) throw notFound()
  if (owner !== user && !isStaff(user)) throw notPermitted()
  const limit = input.limited('limit', notificationsPerPage, notificationsPerPage, 0)
  const offset = Math.max(0, input.integer('offset') ?? 0)
  const filter = input.text('filter')
  const all = site.forum.notices
    .of(owner.username)
    .filter(({ read }) => (filter === 'read' ? read : filter === 'unread' ? !read : true))
  return json({
    notifications: all.slice(offset, offset + limit).map((each) => rowJson(each, owner.id, site)),
    total_rows_notifications: all.length,
    seen_notification_id: 0,
    load_more_notifications: `/notifications?limit=${limit}&offset=${offset + limit}&username=${owner.username}`,
  })
}

function rowJson(each: Notification, userId: number, { forum }: Site): object {
  const topic = forum.topics.get(each.topicId ?? 0)
  return {
    id: each.id,
    user_id: userId,
    notification_type: each.type,
    read: each.read,
    high_priority: each.type === 6,
    created_at: iso(each.createdAt),
    post_number: each.postNumber,
    topic_id: each.topicId,
    fancy_title: topic?.title ?? null,
    slug: topic?.slug ?? null,
    data: each.data,
  }
}
