import type { ForumModel } from '../forum-model.js'
import type { Category } from '../model/entities.js'
import { visiblePosts } from '../model/topics.js'

export function categoryJson(forum: ForumModel, category: Category, withPermissions = false): object {
  const topics = [...forum.topics.values()].filter(
    (topic) => topic.categoryId === category.id && topic.deleted === null,
  )
  return {
    id: category.id,
    name: category.name,
    color: category.color,
    text_color: category.textColor,
    slug: category.slug,
    topic_count: topics.length,
    post_count: topics.reduce((sum, topic) => sum + visiblePosts(topic).length, 0),
    position: category.id,
    description: category.description,
    description_text: category.description,
    read_restricted: category.onlyFor !== null,
    permission: null,
    ...(category.parentId !== null && { parent_category_id: category.parentId }),
    ...(withPermissions && { group_permissions: permissionsOf(forum, category) }),
  }
}

/** 1: everything. Everybody is the group 0. */
function permissionsOf(forum: ForumModel, { onlyFor }: Category): readonly object[] {
  const group = forum.users.groups.find(({ name }) => name === onlyFor)
  return [{ permission_type: 1, group_name: group?.name ?? 'everyone', group_id: group?.id ?? 0 }]
}
