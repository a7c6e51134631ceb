import { Boards, type NewCategory } from './model/boards.js'
import { Chat } from './model/chat.js'
import { Drafts } from './model/drafts.js'
import type { Category, Group, Notification, PendingPost, Post, Topic, User } from './model/entities.js'
import { Notifications } from './model/notifications.js'
import { type NewPost, type NewTopic, Topics } from './model/topics.js'
import { Uploads } from './model/uploads.js'
import { isStaff, type UserOptions, Users } from './model/users.js'

/** All that a forum knows. Tests and the village fill it; the routes read it, and change it for those who may. */
export class ForumModel {
  readonly now: () => number
  readonly users: Users
  readonly boards = new Boards()
  readonly chat: Chat
  readonly drafts: Drafts
  readonly uploads = new Uploads()
  readonly notices: Notifications
  /** Usernames whose posts wait for a moderator. */
  readonly moderate = new Set<string>()
  readonly pending: PendingPost[] = []
  /** Paths without their first slash that lead elsewhere: `old/page` → `/t/11`. */
  readonly permalinks = new Map<string, string>()
  readonly #topics: Topics
  #lastPendingId = 30

  constructor(now: () => number) {
    this.now = now
    this.users = new Users(now)
    this.chat = new Chat(now)
    this.drafts = new Drafts(now)
    this.notices = new Notifications(now)
    this.#topics = new Topics(now)
  }

  /** By id. */
  get topics(): ReadonlyMap<number, Topic> {
    return this.#topics.topics
  }

  /** By id. */
  get posts(): ReadonlyMap<number, Post> {
    return this.#topics.posts
  }

  /** Oldest first. */
  get postsInOrder(): readonly Post[] {
    return this.#topics.postsInOrder
  }

  get notifications(): readonly Notification[] {
    return this.notices.all
  }

  get channels(): Chat['channels'] {
    return this.chat.channels
  }

  addUser(username: string, options: UserOptions = {}): User {
    return this.users.add(username, options)
  }

  addGroup(name: string, options: Partial<Omit<Group, 'name'>> = {}): Group {
    return this.users.addGroup(name, options)
  }

  addCategory(name: string, options: NewCategory = {}): Category {
    return this.boards.addCategory(name, options)
  }

  addTopic({ category, ...given }: NewTopic): Topic {
    this.users.get(given.username)
    for (const tag of given.tags ?? []) this.boards.tag(tag)
    return this.#topics.addTopic({ ...given, categoryId: this.boards.idOf(category) })
  }

  addPost(topicId: number, post: NewPost): Post {
    this.users.get(post.username)
    return this.#topics.addPost(this.topic(topicId), post)
  }

  /** Many short posts by the author of the topic, a second apart, the last one now. */
  addPosts(topicId: number, count: number): readonly Post[] {
    const topic = this.topic(topicId)
    const start = this.now() - count * 1_000
    return Array.from({ length: count }, (_, index) =>
      this.#topics.addPost(topic, {
        username: topic.username,
        raw: `Post number ${topic.posts.length + 1} of ${topic.title}`,
        createdAt: start + (index + 1) * 1_000,
      }),
    )
  }

  deletePost(id: number): void {
    const post = this.posts.get(id)
    if (post === undefined) throw new Error(`the forum has no post ${id}`)
    post.deletedAt = this.now()
  }

  /** With `gone`, whoever asks hears that it was there (410). */
  deleteTopic(id: number, how: 'not_found' | 'gone' = 'not_found'): void {
    this.topic(id).deleted = how
  }

  addChannel(...given: Parameters<Chat['addChannel']>): ReturnType<Chat['addChannel']> {
    return this.chat.addChannel(...given)
  }

  addMessage(...given: Parameters<Chat['addMessage']>): ReturnType<Chat['addMessage']> {
    return this.chat.addMessage(...given)
  }

  notify(...given: Parameters<Notifications['add']>): Notification {
    return this.notices.add(...given)
  }

  hold(post: Pick<PendingPost, 'username' | 'raw' | 'topicId' | 'title' | 'categoryId' | 'tags'>): PendingPost {
    const held: PendingPost = {
      ...post,
      id: ++this.#lastPendingId,
      createdAt: this.now(),
      status: 'pending',
      version: 0,
    }
    this.pending.push(held)
    return held
  }

  /** @throws Error for a mistake in whoever sets the forum up. */
  topic(id: number): Topic {
    const topic = this.topics.get(id)
    if (topic === undefined) throw new Error(`the forum has no topic ${id}`)
    return topic
  }

  maySee(user: User | undefined, topic: Topic): boolean {
    if (topic.recipients !== null) return isStaff(user) || (user !== undefined && topic.recipients.has(user.username))
    return this.maySeeCategory(user, this.boards.category(topic.categoryId))
  }

  maySeeCategory(user: User | undefined, category: Category | undefined): boolean {
    if (category === undefined || category.onlyFor === null) return true
    return user?.admin === true || this.users.isMember(user, category.onlyFor)
  }
}
