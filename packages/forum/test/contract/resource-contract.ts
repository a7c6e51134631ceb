import type { Shape } from './shape.js'

const channelOfUser: Shape = {
  ...{ id: 'int', title: 'text', slug: 'text', status: 'text', unread_count: 'int', mention_count: 'int' },
}

/** The documents under the six addresses, as staff reads them. */
export const resources: { readonly [uri: string]: Shape } = {
  'discourse://site/categories': {
    categories: [
      {
        ...{ id: 'int', name: 'text', slug: 'text', pid: 'int', read_restricted: 'truth' },
        ...{ topic_count: 'int', post_count: 'int', 'perms?': [{ gid: 'int', perm: 'int' }] },
      },
    ],
    meta: { total: 'int', 'complete?': 'false' },
  },
  'discourse://site/tags': {
    tags: [{ id: 'int', count: 'int', name: 'text', slug: 'text' }],
    meta: { total: 'int', 'disabled?': 'true' },
  },
  'discourse://site/groups': {
    groups: [
      {
        ...{ id: 'int', name: 'text', automatic: 'truth', user_count: 'int', vis: 'int', members_vis: 'int' },
        ...{ mention: 'int', msg: 'int', public_admission: 'truth', public_exit: 'truth' },
        allow_membership_requests: 'truth',
      },
    ],
    meta: { total: 'int', 'complete?': 'false' },
  },
  'discourse://chat/channels': {
    channels: [{ id: 'int', title: 'text', slug: 'text', status: 'text', members_count: 'int', description: 'text' }],
    meta: { total: 'int', 'complete?': 'false' },
  },
  'discourse://user/chat-channels': {
    public_channels: [channelOfUser],
    dm_channels: [channelOfUser],
    meta: { total: 'int' },
  },
  'discourse://user/drafts': {
    drafts: [
      {
        ...{ draft_key: 'text', sequence: 'int', title: 'text', category_id: 'int' },
        ...{ created_at: 'text', reply_preview: 'text' },
      },
    ],
    meta: { total: 'int', 'complete?': 'false' },
  },
}
