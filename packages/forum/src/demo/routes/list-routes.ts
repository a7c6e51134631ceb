import { requireUser } from '../auth.js'
import { notFound, notPermitted } from '../http/refusal.js'
import type { Topic, User } from '../model/entities.js'
import { isStaff } from '../model/users.js'
import { filterTopics } from './filter-query.js'
import { type ForumRequest, get, type Route, type Site } from './route.js'
import { byActivity, publicTopics, topicList } from './topic-list.js'

const mailboxes = ['', '-sent', '-archive', '-unread', '-new'] as const

export const listRoutes: readonly Route[] = [
  get('/filter.json', ({ input, visitor: { user } }, site) => {
    const query = input.text('q') ?? ''
    const found = filterTopics(publicTopics(site, user), query, site)
    return topicList(site, found, user, pageOf(input), (page) => `/filter?page=${page}&q=${encodeURIComponent(query)}`)
  }),
  get('/latest.json', ({ input, visitor: { user } }, site) =>
    topicList(site, byActivity(publicTopics(site, user)), user, pageOf(input), (page) => `/latest?page=${page}`),
  ),
  ...mailboxes.map((mailbox) =>
    get(`/topics/private-messages${mailbox}/:username.json`, (request, site) => {
      const owner = mailboxOwner(request, site)
      const topics = [...site.forum.topics.values()].filter((topic) => isInMailbox(topic, mailbox, owner))
      const url = (page: number) => `/topics/private-messages${mailbox}/${owner.username}?page=${page}`
      return topicList(site, byActivity(topics), owner, pageOf(request.input), url)
    }),
  ),
]

const pageOf = (input: ForumRequest['input']): number => Math.max(0, input.integer('page') ?? 0)

/** @throws Refusal for who may not look into it. */
function mailboxOwner({ params, visitor }: ForumRequest, { forum }: Site): User {
  const user = requireUser(visitor)
  const owner = forum.users.find(params['username']!)
  if (owner === undefined) throw notFound()
  if (owner !== user && !isStaff(user)) throw notPermitted()
  return owner
}

function isInMailbox(topic: Topic, mailbox: (typeof mailboxes)[number], { username }: User): boolean {
  if (topic.recipients?.has(username) !== true || topic.deleted !== null) return false
  if (topic.archivedBy.has(username)) return mailbox === '-archive'
  const readTo = topic.readTo.get(username) ?? 0
  switch (mailbox) {
    case '':
      // What nobody has answered yet is only among the sent ones.
      return topic.posts.some((post) => post.username !== username)
    case '-sent':
      return topic.posts.some((post) => post.username === username)
    case '-archive':
      return false
    case '-unread':
      return readTo > 0 && readTo < topic.posts.length
    case '-new':
      return readTo === 0
  }
}
