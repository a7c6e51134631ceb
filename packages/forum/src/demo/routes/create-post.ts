import { requireUser, type Visitor } from '../auth.js'
import { type Answer, json } from '../http/answer.js'
import type { Input } from '../http/input.js'
import { unprocessable } from '../http/refusal.js'
import type { Post, Topic, User } from '../model/entities.js'
import { isStaff } from '../model/users.js'
import { remembered } from './memo.js'
import { checkBody, checkTitle, sentTags } from './new-post.js'
import { postJson } from './post-json.js'
import type { ForumRequest, Site } from './route.js'

const asForm = { action: 'create_post' }

/** A reply, a topic or a private message. With an Api-Key the same one within two minutes is not made twice. */
export function createPost({ input, visitor }: ForumRequest, site: Site): Answer {
  const user = requireUser(visitor)
  const create = () =>
    input.has('topic_id') ? reply(input, visitor, user, site) : newTopic(input, visitor, user, site)
  return visitor.by === 'admin-key' ? remembered(site.forum, user.username, input, create) : create()
}

function reply(input: Input, visitor: Visitor, user: User, site: Site): Answer {
  const { forum } = site
  const raw = input.required('raw')
  const topic = forum.topics.get(input.integer('topic_id') ?? 0)
  const isOpen = topic !== undefined && topic.deleted === null && forum.maySee(user, topic)
  if (!isOpen || ((topic.closed || topic.archived) && !isStaff(user))) {
    const said = 'Something has gone wrong. Perhaps this topic was closed or deleted while you were looking at it?'
    throw unprocessable([said], asForm)
  }
  checkBody(raw)
  if (forum.moderate.has(user.username)) {
    return held(site, { username: user.username, raw, topicId: topic.id, title: null, categoryId: null, tags: [] })
  }
  const replyTo = input.integer('reply_to_post_number')
  const post = forum.addPost(topic.id, { username: user.username, raw, ...(replyTo !== undefined && { replyTo }) })
  return created(site, post, user, visitor, `topic_${topic.id}`)
}

function newTopic(input: Input, visitor: Visitor, user: User, site: Site): Answer {
  const { forum, setting } = site
  const title = input.text('title') ?? ''
  const raw = input.required('raw')
  const isMessage = input.text('archetype') === 'private_message'
  const tags = isMessage || !setting.tagging ? [] : (sentTags(input, 'tags', forum, setting) ?? [])
  checkTitle(title)
  checkBody(raw)
  const categoryId = isMessage ? null : chosenCategory(input, user, site)
  if (forum.moderate.has(user.username)) {
    return held(site, { username: user.username, raw, topicId: null, title, categoryId, tags })
  }
  const externalId = visitor.by === 'admin-key' ? input.text('external_id') : undefined
  const isTaken = [...forum.topics.values()].some((each) => each.externalId !== null && each.externalId === externalId)
  if (isTaken) throw unprocessable(['External ID has already been taken'], asForm)
  const topic = forum.addTopic({
    title: title.trim(),
    username: user.username,
    raw,
    tags,
    ...(categoryId !== null && { category: categoryId }),
    ...(externalId !== undefined && { externalId }),
    ...(isMessage && { recipients: recipientsOf(input, site) }),
  })
  if (isMessage) tellRecipients(topic, site)
  return created(site, topic.posts[0]!, user, visitor, isMessage ? 'new_private_message' : 'new_topic')
}

/** @throws Refusal for a category that the user has none of. */
function chosenCategory(input: Input, user: User, { forum }: Site): number | null {
  const id = input.integer('category')
  if (id === undefined) return forum.boards.idOf(undefined)
  const category = forum.boards.category(id)
  if (category !== undefined && forum.maySeeCategory(user, category)) return id
  throw unprocessable(['You are not permitted to create topics in that category.'], asForm)
}

/** @throws Refusal where one of them is nobody. */
function recipientsOf(input: Input, { forum }: Site): readonly string[] {
  const named = (input.text('target_recipients') ?? input.text('target_usernames') ?? '').split(',')
  const names = named.map((name) => name.trim()).filter((name) => name !== '')
  if (names.length === 0) throw unprocessable(['You must send the message to somebody.'], asForm)
  return names.flatMap((name) => {
    const group = forum.users.groups.find((each) => each.name === name)
    const user = forum.users.find(name)
    if (user === undefined && group === undefined)
      throw unprocessable(["Sorry, one of those users doesn't exist."], asForm)
    return user === undefined ? [...group!.members] : [user.username]
  })
}

function tellRecipients(topic: Topic, { forum }: Site): void {
  for (const username of topic.recipients ?? []) {
    if (username === topic.username) continue
    forum.notify(username, { type: 6, topicId: topic.id, postNumber: 1, data: { topic_title: topic.title } })
  }
}

function held({ forum }: Site, post: Parameters<Site['forum']['hold']>[0]): Answer {
  const pending = forum.hold(post)
  const { username, topicId, title } = post
  const mine = forum.pending.filter((each) => each.username === username && each.status === 'pending')
  return json({
    success: true,
    action: 'enqueued',
    pending_count: mine.length,
    pending_post: {
      id: pending.id,
      raw: pending.raw,
      created_at: new Date(pending.createdAt).toISOString(),
      ...(topicId !== null && { topic_id: topicId }),
      ...(title !== null && { title }),
    },
  })
}

/** Who types posts what was a draft; who comes with an Api-Key has none open. */
function created({ forum }: Site, post: Post, user: User, visitor: Visitor, draftKey: string): Answer {
  const sequence =
    visitor.by === 'admin-key' ? forum.drafts.sequence(user, draftKey) : forum.drafts.advance(user, draftKey)
  return json({ ...postJson(forum, post, user, true), draft_sequence: sequence })
}
