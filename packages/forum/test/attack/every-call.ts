/** One good call of every tool that reads. */
export const readCalls: readonly (readonly [tool: string, args: object])[] = [
  ['discourse_search', { query: 'anything' }],
  ['discourse_filter_topics', { filter: 'status:open' }],
  ['discourse_read_topic', { topic_id: 1, post_limit: 50 }],
  ['discourse_read_topic', { topic_id: 1, start_post_number: 7 }],
  ['discourse_read_post', { post_id: 1 }],
  ['discourse_get_user', { username: 'bob' }],
  ['discourse_list_user_posts', { username: 'bob' }],
  ['discourse_get_chat_messages', { channel_id: 1 }],
  ['discourse_get_draft', { draft_key: 'new_topic', sequence: 3 }],
  ['discourse_list_users', {}],
  ['discourse_list_private_messages', {}],
  ['discourse_get_inbox', {}],
]

/** One good call of every tool that writes. */
export const writeCalls: readonly (readonly [tool: string, args: object])[] = [
  ['discourse_create_post', { topic_id: 1, raw: 'A reply that is long enough.' }],
  ['discourse_create_topic', { title: 'A topic that is new', raw: 'Its first post, long enough.', tags: ['one'] }],
  ['discourse_create_category', { name: 'A new category' }],
  [
    'discourse_create_user',
    { username: 'newcomer', email: 'newcomer@example.com', name: 'A newcomer', password: 'p4ss-of-the-newcomer' },
  ],
  ['discourse_save_draft', { draft_key: 'new_topic', reply: 'A draft.' }],
  ['discourse_delete_draft', { draft_key: 'new_topic', sequence: 0 }],
  ['discourse_update_post', { post_id: 1, raw: 'Another text, long enough.' }],
  ['discourse_update_topic', { topic_id: 1, title: 'Another title of it' }],
  ['discourse_upload_file', { image_data: 'iVBORw0KGgo=', filename: 'dot.png' }],
  [
    'discourse_create_private_message',
    { title: 'A message to bob', raw: 'Hello Bob, how are you?', usernames: ['bob'] },
  ],
  ['discourse_mark_notifications_read', {}],
]

export const resources = [
  'discourse://site/categories',
  'discourse://site/tags',
  'discourse://site/groups',
  'discourse://chat/channels',
  'discourse://user/chat-channels',
  'discourse://user/drafts',
] as const
