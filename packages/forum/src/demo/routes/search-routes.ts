import { json } from '../http/answer.js'
import { invalidParameters, missingParameter } from '../http/refusal.js'
import { searchPagesMax, searchRowsPerPage, searchTermMin } from '../limits.js'
import type { Post, Topic, User } from '../model/entities.js'
import { avatarOf, iso } from './iso.js'
import { type ForumRequest, get, type Route, type Site } from './route.js'
import { topicRowJson } from './topic-json.js'
import { publicTopics } from './topic-list.js'

export const searchRoutes: readonly Route[] = [get('/search.json', search)]

/** One post of each topic that has all words; where none is, the answer has no `topics` at all. */
function search({ input, visitor: { user } }: ForumRequest, site: Site) {
  const term = input.text('q')?.trim() ?? ''
  const page = input.limited('page', 1, searchPagesMax)
  if (!input.has('q')) throw missingParameter('q')
  if ([...term].length < searchTermMin) throw invalidParameters('q')
  const hits = bestPosts(term, user, site)
  const rows = hits.slice((page - 1) * searchRowsPerPage, page * searchRowsPerPage)
  const topics = rows.map((post) => topicRowJson(site, site.forum.topic(post.topicId), user))
  return json({
    posts: rows.map((post) => rowJson(site, post)),
    ...(topics.length > 0 && { topics }),
    users: [],
    categories: [],
    tags: [],
    groups: [],
    grouped_search_result: {
      more_posts: null,
      more_users: null,
      more_categories: null,
      term,
      search_log_id: 1,
      more_full_page_results: hits.length > page * searchRowsPerPage ? true : null,
      can_create_topic: user !== undefined,
      error: null,
      post_ids: rows.map(({ id }) => id),
      user_ids: [],
      category_ids: [],
    },
  })
}

function bestPosts(term: string, user: User | undefined, site: Site): readonly Post[] {
  const conditions = term.toLowerCase().split(/\s+/)
  return publicTopics(site, user).flatMap((topic) => {
    const fitsAll = (post: Post) => conditions.every((each) => fits(each, topic, post, site))
    return topic.posts.find((post) => post.deletedAt === null && fitsAll(post)) ?? []
  })
}

function fits(condition: string, topic: Topic, post: Post, { forum }: Site): boolean {
  const [, name, value = ''] = /^([a-z]+):(.+)$/.exec(condition) ?? []
  const isIn = (slug: string) => forum.boards.category(topic.categoryId)?.slug === slug
  if (condition.startsWith('@')) return post.username.toLowerCase() === condition.slice(1)
  if (condition.startsWith('#')) return isIn(condition.slice(1)) || topic.tags.includes(condition.slice(1))
  if (name === 'category') return isIn(value)
  if (name === 'tag' || name === 'tags') return value.split(',').some((each) => topic.tags.includes(each))
  if (name === 'status') return value === 'closed' ? topic.closed : !topic.closed
  if (name === 'order' || name === 'in') return true
  return post.raw.toLowerCase().includes(condition) || topic.title.toLowerCase().includes(condition)
}

const rowJson = ({ forum }: Site, post: Post): object => ({
  id: post.id,
  name: forum.users.find(post.username)?.name ?? null,
  username: post.username,
  avatar_template: avatarOf(post.username),
  created_at: iso(post.createdAt),
  like_count: post.likedBy.size,
  blurb: post.raw.slice(0, 200),
  post_number: post.number,
  topic_id: post.topicId,
})
