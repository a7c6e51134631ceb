import { requireUser, type Visitor } from '../auth.js'
import { json } from '../http/answer.js'
import { missingParameter, notFound, notPermitted } from '../http/refusal.js'
import { usersPerPage } from '../limits.js'
import type { User } from '../model/entities.js'
import { isStaff } from '../model/users.js'
import { createUser } from './create-user.js'
import { avatarOf, iso, isoOrNull } from './iso.js'
import { type ForumRequest, get, post, type Route, type Site } from './route.js'
import { userActions } from './user-actions.js'

export const userRoutes: readonly Route[] = [
  get('/u/:username.json', ({ params, visitor }, site) => {
    const user = site.forum.users.find(params['username']!)
    if (user === undefined || (!user.active && !isStaff(visitor.user))) throw notFound()
    return json({ user_badges: [], user: profileJson(user, seesAll(user, visitor)) })
  }),
  get('/user_actions.json', (request, site) => {
    const username = request.input.text('username')
    if (username === undefined) throw missingParameter('username')
    const user = site.forum.users.find(username)
    if (user === undefined || !seesAll(user, request.visitor)) throw notFound()
    return userActions(request, user, site)
  }),
  post('/users.json', createUser),
  get('/admin/users/list/:query.json', listUsers),
]

const seesAll = (user: User, visitor: Visitor): boolean =>
  !user.hidden || visitor.user === user || isStaff(visitor.user)

function profileJson(user: User, isSeen: boolean): object {
  const open = {
    id: user.id,
    username: user.username,
    avatar_template: avatarOf(user.username),
    trust_level: user.trustLevel,
  }
  if (!isSeen) return { ...open, name: null, profile_hidden: true, admin: user.admin, moderator: user.moderator }
  return {
    ...open,
    name: user.name,
    created_at: iso(user.createdAt),
    last_seen_at: isoOrNull(user.lastSeenAt),
    ...(user.bio !== null && { bio_raw: user.bio, bio_cooked: `<p>${user.bio}</p>`, bio_excerpt: user.bio }),
    admin: user.admin,
    moderator: user.moderator,
    can_edit: false,
    can_send_private_message_to_user: true,
    badge_count: 0,
  }
}

/** From page 1; who is no admin finds nothing there. */
function listUsers({ params, input, visitor }: ForumRequest, { forum }: Site) {
  if (!requireUser(visitor).admin) throw notFound()
  const wanted = listings[params['query']!]
  if (wanted === undefined) throw notPermitted()
  const page = Math.max(1, input.integer('page') ?? 1)
  const text = (input.text('filter') ?? '').toLowerCase()
  const found = forum.users.all.filter(
    (user) => wanted(user) && (user.username.toLowerCase().includes(text) || user.email.toLowerCase().includes(text)),
  )
  const sorted = inOrder(found, input.text('order') ?? '', input.flag('asc'))
  const rows = sorted.slice((page - 1) * usersPerPage, page * usersPerPage)
  return json(rows.map((user) => adminRowJson(user, input.flag('show_emails'))))
}

const listings: Readonly<Record<string, (user: User) => boolean>> = {
  active: ({ active, staged, bot }) => active && !staged && !bot,
  new: ({ bot }) => !bot,
  staff: (user) => isStaff(user),
  suspended: ({ suspended }) => suspended,
  silenced: ({ silenced }) => silenced,
  pending: ({ approved }) => !approved,
  staged: ({ staged }) => staged,
}

/** Newest first, unless asked for otherwise. */
function inOrder(users: readonly User[], order: string, ascending: boolean): readonly User[] {
  const key = (user: User): string | number =>
    order === 'username'
      ? user.username.toLowerCase()
      : order === 'seen' || order === 'last_emailed'
        ? (user.lastSeenAt ?? 0)
        : user.createdAt
  const sorted = users.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id))
  return ascending ? sorted : sorted.toReversed()
}

const adminRowJson = (user: User, withEmail: boolean): object => ({
  id: user.id,
  username: user.username,
  name: user.name,
  avatar_template: avatarOf(user.username),
  ...(withEmail && { email: user.email, secondary_emails: [] }),
  active: user.active,
  admin: user.admin,
  moderator: user.moderator,
  approved: user.approved,
  staged: user.staged,
  trust_level: user.trustLevel,
  created_at: iso(user.createdAt),
  last_seen_at: isoOrNull(user.lastSeenAt),
  ...(user.suspended && { suspended: true, suspended_till: '2099-01-01T00:00:00.000Z' }),
  ...(user.silenced && { silenced: true, silenced_till: '2099-01-01T00:00:00.000Z' }),
})
