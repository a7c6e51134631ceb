import type { Post, Topic } from './entities.js'
import { slugOf } from './slug.js'

export interface NewTopic {
  readonly title: string
  readonly username: string
  readonly raw: string
  /** Its id, its slug or its name. */
  readonly category?: number | string
  /** Names; those that are not there yet are made. */
  readonly tags?: readonly string[]
  /** UTC ms. */
  readonly createdAt?: number
  readonly mega?: boolean
  readonly externalId?: string
  /** Makes it a private message to these. */
  readonly recipients?: readonly string[]
}

export interface NewPost {
  readonly username: string
  readonly raw: string
  readonly replyTo?: number
  /** UTC ms. */
  readonly createdAt?: number
}

/** Topics and their posts, each by its id, in the order in which they came. */
export class Topics {
  readonly topics = new Map<number, Topic>()
  readonly posts = new Map<number, Post>()
  /** Newest last, for lists that go back from the newest. */
  readonly postsInOrder: Post[] = []
  readonly #now: () => number
  #lastTopicId = 10
  #lastPostId = 1_000

  constructor(now: () => number) {
    this.#now = now
  }

  addTopic(given: Omit<NewTopic, 'category'> & { readonly categoryId: number | null }): Topic {
    const { title, username, raw, tags = [], createdAt = this.#now(), mega = false, externalId = null } = given
    const topic: Topic = {
      id: ++this.#lastTopicId,
      title,
      slug: slugOf(title),
      username,
      categoryId: given.recipients === undefined ? given.categoryId : null,
      tags,
      posts: [],
      createdAt,
      bumpedAt: createdAt,
      closed: false,
      archived: false,
      visible: true,
      pinned: false,
      deleted: null,
      mega,
      externalId,
      recipients: given.recipients === undefined ? null : new Set([username, ...given.recipients]),
      levels: new Map(),
      readTo: new Map(),
      archivedBy: new Set(),
    }
    this.topics.set(topic.id, topic)
    this.addPost(topic, { username, raw, createdAt })
    return topic
  }

  addPost(topic: Topic, { username, raw, replyTo, createdAt = this.#now() }: NewPost): Post {
    const post: Post = {
      id: ++this.#lastPostId,
      topicId: topic.id,
      number: topic.posts.length + 1,
      username,
      raw,
      replyTo: replyTo ?? null,
      createdAt,
      updatedAt: createdAt,
      deletedAt: null,
      version: 1,
      editReason: null,
      likedBy: new Set(),
    }
    topic.posts.push(post)
    topic.bumpedAt = Math.max(topic.bumpedAt, createdAt)
    topic.readTo.set(username, post.number)
    this.posts.set(post.id, post)
    this.postsInOrder.push(post)
    return post
  }
}

/** Posts that are still there. */
export const visiblePosts = (topic: Topic): readonly Post[] => topic.posts.filter((post) => post.deletedAt === null)
