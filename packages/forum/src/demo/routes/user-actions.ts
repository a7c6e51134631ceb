import { type Answer, json } from '../http/answer.js'
import { excerptMax, userActionsDefault, userActionsMax } from '../limits.js'
import type { Post, User } from '../model/entities.js'
import { cook } from '../model/slug.js'
import { avatarOf, iso } from './iso.js'
import type { ForumRequest, Site } from './route.js'

const [newTopic, reply] = [4, 5]

/** What somebody has posted, newest first. The start of a topic has no `post_id`. */
export function userActions({ input, visitor }: ForumRequest, user: User, { forum, setting }: Site): Answer {
  const types = (input.text('filter') ?? '')
    .split(',')
    .filter((type) => type !== '')
    .map(Number)
  const asked = Math.min(input.integer('limit') ?? userActionsDefault, userActionsMax)
  const limit = setting.honoursActionsLimit ? Math.max(1, asked) : userActionsDefault
  const offset = Math.max(0, input.integer('offset') ?? 0)
  const own = forum.postsInOrder.filter((post) => {
    const topic = forum.topic(post.topicId)
    const isThere = post.deletedAt === null && topic.deleted === null && topic.recipients === null
    return post.username === user.username && isThere && forum.maySee(visitor.user, topic)
  })
  const wanted = own.filter((post) => types.length === 0 || types.includes(typeOf(post)))
  const rows = wanted.toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id).slice(offset, offset + limit)
  return json({ user_actions: rows.map((post) => rowJson(post, user, forum)) })
}

const typeOf = (post: Post): number => (post.number === 1 ? newTopic! : reply!)

function rowJson(post: Post, user: User, forum: Site['forum']): object {
  const topic = forum.topic(post.topicId)
  return {
    excerpt: cook(post.raw.slice(0, excerptMax)),
    action_type: typeOf(post),
    created_at: iso(post.createdAt),
    avatar_template: avatarOf(user.username),
    slug: topic.slug,
    topic_id: topic.id,
    post_number: post.number,
    post_id: post.number === 1 ? null : post.id,
    username: user.username,
    user_id: user.id,
    acting_username: user.username,
    acting_user_id: user.id,
    title: topic.title,
    deleted: false,
    hidden: false,
    post_type: 1,
    category_id: topic.categoryId,
    closed: topic.closed,
    archived: topic.archived,
  }
}
