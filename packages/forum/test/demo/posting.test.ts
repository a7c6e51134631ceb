import { describe, expect, it } from 'vitest'
import { openForum } from './support/forum-client.js'

async function forumWithTopic(options: Parameters<typeof openForum>[0] = {}) {
  const opened = await openForum(options)
  opened.forum.addUser('ada')
  opened.forum.addUser('bob')
  const topic = opened.forum.addTopic({ title: 'A topic', username: 'ada', raw: 'The first', tags: ['bug'] })
  return { ...opened, topic, reply: { topic_id: topic.id, raw: 'A reply to this' } }
}

describe('a new post', () => {
  it('is answered flat', async () => {
    const { user, topic, reply } = await forumWithTopic()
    expect(await user('bob').post('/posts.json', { ...reply, reply_to_post_number: 1 })).toMatchObject({
      status: 200,
      json: { id: topic.posts[1]!.id, topic_id: topic.id, post_number: 2, username: 'bob', reply_to_post_number: 1 },
    })
  })

  it.each([
    [{ raw: 'abcd' }, 'Body is too short (minimum is 5 characters)'],
    [{ raw: 'x'.repeat(32_001) }, 'Body is too long (maximum is 32000 characters)'],
    [{ raw: 'Long enough', topic_id: undefined, title: 'Tiny' }, 'Title is too short (minimum is 5 characters)'],
    [
      { raw: 'Long enough', topic_id: undefined, title: 'Title', tags: [1, 2, 3, 4, 5, 6] },
      'You can use 5 tags at most.',
    ],
  ])('is refused as a form would be: %j', async (given, said) => {
    const { user, reply } = await forumWithTopic()
    const answer = await user('bob').post('/posts.json', { ...reply, ...given })
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toEqual([said])
  })

  it('says which form it was', async () => {
    const { user, reply } = await forumWithTopic()
    expect((await user('bob').post('/posts.json', { ...reply, raw: 'abcd' })).json).toEqual({
      action: 'create_post',
      errors: ['Body is too short (minimum is 5 characters)'],
    })
  })

  it('is refused in a closed topic, but from staff', async () => {
    const { user, adminAs, topic, reply } = await forumWithTopic()
    topic.closed = true
    expect(await user('bob').post('/posts.json', reply)).toMatchObject({ status: 422 })
    expect(await adminAs('mayor').post('/posts.json', reply)).toMatchObject({ status: 200 })
  })

  it('waits for a moderator where its author is moderated, and is there when approved', async () => {
    const { user, admin, anonymous, forum, topic, reply } = await forumWithTopic()
    forum.moderate.add('bob')
    const { status, json } = await user('bob').post('/posts.json', reply)
    expect([status, json]).toEqual([
      200,
      {
        success: true,
        action: 'enqueued',
        pending_count: 1,
        pending_post: { id: 31, raw: reply.raw, created_at: expect.any(String), topic_id: topic.id },
      },
    ])
    expect(topic.posts).toHaveLength(1)

    expect((await admin.get('/review.json')).json.reviewables).toMatchObject([{ id: 31, version: 0 }])
    expect(await admin.put('/review/31/perform/approve_post.json?version=7')).toMatchObject({ status: 409 })
    expect(await user('bob').put('/review/31/perform/approve_post.json?version=0')).toMatchObject({ status: 404 })
    const done = await admin.put('/review/31/perform/approve_post.json?version=0')
    const created = done.json.reviewable_perform_result.created_post_id
    expect(await anonymous.get(`/posts/${created}.json`)).toMatchObject({ json: { username: 'bob', raw: reply.raw } })
  })
})

describe('the same post again', () => {
  it('gets the stored first answer for 120 s with an Api-Key', async () => {
    const { adminAs, topic, reply, clock } = await forumWithTopic()
    const first = await adminAs('bob').post('/posts.json', reply)
    clock.advance(119_000)
    expect((await adminAs('bob').post('/posts.json', reply)).json).toEqual(first.json)
    expect(topic.posts).toHaveLength(2)
    // Other words, and another user, are another post.
    await adminAs('bob').post('/posts.json', { ...reply, raw: 'Something else' })
    await adminAs('ada').post('/posts.json', reply)
    expect(topic.posts).toHaveLength(4)
    clock.advance(2_000)
    await adminAs('bob').post('/posts.json', reply)
    expect(topic.posts).toHaveLength(5)
  })

  it('is made twice with a user key', async () => {
    const { user, topic, reply } = await forumWithTopic()
    await user('bob').post('/posts.json', reply)
    await user('bob').post('/posts.json', reply)
    expect(topic.posts).toHaveLength(3)
  })
})

describe('tags of a new topic', () => {
  const topic = { title: 'A new one', raw: 'Long enough' }
  const tagsOf = async (options: Parameters<typeof openForum>[0], tags: readonly unknown[]) => {
    const { user, forum } = await forumWithTopic(options)
    const { topic_id } = (await user('bob').post('/posts.json', { ...topic, tags })).json
    return forum.topic(topic_id).tags
  }

  it('are objects with ids; names are dropped once they are no longer known', async () => {
    expect(await tagsOf({}, [{ id: 7, name: 'bug' }])).toEqual(['bug'])
    expect(await tagsOf({}, [{ name: 'fresh' }])).toEqual(['fresh'])
    expect(await tagsOf({}, ['bug'])).toEqual([])
    expect(await tagsOf({ version: '2026.3.1' }, ['bug', { id: 7, name: 'bug' }])).toEqual(['bug', 'bug'])
  })

  it('are names on old cores, where objects are dropped', async () => {
    const old = { tagIds: 'names', version: '3.5.0' } as const
    expect(await tagsOf(old, ['bug'])).toEqual(['bug'])
    expect(await tagsOf(old, [{ id: 7, name: 'bug' }])).toEqual([])
  })
})

describe('an edit of a post', () => {
  it('is a conflict where the text is not the one that it began with', async () => {
    const { user, topic } = await forumWithTopic()
    const path = `/posts/${topic.posts[0]!.id}.json`
    const edit = (original_text: string) => ({ post: { raw: 'The first, mended', edit_reason: 'typo', original_text } })
    expect(await user('ada').put(path, edit('Something else'))).toMatchObject({ status: 409 })
    expect(topic.posts[0]!.raw).toBe('The first')
    expect(await user('ada').put(path, edit('The first'))).toMatchObject({
      status: 200,
      json: { post: { raw: 'The first, mended', edit_reason: 'typo', version: 2 } },
    })
  })

  it('is for its author and for staff', async () => {
    const { user, admin, topic } = await forumWithTopic()
    const path = `/posts/${topic.posts[0]!.id}.json`
    expect(await user('bob').put(path, { post: { raw: 'By somebody else' } })).toMatchObject({ status: 403 })
    expect(await admin.put(path, { post: { raw: 'By the mayor' } })).toMatchObject({ status: 200 })
  })
})

describe('an edit of a topic', () => {
  it('changes title, category and tags', async () => {
    const { user, forum, topic } = await forumWithTopic()
    const category = forum.addCategory('Help')
    const given = { title: 'A better title', category_id: category.id, tags: [{ id: 7, name: 'bug' }, { name: 'new' }] }
    expect(await user('ada').put(`/t/-/${topic.id}.json`, given)).toMatchObject({
      status: 200,
      json: { basic_topic: { id: topic.id, title: 'A better title', slug: 'a-better-title', posts_count: 1 } },
    })
    expect(topic).toMatchObject({ categoryId: category.id, tags: ['bug', 'new'] })
  })

  it.each([
    [{ original_title: 'Another title' }, 409],
    [{ original_tags: [{ id: 9, name: 'other' }] }, 409],
    [{ original_tags: [] }, 409],
    [{ original_title: 'A topic', original_tags: [{ id: 7, name: 'bug' }] }, 200],
    [{ original_tags: ['bug'] }, 200],
    [{ original_tags: [{ id: 7 }] }, 200],
  ])('with %j is %i', async (originals, status) => {
    const { user, topic } = await forumWithTopic()
    const given = { title: 'A better title', ...originals }
    expect(await user('ada').put(`/t/-/${topic.id}.json`, given)).toMatchObject({ status })
    expect(topic.title).toBe(status === 200 ? 'A better title' : 'A topic')
  })
})

describe('private messages', () => {
  it('reach those who are named, and lie in their mailboxes', async () => {
    const { user, anonymous } = await forumWithTopic()
    const letter = { title: 'A letter', raw: 'Dear Bob', archetype: 'private_message', target_recipients: 'bob' }
    const { topic_id } = (await user('ada').post('/posts.json', letter)).json
    const titles = async (who: string, mailbox: string) =>
      (await user(who).get(`/topics/private-messages${mailbox}/${who}.json`)).json.topic_list.topics.map(
        ({ title }: { readonly title: string }) => title,
      )
    expect(await titles('ada', '-sent')).toEqual(['A letter'])
    expect(await titles('ada', '')).toEqual([])
    expect(await titles('bob', '')).toEqual(['A letter'])
    expect(await titles('bob', '-new')).toEqual(['A letter'])
    expect(await titles('bob', '-unread')).toEqual([])
    expect(await user('bob').get(`/t/${topic_id}.json`)).toMatchObject({ json: { archetype: 'private_message' } })
    expect(await anonymous.get(`/t/${topic_id}.json`)).toMatchObject({ status: 403 })
    expect((await user('bob').get('/notifications.json')).json.notifications).toMatchObject([
      { notification_type: 6, read: false, topic_id },
    ])
  })

  it('of others are for staff only', async () => {
    const { user, admin } = await forumWithTopic()
    expect(await user('ada').get('/topics/private-messages/bob.json')).toMatchObject({ status: 403 })
    expect(await admin.get('/topics/private-messages/bob.json')).toMatchObject({ status: 200 })
    expect(await admin.get('/topics/private-messages/nobody.json')).toMatchObject({ status: 404 })
  })

  it('are refused where somebody named is nobody', async () => {
    const { user } = await forumWithTopic()
    const letter = { title: 'A letter', raw: 'Dear Bob', archetype: 'private_message', target_recipients: 'bob,nobody' }
    expect(await user('ada').post('/posts.json', letter)).toMatchObject({ status: 422 })
  })
})

it('deletes, likes, closes and watches', async () => {
  const { user, admin, topic, forum, reply } = await forumWithTopic()
  const { id } = (await user('bob').post('/posts.json', reply)).json
  const like = { id, post_action_type_id: 2 }
  expect(await user('ada').post('/post_actions.json', like)).toMatchObject({ status: 200 })
  expect(await user('ada').post('/post_actions.json', like)).toMatchObject({ status: 403 })
  expect([...forum.posts.get(id)!.likedBy]).toEqual(['ada'])
  expect(await user('ada').delete(`/posts/${id}.json`)).toMatchObject({ status: 403 })
  expect(await user('bob').delete(`/posts/${id}.json`)).toMatchObject({ status: 200 })
  expect((await user('bob').get(`/t/${topic.id}.json`)).json.post_stream.stream).toEqual([topic.posts[0]!.id])
  expect(await user('bob').post(`/t/${topic.id}/notifications.json`, { notification_level: 3 })).toMatchObject({
    status: 200,
  })
  expect(topic.levels.get('bob')).toBe(3)
  expect(await user('ada').put(`/t/${topic.id}/status.json`, { status: 'closed', enabled: 'true' })).toMatchObject({
    status: 403,
  })
  expect(await admin.put(`/t/${topic.id}/status.json`, { status: 'closed', enabled: 'true' })).toMatchObject({
    status: 200,
  })
  expect(topic.closed).toBe(true)
})
