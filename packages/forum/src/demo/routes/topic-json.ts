import type { ForumModel } from '../forum-model.js'
import type { Post, Topic, User } from '../model/entities.js'
import { visiblePosts } from '../model/topics.js'
import type { Setting } from '../setting.js'
import { iso } from './iso.js'
import { postJson } from './post-json.js'
import type { Site } from './route.js'

/** Tags of a topic: objects, or on old cores their names. */
export function tagsJson(forum: ForumModel, setting: Setting, tags: readonly string[]): readonly unknown[] {
  if (setting.tagIds === 'names') return tags
  return tags.map((name) => ({ id: forum.boards.tag(name).id, name, slug: name }))
}

/** A row of a list. */
export function topicRowJson({ forum, setting }: Site, topic: Topic, reader: User | undefined): object {
  const posts = visiblePosts(topic)
  const readTo = (reader && topic.readTo.get(reader.username)) ?? 0
  return {
    id: topic.id,
    title: topic.title,
    fancy_title: topic.title,
    slug: topic.slug,
    posts_count: posts.length,
    reply_count: Math.max(0, posts.length - 1),
    highest_post_number: topic.posts.length,
    image_url: null,
    created_at: iso(topic.createdAt),
    last_posted_at: iso(posts.at(-1)?.createdAt ?? topic.createdAt),
    bumped: true,
    bumped_at: iso(topic.bumpedAt),
    archetype: topic.recipients === null ? 'regular' : 'private_message',
    unseen: readTo === 0,
    ...(readTo > 0 && {
      last_read_post_number: readTo,
      unread: topic.posts.length - readTo,
      unread_posts: topic.posts.length - readTo,
    }),
    pinned: topic.pinned,
    visible: topic.visible,
    closed: topic.closed,
    archived: topic.archived,
    tags: tagsJson(forum, setting, topic.tags),
    views: 10,
    like_count: posts.reduce((sum, post) => sum + post.likedBy.size, 0),
    last_poster_username: posts.at(-1)?.username ?? topic.username,
    category_id: topic.categoryId,
    posters: [],
  }
}

/** A topic with some of its posts. */
export function topicJson(
  { forum, setting }: Site,
  topic: Topic,
  posts: readonly Post[],
  reader: User | undefined,
  includeRaw: boolean,
): object {
  const visible = visiblePosts(topic)
  return {
    post_stream: {
      posts: posts.map((post) => postJson(forum, post, reader, includeRaw)),
      ...streamJson(topic, visible, setting),
    },
    timeline_lookup: [],
    tags: tagsJson(forum, setting, topic.tags),
    id: topic.id,
    title: topic.title,
    fancy_title: topic.title,
    posts_count: visible.length,
    created_at: iso(topic.createdAt),
    views: 10,
    reply_count: Math.max(0, visible.length - 1),
    like_count: 0,
    last_posted_at: iso(visible.at(-1)?.createdAt ?? topic.createdAt),
    visible: topic.visible,
    closed: topic.closed,
    archived: topic.archived,
    archetype: topic.recipients === null ? 'regular' : 'private_message',
    slug: topic.slug,
    category_id: topic.categoryId,
    user_id: forum.users.find(topic.username)?.id ?? null,
    pinned: topic.pinned,
    external_id: topic.externalId,
    highest_post_number: topic.posts.length,
    deleted_at: null,
    chunk_size: 20,
    details: detailsJson(forum, topic, reader),
  }
}

/** Ids of what is there; of a mega topic only the ends. */
function streamJson(topic: Topic, visible: readonly Post[], { megaTopicPosts }: Setting): object {
  const isMega = topic.mega || visible.length >= megaTopicPosts
  if (!isMega) return { stream: visible.map(({ id }) => id) }
  return { isMegaTopic: true, firstId: visible[0]?.id ?? null, lastId: visible.at(-1)?.id ?? null }
}

function detailsJson(forum: ForumModel, topic: Topic, reader: User | undefined): object {
  const person = (username: string) => ({ id: forum.users.find(username)?.id ?? null, username })
  return {
    can_create_post: reader !== undefined && !topic.closed && !topic.archived,
    notification_level: (reader && topic.levels.get(reader.username)) ?? 1,
    created_by: person(topic.username),
    last_poster: person(visiblePosts(topic).at(-1)?.username ?? topic.username),
    participants: [],
    ...(topic.recipients !== null && { allowed_users: [...topic.recipients].map(person), allowed_groups: [] }),
  }
}
