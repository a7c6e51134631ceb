import { requireUser } from '../auth.js'
import { json } from '../http/answer.js'
import { notFound, notPermitted, unprocessable } from '../http/refusal.js'
import { categoriesPerCall, groupsPerPage } from '../limits.js'
import type { Group, Tag, User } from '../model/entities.js'
import { isStaff } from '../model/users.js'
import { categoryJson } from './category-json.js'
import { type ForumRequest, get, post, type Route, type Site } from './route.js'

export const boardRoutes: readonly Route[] = [
  get('/site.json', ({ visitor: { user } }, site) =>
    json({
      default_archetype: 'regular',
      categories: seenCategories(site, user).map((category) => categoryJson(site.forum, category)),
      groups: site.forum.users.groups.map(({ id, name, automatic }) => ({ id, name, automatic })),
      can_create_tag: true,
      can_tag_topics: true,
      min_search_term_length: 3,
    }),
  ),
  get('/categories/find.json', ({ input, visitor: { user } }, site) => {
    const ids = input.integers('ids').slice(0, categoriesPerCall)
    const found = seenCategories(site, user).filter(({ id }) => ids.includes(id))
    const withPermissions = isStaff(user) && input.flag('include_permissions')
    return json({ categories: found.map((category) => categoryJson(site.forum, category, withPermissions)) })
  }),
  post('/categories.json', createCategory),
  get('/tags.json', (_, site) => {
    if (!site.setting.tagging) throw notFound()
    const row = (tag: Tag) => tagJson(tag, site)
    const { tags } = site.forum.boards
    const groups = [...new Set(tags.flatMap(({ group }) => group ?? []))]
    const tag_groups = groups.map((name, index) => ({
      id: index + 1,
      name,
      tags: tags.filter(({ group }) => group === name).map(row),
    }))
    return json({
      tags: tags.filter(({ group }) => group === null).map(row),
      extras: groups.length === 0 ? {} : { tag_groups },
    })
  }),
  get('/groups.json', groupsPage),
]

const seenCategories = ({ forum }: Site, user: User | undefined) =>
  forum.boards.categories.filter((category) => forum.maySeeCategory(user, category))

function createCategory({ input, visitor }: ForumRequest, site: Site) {
  const { boards } = site.forum
  const user = requireUser(visitor)
  if (!user.admin) throw notPermitted()
  const name = input.required('name').trim()
  const parentId = input.integer('parent_category_id') ?? null
  if (boards.named(name)?.name.toLowerCase() === name.toLowerCase()) {
    throw unprocessable(['Category Name has already been taken'])
  }
  if (name.length > 50) throw unprocessable(['Category Name is too long (maximum is 50 characters)'])
  if (parentId !== null && boards.category(parentId) === undefined)
    throw unprocessable(['Parent category is not there'])
  const category = boards.addCategory(name, {
    parentId,
    color: input.text('color') ?? '0088CC',
    textColor: input.text('text_color') ?? 'FFFFFF',
    description: input.text('description') ?? null,
  })
  return json({ category: categoryJson(site.forum, category, true) })
}

function tagJson({ id, name }: Tag, { forum, setting }: Site): object {
  const count = [...forum.topics.values()].filter(({ tags, deleted }) => deleted === null && tags.includes(name)).length
  if (setting.tagIds === 'names') return { id: name, text: name, count, pm_count: 0 }
  return { id, text: name, name, slug: name, count, pm_only: false }
}

/** Says that there are more on the last page, too. */
function groupsPage({ input, visitor: { user } }: ForumRequest, { forum, setting }: Site) {
  if (!setting.groupDirectory && !isStaff(user)) throw notPermitted()
  const page = Math.max(0, input.integer('page') ?? 0)
  const seen = forum.users.groups.filter((group) => isStaff(user) || isVisible(group, user))
  return json({
    groups: seen
      .slice(page * groupsPerPage, (page + 1) * groupsPerPage)
      .map((group) => groupJson(group, forum.users.countOf(group))),
    extras: { type_filters: ['my', 'public', 'close', 'automatic'] },
    total_rows_groups: seen.length,
    load_more_groups: `/groups?page=${page + 1}`,
  })
}

function isVisible({ visibility, members }: Group, user: User | undefined): boolean {
  if (visibility === 0) return true
  if (user === undefined) return false
  return visibility === 1 || (visibility === 2 && members.has(user.username))
}

const groupJson = (group: Group, count: number): object => ({
  id: group.id,
  automatic: group.automatic,
  name: group.name,
  display_name: group.name,
  user_count: count,
  mentionable_level: group.mentionable,
  messageable_level: group.messageable,
  visibility_level: group.visibility,
  members_visibility_level: group.membersVisibility,
  public_admission: group.publicAdmission,
  public_exit: group.publicExit,
  allow_membership_requests: group.allowRequests,
})
