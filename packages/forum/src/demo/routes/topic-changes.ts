import { requireUser } from '../auth.js'
import { type Answer, json, success } from '../http/answer.js'
import type { Input } from '../http/input.js'
import { editConflict, invalidParameters, notPermitted, unprocessable } from '../http/refusal.js'
import type { Topic, User } from '../model/entities.js'
import { slugOf } from '../model/slug.js'
import { visiblePosts } from '../model/topics.js'
import { isStaff } from '../model/users.js'
import { checkTitle, sentTags, tagName } from './new-post.js'
import { type ForumRequest, post, put, type Route, remove, type Site } from './route.js'
import { readableTopic } from './topic-access.js'

export const topicChanges: readonly Route[] = [
  put('/t/:id/status.json', setStatus),
  put('/t/:slug/:id.json', updateTopic),
  put('/t/:id.json', updateTopic),
  remove('/t/:id.json', (request, { forum }) => {
    const { topic, user } = ownTopic(request, forum)
    if (!isStaff(user) && visiblePosts(topic).length > 1) throw notPermitted()
    topic.deleted = 'not_found'
    return success()
  }),
  post('/t/:id/notifications.json', ({ params, input, visitor }, { forum }) => {
    const { username } = requireUser(visitor)
    const level = input.integer('notification_level')
    if (level === undefined || level < 0 || level > 3) throw invalidParameters('notification_level')
    readableTopic(forum, params['id']!, visitor).levels.set(username, level)
    return success()
  }),
]

/** @throws Refusal for who neither wrote it nor runs the forum. */
function ownTopic(
  { params, visitor }: ForumRequest,
  forum: Site['forum'],
): { readonly topic: Topic; readonly user: User } {
  const user = requireUser(visitor)
  const topic = readableTopic(forum, params['id']!, visitor)
  if (topic.username !== user.username && !isStaff(user)) throw notPermitted()
  return { topic, user }
}

/** What was there when the editor opened it comes along, so that nobody overwrites what they have not seen. */
function updateTopic(request: ForumRequest, site: Site): Answer {
  const { input } = request
  const { forum, setting } = site
  const { topic, user } = ownTopic(request, forum)
  requireUnchanged(topic, input, forum)
  const title = input.text('title')
  const tags = setting.tagging ? sentTags(input, 'tags', forum, setting) : undefined
  const categoryId = input.integer('category_id')
  if (title !== undefined) checkTitle(title, {})
  if (categoryId !== undefined) requireCategory(categoryId, user, forum)
  if (title !== undefined) {
    topic.title = title.trim()
    topic.slug = slugOf(title)
  }
  if (categoryId !== undefined) topic.categoryId = categoryId
  if (tags !== undefined) {
    for (const tag of tags) forum.boards.tag(tag)
    topic.tags = tags
  }
  const { id, slug } = topic
  const posts_count = visiblePosts(topic).length
  return json({ basic_topic: { id, title: topic.title, fancy_title: topic.title, slug, posts_count } })
}

function requireUnchanged(topic: Topic, input: Input, forum: Site['forum']): void {
  const title = input.text('original_title')
  const tags = input.list('original_tags')
  if (title !== undefined && title !== topic.title) throw editConflict()
  if (tags === undefined) return
  const names = tags.map((tag) => tagName(tag, forum) ?? '')
  if (names.toSorted().join() !== topic.tags.toSorted().join()) throw editConflict()
}

function requireCategory(id: number, user: User, forum: Site['forum']): void {
  const category = forum.boards.category(id)
  if (category === undefined) throw unprocessable(['The category that you chose is not there.'])
  if (!forum.maySeeCategory(user, category)) throw notPermitted()
}

function setStatus(request: ForumRequest, { forum }: Site): Answer {
  const { topic, user } = ownTopic(request, forum)
  if (!isStaff(user)) throw notPermitted()
  const status = request.input.required('status')
  const enabled = request.input.flag('enabled')
  if (status === 'closed') topic.closed = enabled
  else if (status === 'archived') topic.archived = enabled
  else if (status === 'visible') topic.visible = enabled
  else if (status === 'pinned') topic.pinned = enabled
  else throw invalidParameters('status')
  return success({ topic_status_update: null })
}
