import { json } from '../http/answer.js'
import { notFound } from '../http/refusal.js'
import { isStaff } from '../model/users.js'
import { get, type Route } from './route.js'

export const siteRoutes: readonly Route[] = [
  get('/about.json', (_, { forum, setting }) =>
    json({
      users: [],
      about: {
        title: setting.title,
        description: 'A small forum to try things in.',
        version: setting.version,
        https: false,
        locale: 'en',
        can_see_about_stats: true,
        stats: {
          topics_count: forum.topics.size,
          posts_count: forum.posts.size,
          users_count: forum.users.all.length,
        },
        admin_ids: forum.users.all.filter(({ admin }) => admin).map(({ id }) => id),
      },
    }),
  ),
  get('/site/basic-info.json', (_, { setting }) =>
    json({
      logo_url: '',
      favicon_url: '',
      title: setting.title,
      description: 'A small forum to try things in.',
      header_primary_color: '333333',
      login_required: setting.loginRequired,
      locale: 'en',
      include_in_discourse_discover: false,
    }),
  ),
  get('/session/current.json', ({ visitor: { user } }, { forum }) => {
    if (user === undefined) throw notFound()
    const unread = forum.notices.of(user.username).filter(({ read }) => !read).length
    return json({
      current_user: {
        id: user.id,
        username: user.username,
        name: user.name,
        trust_level: user.trustLevel,
        admin: user.admin,
        moderator: user.moderator,
        staff: isStaff(user),
        unread_notifications: unread,
        unread_high_priority_notifications: 0,
        can_create_topic: true,
        can_send_private_messages: true,
      },
    })
  }),
]
