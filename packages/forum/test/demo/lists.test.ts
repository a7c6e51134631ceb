import { describe, expect, it } from 'vitest'
import { openForum } from './support/forum-client.js'

async function forumWith(topics: number) {
  const opened = await openForum()
  opened.forum.addUser('ada')
  for (let index = 1; index <= topics; index++) {
    opened.forum.addTopic({ title: `Topic ${index}`, username: 'ada', raw: `About lanterns, part ${index}` })
  }
  return opened
}

describe('/filter.json', () => {
  it('gives 65 topics as 30, 30 and 5, whatever page size is asked for', async () => {
    const { anonymous } = await forumWith(65)
    const sizes: unknown[] = []
    for (const page of [0, 1, 2]) {
      const { topic_list } = (await anonymous.get(`/filter.json?q=status:open&page=${page}&per_page=50`)).json
      sizes.push([topic_list.topics.length, topic_list.per_page, topic_list.more_topics_url])
    }
    expect(sizes).toEqual([
      [30, 30, '/filter?page=1&q=status%3Aopen'],
      [30, 30, '/filter?page=2&q=status%3Aopen'],
      [5, 30, undefined],
    ])
  })

  it('names a next page after a full last one, and has nothing on it', async () => {
    const { anonymous } = await forumWith(60)
    const second = (await anonymous.get('/filter.json?q=&page=1')).json.topic_list
    const third = (await anonymous.get('/filter.json?q=&page=2')).json.topic_list
    expect([second.topics.length, second.more_topics_url]).toEqual([30, '/filter?page=2&q='])
    expect([third.topics.length, third.more_topics_url]).toEqual([0, undefined])
  })

  it('knows categories, tags, states, authors and times', async () => {
    const { anonymous, forum, clock } = await forumWith(0)
    forum.addUser('bob')
    forum.addCategory('Help')
    const titles = async (query: string) =>
      (await anonymous.get(`/filter.json?q=${encodeURIComponent(query)}`)).json.topic_list.topics.map(
        ({ title }: { readonly title: string }) => title,
      )
    const createdAt = clock.now() - 40 * 86_400_000
    forum.addTopic({ title: 'Old', username: 'ada', raw: 'Old', category: 'help', createdAt })
    const done = forum.addTopic({ title: 'Done', username: 'bob', raw: 'Done', category: 'help', tags: ['solved'] })
    done.closed = true
    forum.addTopic({ title: 'Other', username: 'bob', raw: 'Other' })
    expect(await titles('category:help')).toEqual(['Done', 'Old'])
    expect(await titles('category:help status:open')).toEqual(['Old'])
    expect(await titles('tag:solved')).toEqual(['Done'])
    expect(await titles('created-after:30')).toEqual(['Other', 'Done'])
    expect(await titles('created-by:@bob order:title-asc')).toEqual(['Done', 'Other'])
  })
})

describe('/search.json', () => {
  it('has no topics at all where there is no hit', async () => {
    const { anonymous } = await forumWith(1)
    const { json } = await anonymous.get('/search.json?q=submarine')
    expect(json).not.toHaveProperty('topics')
    expect(json).toMatchObject({ posts: [], grouped_search_result: { term: 'submarine', error: null } })
  })

  it('says inside the grouped result whether there is more', async () => {
    const { anonymous } = await forumWith(51)
    const first = (await anonymous.get('/search.json?q=lanterns')).json
    const second = (await anonymous.get('/search.json?q=lanterns&page=2')).json
    expect([first.topics.length, first.grouped_search_result.more_full_page_results]).toEqual([50, true])
    expect([second.topics.length, second.grouped_search_result.more_full_page_results]).toEqual([1, null])
    expect(first).not.toHaveProperty('more_full_page_results')
  })

  it.each(['q=ab', 'q=%20ab%20', 'q=lanterns&page=11', 'q=lanterns&page=x'])('refuses %s', async (query) => {
    const { anonymous } = await forumWith(1)
    expect(await anonymous.get(`/search.json?${query}`)).toMatchObject({
      status: 400,
      json: {
        errors: [expect.stringMatching(/^You supplied invalid parameters to the request: (q|page)$/)],
        error_type: 'invalid_parameters',
      },
    })
  })
})

describe('categories', () => {
  it('are told with their parents, and with who may what only to staff', async () => {
    const { anonymous, admin, forum } = await forumWith(2)
    const sub = forum.addCategory('Sub', { parentId: 1 })
    const rows = (await anonymous.get('/site.json')).json.categories
    expect(rows).toMatchObject([
      { id: 1, slug: 'general', topic_count: 2, post_count: 2, read_restricted: false },
      { id: sub.id, parent_category_id: 1 },
    ])
    const find = `/categories/find.json?include_permissions=true&ids[]=2&ids[]=${sub.id}`
    const [open, all] = [(await anonymous.get(find)).json.categories, (await admin.get(find)).json.categories]
    expect(open).toHaveLength(1)
    expect(open[0]).not.toHaveProperty('group_permissions')
    expect(all[0]).toMatchObject({
      read_restricted: true,
      group_permissions: [{ permission_type: 1, group_name: 'staff', group_id: 3 }],
    })
  })
})

describe('tags', () => {
  it('have numbers for ids, on old cores names, and lie in groups', async () => {
    const { anonymous, forum, server } = await forumWith(0)
    forum.addTopic({ title: 'Tagged', username: 'ada', raw: 'Body', tags: ['bug'] })
    forum.boards.tag('spring', 'Seasons')
    const now = (await anonymous.get('/tags.json')).json
    expect(now.tags).toEqual([expect.objectContaining({ id: 7, text: 'bug', name: 'bug', slug: 'bug', count: 1 })])
    expect(now.extras.tag_groups).toMatchObject([{ name: 'Seasons', tags: [{ name: 'spring' }] }])
    server.setting.tagIds = 'names'
    expect((await anonymous.get('/tags.json')).json.tags).toEqual([{ id: 'bug', text: 'bug', count: 1, pm_count: 0 }])
  })

  it('are 404 where they are off', async () => {
    const { anonymous } = await openForum({ tagging: false })
    expect(await anonymous.get('/tags.json')).toMatchObject({ status: 404, json: { error_type: 'not_found' } })
  })
})

describe('groups', () => {
  it('come as 36 and 4 of 40, and more is named on both pages', async () => {
    const { admin, anonymous, forum } = await openForum()
    const first = forum.users.groups.length
    for (let index = first; index < 40; index++) forum.addGroup(`group-${index}`)
    const pages = [(await admin.get('/groups.json?page=0')).json, (await admin.get('/groups.json?page=1')).json]
    expect(pages.map(({ groups }) => groups.length)).toEqual([36, 4])
    expect(pages.map((page) => page.total_rows_groups)).toEqual([40, 40])
    expect(pages.map((page) => page.load_more_groups)).toEqual(['/groups?page=1', '/groups?page=2'])
    // Who is not staff sees those that people made.
    expect((await anonymous.get('/groups.json')).json.total_rows_groups).toBe(40 - first)
  })

  it('are 403 where the directory is off', async () => {
    const { anonymous } = await openForum({ groupDirectory: false })
    expect(await anonymous.get('/groups.json')).toMatchObject({ status: 403 })
  })
})

describe('/user_actions.json', () => {
  async function forumWithActions() {
    const opened = await forumWith(0)
    const topic = opened.forum.addTopic({ title: 'Mine', username: 'ada', raw: 'First' })
    opened.forum.addPosts(topic.id, 44)
    const ask = async (query: string) =>
      (await opened.anonymous.get(`/user_actions.json?username=ada&filter=4,5${query}`)).json.user_actions
    return { ...opened, ask }
  }

  it('gives 30 of 45, or as many as asked for; a topic has no post id', async () => {
    const { ask } = await forumWithActions()
    expect(await ask('')).toHaveLength(30)
    const all = await ask('&limit=51')
    expect(all).toHaveLength(45)
    const topics = all.filter((row: { readonly action_type: number }) => row.action_type === 4)
    expect(topics).toMatchObject([{ post_id: null, post_number: 1 }])
    expect(await ask('&offset=40&limit=30')).toHaveLength(5)
  })

  it('gives 30 whatever is asked for, on old cores', async () => {
    const { ask, server } = await forumWithActions()
    server.setting.honoursActionsLimit = false
    expect(await ask('&limit=51')).toHaveLength(30)
    expect(await ask('&limit=51&offset=30')).toHaveLength(15)
  })

  it('is 404 for nobody and for who hides', async () => {
    const { anonymous, forum } = await forumWith(0)
    forum.addUser('esme', { hidden: true })
    for (const name of ['nobody', 'esme']) {
      expect(await anonymous.get(`/user_actions.json?username=${name}&filter=4,5`)).toMatchObject({ status: 404 })
    }
    expect((await anonymous.get('/u/esme.json')).json.user).toMatchObject({ username: 'esme', profile_hidden: true })
    expect((await anonymous.get('/u/Ada.json')).json.user).toMatchObject({ username: 'ada', trust_level: 2 })
  })
})

describe('/posts.json', () => {
  it('gives 50 below an id, newest first', async () => {
    const { anonymous, forum } = await forumWith(0)
    const topic = forum.addTopic({ title: 'Mine', username: 'ada', raw: 'First' })
    forum.addPosts(topic.id, 80)
    forum.addTopic({ title: 'Secret', username: 'mayor', raw: 'For staff', category: 'staff' })
    const ids = async (query: string) =>
      (await anonymous.get(`/posts.json${query}`)).json.latest_posts.map(({ id }: { readonly id: number }) => id)
    const all = topic.posts.map(({ id }) => id).toReversed()
    expect(await ids('')).toEqual(all.slice(0, 50))
    expect(await ids(`?before=${all[49]}`)).toEqual(all.slice(50))
  })

  it('gives on old cores those of the 50 ids up to and with it', async () => {
    const { anonymous, forum, server } = await forumWith(0)
    server.setting.postsBefore = 'window'
    const topic = forum.addTopic({ title: 'Mine', username: 'ada', raw: 'First' })
    forum.addPosts(topic.id, 99)
    for (const post of topic.posts.slice(60, 80)) forum.deletePost(post.id)
    const { latest_posts } = (await anonymous.get(`/posts.json?before=${topic.posts[89]!.id}`)).json
    expect(latest_posts).toHaveLength(30)
    expect(latest_posts[0].id).toBe(topic.posts[89]!.id)
  })
})
