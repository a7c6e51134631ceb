import type { ForumModel } from '../forum-model.js'
import type { Post, User } from '../model/entities.js'
import { cook } from '../model/slug.js'
import { isStaff } from '../model/users.js'
import { avatarOf, iso, isoOrNull } from './iso.js'

/** A post as core shows it, flat. */
export function postJson(forum: ForumModel, post: Post, reader: User | undefined, includeRaw: boolean): object {
  const author = forum.users.find(post.username)
  const topic = forum.topic(post.topicId)
  const mayChange = reader !== undefined && (isStaff(reader) || reader.username === post.username)
  return {
    id: post.id,
    name: author?.name ?? null,
    username: post.username,
    avatar_template: avatarOf(post.username),
    created_at: iso(post.createdAt),
    cooked: cook(post.raw),
    ...(includeRaw && { raw: post.raw }),
    post_number: post.number,
    post_type: 1,
    updated_at: iso(post.updatedAt),
    reply_count: 0,
    reply_to_post_number: post.replyTo,
    quote_count: 0,
    incoming_link_count: 0,
    reads: 1,
    score: 0,
    yours: reader?.username === post.username,
    topic_id: post.topicId,
    topic_slug: topic.slug,
    topic_title: topic.title,
    display_username: author?.name ?? null,
    version: post.version,
    can_edit: mayChange,
    can_delete: mayChange && post.number > 1,
    actions_summary: [{ id: 2, count: post.likedBy.size, can_act: reader !== undefined }],
    moderator: author?.moderator ?? false,
    admin: author?.admin ?? false,
    staff: isStaff(author),
    user_id: author?.id ?? null,
    hidden: false,
    trust_level: author?.trustLevel ?? null,
    deleted_at: isoOrNull(post.deletedAt),
    user_deleted: false,
    edit_reason: post.editReason,
  }
}
