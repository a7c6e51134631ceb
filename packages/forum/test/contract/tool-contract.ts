import type { Shape } from './shape.js'

/** One parameter: what its JSON schema says, and what is refused. */
export interface Parameter {
  readonly schema: object
  readonly isRequired: boolean
  readonly refused: readonly unknown[]
}

export interface ToolContract {
  /** (R)ead-only, (D)estructive, (I)dempotent, (O)pen world. */
  readonly marks: string
  /** Listed only where the session may write to its forum. */
  readonly isGated: boolean
  readonly parameters: { readonly [name: string]: Parameter }
  readonly answer: Shape
}

const made = (schema: object, refused: readonly unknown[], usual?: unknown): Parameter => ({
  schema: usual === undefined ? schema : { ...schema, default: usual },
  isRequired: false,
  refused: [null, ...refused],
})
const must = (parameter: Parameter): Parameter => ({ ...parameter, isRequired: true })

const notIntegers = ['1', 1.5, true, [1], {}]
const notTexts = [5, true, ['a'], {}]
const count = (minimum: number, maximum: number, usual: number) =>
  made({ type: 'integer', minimum, maximum }, [minimum - 1, maximum + 1, ...notIntegers], usual)
const from = (minimum: number, usual?: number) =>
  made({ type: 'integer', minimum }, [minimum - 1, ...notIntegers], usual)
const id = from(1)
const text = (minLength: number, maxLength?: number) =>
  made({ type: 'string', minLength, ...(maxLength !== undefined && { maxLength }) }, [
    ...(minLength > 0 ? ['x'.repeat(minLength - 1)] : []),
    // Their length is counted in code points.
    ...(maxLength === undefined ? [] : ['🐝'.repeat(maxLength + 1)]),
    ...notTexts,
  ])
const plainText = (refused: readonly unknown[] = [], usual?: string) =>
  made({ type: 'string' }, [...notTexts, ...refused], usual)
const truth = (usual: boolean) => made({ type: 'boolean' }, ['true', 1, {}], usual)
const oneOf = (words: readonly string[], usual?: string) =>
  made({ type: 'string', enum: words }, ['', `${words[0]}s`, words[0]!.toUpperCase(), 5], usual)
const texts = (max: number, refused: readonly unknown[]) =>
  made({ type: 'array', maxItems: max, items: { type: 'string' } }, [
    'a',
    {},
    [5],
    Array(max + 1).fill('a'),
    ...refused,
  ])
const color = (usual: string) => made({ type: 'string' }, ['#0088CC', '08C', '0088CG', '0088CC0', ...notTexts], usual)

const page = from(0, 0)
const postText = text(1, 30_000)
const title = text(1, 300)
const tags = texts(10, [[''], ['x'.repeat(101)]])
const draftKey = must(text(1, 40))
const names = texts(30, [['a,b'], ['a b'], ['']])
const author = text(1, 60)

const results: Shape = [{ id: 'int', slug: 'text', title: 'text' }]
const listMeta: Shape = { page: 'int', limit: 'int', has_more: 'truth' }
const postOf = (more: { readonly [key: string]: Shape }): Shape => ({
  ...{ id: 'int', post_number: 'int', username: 'text', created_at: 'text', raw: 'text', truncated: 'truth' },
  ...more,
})
const held: { readonly [key: string]: Shape } = { 'pending_post_id?': 'int', 'pending_count?': 'int' }

type Parameters = ToolContract['parameters']
const read = (parameters: Parameters, answer: Shape, marks = 'RIO'): ToolContract => ({
  ...{ marks, isGated: false, parameters, answer },
})
const write = (marks: string, parameters: Parameters, answer: { readonly [key: string]: Shape }): ToolContract => ({
  marks,
  isGated: true,
  parameters: { ...parameters, idempotency_key: text(1, 200) },
  answer: { ...answer, outcome: 'done|queued', 'recovered?': 'true', 'duplicate?': 'true' },
})

/** Only while no forum is given for all sessions. */
export const selecting: { readonly [tool: string]: ToolContract } = {
  discourse_select_site: read({ site: must(text(1, 2_000)) }, { site: 'text', title: 'text' }, 'IO'),
}

export const reading: { readonly [tool: string]: ToolContract } = {
  discourse_search: read(
    { query: must(text(1)), max_results: count(1, 50, 10) },
    { results, meta: { total: 'int', has_more: 'truth' } },
  ),
  discourse_filter_topics: read(
    { filter: must(text(1)), page, per_page: count(1, 50, 20) },
    { results, meta: listMeta },
  ),
  discourse_read_topic: read(
    { topic_id: must(id), post_limit: count(1, 50, 5), start_post_number: from(1, 1) },
    {
      ...{ id: 'int', title: 'text', slug: 'text', category_id: 'int', tags: ['text'], posts_count: 'int' },
      posts: [postOf({})],
      meta: { start_post: 'int', returned: 'int', has_more: 'truth', next_post_number: 'int' },
    },
  ),
  discourse_read_post: read({ post_id: must(id) }, postOf({ topic_id: 'int', topic_slug: 'text' })),
  discourse_get_user: read(
    { username: must(text(1)) },
    {
      ...{ id: 'int', username: 'text', name: 'text', trust_level: 'int', created_at: 'text' },
      ...{ bio: 'text', bio_truncated: 'truth', admin: 'truth', moderator: 'truth', profile_hidden: 'truth' },
    },
  ),
  discourse_list_user_posts: read(
    { username: must(text(1)), page, limit: count(1, 50, 30) },
    {
      posts: [
        {
          ...{ id: 'int', topic_id: 'int', post_number: 'int', slug: 'text', title: 'text' },
          ...{ created_at: 'text', excerpt: 'text', category_id: 'int' },
        },
      ],
      meta: listMeta,
    },
  ),
  discourse_get_chat_messages: read(
    {
      channel_id: must(id),
      page_size: count(1, 50, 50),
      target_message_id: id,
      direction: oneOf(['past', 'future']),
      target_date: plainText(['', 'yesterday', '2026-03-02', '2026-03-02T12:00:00', '2026-02-30T12:00:00Z']),
    },
    {
      channel_id: 'int',
      messages: [
        {
          ...{ id: 'int', username: 'text', created_at: 'text', message: 'text', 'truncated?': 'true' },
          ...{ edited: 'truth', thread_id: 'int', in_reply_to_id: 'int' },
        },
      ],
      meta: {
        ...{ returned: 'int', can_load_more_past: 'truth', can_load_more_future: 'truth', target_message_id: 'int' },
      },
    },
  ),
  discourse_get_draft: read(
    { draft_key: draftKey, sequence: from(0) },
    {
      ...{ draft_key: 'text', sequence: 'int', 'sequence_matches?': 'truth', found: 'truth' },
      data: { title: 'text', reply: 'text', category_id: 'int', tags: ['text'], action: 'text' },
    },
  ),
  discourse_list_users: read(
    {
      query: oneOf(['active', 'new', 'staff', 'suspended', 'silenced', 'pending', 'staged'], 'active'),
      filter: text(1, 200),
      order: plainText(['', 'a b', 'A']),
      asc: truth(false),
      page,
      show_emails: truth(false),
    },
    {
      users: [
        {
          ...{ id: 'int', username: 'text', name: 'text', email: 'text', trust_level: 'int', created_at: 'text' },
          ...{ last_seen_at: 'text', admin: 'truth', moderator: 'truth', suspended: 'truth', silenced: 'truth' },
        },
      ],
      meta: listMeta,
    },
  ),
  discourse_list_private_messages: read(
    { mailbox: oneOf(['inbox', 'sent', 'archive', 'unread', 'new'], 'inbox'), username: text(1, 60), page },
    {
      ...{ mailbox: 'inbox|sent|archive|unread|new', username: 'text' },
      messages: [
        {
          ...{ topic_id: 'int', slug: 'text', title: 'text', posts_count: 'int', created_at: 'text' },
          ...{ last_posted_at: 'text', unread_posts: 'int' },
        },
      ],
      meta: { page: 'int', has_more: 'truth' },
    },
  ),
  // It keeps the cursor that it is given.
  discourse_get_inbox: read(
    { cursor: text(1, 100), limit: count(1, 50, 20) },
    {
      posts: [postOf({ topic_id: 'int' })],
      notifications: [
        {
          ...{ id: 'int', notification_type: 'int', read: 'truth', topic_id: 'int', post_number: 'int' },
          created_at: 'text',
        },
      ],
      meta: { cursor: 'text', has_more: 'truth', 'complete?': 'false' },
    },
    'IO',
  ),
}

export const writing: { readonly [tool: string]: ToolContract } = {
  discourse_create_post: write(
    'O',
    { topic_id: must(id), raw: must(postText), reply_to_post_number: id, author_username: author },
    { id: 'int', topic_id: 'int', post_number: 'int', 'username?': 'text', ...held },
  ),
  discourse_create_topic: write(
    'O',
    { title: must(title), raw: must(postText), category_id: id, tags, author_username: author },
    { id: 'int', topic_id: 'int', slug: 'text', title: 'text', ...held },
  ),
  discourse_create_category: write(
    'O',
    {
      name: must(text(1, 100)),
      color: color('0088CC'),
      text_color: color('FFFFFF'),
      parent_category_id: id,
      description: text(1, 10_000),
    },
    { id: 'int', slug: 'text', name: 'text' },
  ),
  discourse_create_user: write(
    'O',
    {
      username: must(text(1, 20)),
      email: must(plainText(['', 'nobody', 'a@b'])),
      name: must(text(1, 255)),
      password: must(text(10, 200)),
      active: truth(true),
      approved: truth(true),
    },
    {
      ...{ success: 'truth', username: 'text', name: 'text', email: 'text', active: 'truth', message: 'text' },
      ...{ 'user_id?': 'int', confirmed: 'truth' },
    },
  ),
  discourse_save_draft: write(
    'DO',
    {
      draft_key: draftKey,
      reply: must(text(1, 50_000)),
      title,
      category_id: id,
      tags,
      sequence: from(0, 0),
      action: oneOf(['createTopic', 'reply', 'edit', 'privateMessage']),
    },
    { draft_key: 'text', sequence: 'int', saved: 'truth' },
  ),
  discourse_delete_draft: write(
    'DO',
    { draft_key: draftKey, sequence: must(from(0)) },
    { draft_key: 'text', deleted: 'truth' },
  ),
  discourse_update_post: write(
    'DO',
    { post_id: must(id), raw: must(postText), edit_reason: text(1, 255), original_text: text(1, 150_000) },
    {
      ...{ id: 'int', topic_id: 'int', post_number: 'int', raw: 'text', truncated: 'truth' },
      ...{ updated_at: 'text', edit_reason: 'text' },
    },
  ),
  discourse_update_topic: write(
    'DO',
    {
      topic_id: must(id),
      title,
      category_id: id,
      tags,
      original_title: title,
      original_tags: texts(100, [['']]),
    },
    {
      topic_id: 'int',
      updated_fields: ['title|category_id|tags'],
      topic: { id: 'int', title: 'text', slug: 'text', category_id: 'int', tags: ['text'] },
    },
  ),
  discourse_upload_file: write(
    'O',
    {
      url: text(1, 4_096),
      image_data: text(1),
      filename: plainText(['a/b', '..\\b', '']),
      upload_type: plainText(['', 'a b'], 'composer'),
    },
    {
      ...{ id: 'int', url: 'text', short_url: 'text', original_filename: 'text', extension: 'text' },
      ...{ width: 'int', height: 'int', filesize: 'int' },
    },
  ),
  discourse_create_private_message: write(
    'O',
    { title: must(title), raw: must(postText), usernames: names, group_names: names },
    { id: 'int', topic_id: 'int', post_number: 'int', title: 'text', ...held },
  ),
  discourse_mark_notifications_read: write('IO', { notification_id: id }, { marked: 'truth' }),
}

export const contract: { readonly [tool: string]: ToolContract } = { ...selecting, ...reading, ...writing }
