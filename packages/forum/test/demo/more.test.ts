import { describe, expect, it } from 'vitest'
import { openForum } from './support/forum-client.js'

describe('/about.json and /site/basic-info.json', () => {
  it('tell what the forum is', async () => {
    const { anonymous } = await openForum({ title: 'Fake', version: '2026.1.0' })
    expect((await anonymous.get('/about.json')).json).toMatchObject({
      about: { title: 'Fake', version: '2026.1.0', locale: 'en' },
    })
    expect((await anonymous.get('/site/basic-info.json')).json).toMatchObject({ title: 'Fake', login_required: false })
  })
})

describe('notifications', () => {
  async function forumWithNotifications() {
    const opened = await openForum()
    opened.forum.addUser('ada')
    opened.forum.addUser('bob')
    const ids = Array.from({ length: 70 }, () => opened.forum.notify('ada', { type: 2, topicId: 11, postNumber: 3 }).id)
    opened.forum.notify('bob', { type: 1 })
    return { ...opened, ids: ids.toReversed() }
  }

  it('come newest first, 60 at once, and a next page is named always', async () => {
    const { user, ids } = await forumWithNotifications()
    const page = async (query: string) => (await user('ada').get(`/notifications.json?${query}`)).json
    const first = await page('limit=60&offset=0')
    const second = await page('limit=60&offset=60')
    const idsOf = ({ notifications }: typeof first) => notifications.map(({ id }: { readonly id: number }) => id)
    expect(idsOf(first)).toEqual(ids.slice(0, 60))
    expect(idsOf(second)).toEqual(ids.slice(60))
    expect(second).toMatchObject({ total_rows_notifications: 70, load_more_notifications: expect.any(String) })
    expect(await user('ada').get('/notifications.json?limit=61')).toMatchObject({ status: 400 })
  })

  it('are marked as read one by one, or all, and only one’s own', async () => {
    const { user, forum, ids } = await forumWithNotifications()
    const read = () => forum.notifications.filter((each) => each.read).map(({ id }) => id)
    await user('bob').put('/notifications/mark-read.json', { id: ids[0] })
    expect(read()).toEqual([])
    await user('ada').put('/notifications/mark-read.json', { id: ids[0] })
    expect(read()).toEqual([ids[0]])
    await user('ada').put('/notifications/mark-read.json')
    expect(read()).toHaveLength(70)
  })
})

describe('uploads', () => {
  const png = Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    Buffer.from([0, 0, 0, 12, 0, 0, 0, 34, 8, 6, 0, 0, 0]),
  ])
  const form = (name: string, content: Buffer): FormData => {
    const data = new FormData()
    data.set('upload_type', 'composer')
    data.set('file', new Blob([new Uint8Array(content)]), name)
    return data
  }

  it('are answered with their names and sizes, and can be had again', async () => {
    const { user, forum, server } = await openForum({ basePath: '/forumA' })
    forum.addUser('ada')
    const { status, json } = await user('ada').post('/uploads.json', form('bee.PNG', png))
    expect(status).toBe(200)
    expect(json).toMatchObject({
      id: 1,
      original_filename: 'bee.PNG',
      extension: 'png',
      width: 12,
      height: 34,
      filesize: png.length,
      short_url: expect.stringMatching(/^upload:\/\/[A-Za-z0-9]+\.png$/),
      url: expect.stringMatching(/^\/forumA\/uploads\/.*\.png$/),
    })
    const again = await fetch(`${server.origin}${json.url}`)
    expect(Buffer.from(await again.arrayBuffer())).toEqual(png)
  })

  it('of other kinds, without a type or without a file are refused', async () => {
    const { user, forum } = await openForum()
    forum.addUser('ada')
    expect(await user('ada').post('/uploads.json', form('bee.exe', png))).toMatchObject({ status: 422 })
    expect(await user('ada').post('/uploads.json', { upload_type: 'composer' })).toMatchObject({ status: 400 })
    const untyped = form('bee.png', png)
    untyped.delete('upload_type')
    expect(await user('ada').post('/uploads.json', untyped)).toMatchObject({ status: 400 })
  })
})

describe('/ai/tools', () => {
  const tool = {
    name: 'count words',
    description: 'How many words there are',
    inputSchema: { type: 'object', properties: { text: { enum: ['a', 'b'] } } },
    answer: (body: object) => ({ result: body, details: { artifacts: [{ url: '/a', name: 'A' }] } }),
  }

  it('are 404 unless the forum has some', async () => {
    const { admin } = await openForum()
    expect(await admin.get('/ai/tools')).toMatchObject({ status: 404 })
    expect(await admin.post('/ai/tools/x/call', {})).toMatchObject({ status: 404 })
  })

  it('are listed in either shape, and called by their names', async () => {
    const { admin, server } = await openForum({ aiTools: { tools: [tool] } })
    const { answer: _, ...row } = tool
    expect((await admin.get('/ai/tools')).json).toEqual({ tools: [row] })
    server.setting.aiTools = { shape: 'list', tools: [tool] }
    expect((await admin.get('/ai/tools')).json).toEqual([row])
    const body = { arguments: { text: 'a' }, context: {} }
    expect((await admin.post('/ai/tools/count%20words/call', body)).json).toEqual(tool.answer(body))
    expect(await admin.post('/ai/tools/other/call', body)).toMatchObject({ status: 404 })
  })
})

describe('the village', () => {
  it('has something of everything', async () => {
    const { anonymous, user, admin } = await openForum({ village: true })
    expect((await anonymous.get('/latest.json')).json.topic_list.topics.length).toBeGreaterThan(5)
    expect((await anonymous.get('/search.json?q=stainless')).json.topics).toMatchObject([
      { title: 'Which frames for a first hive?' },
    ])
    const chain = (await anonymous.get('/filter.json?q=order:posts')).json.topic_list.topics[0]
    expect(chain).toMatchObject({ title: 'Word chain', posts_count: 59, highest_post_number: 60 })
    expect((await user('ada').get('/drafts.json')).json.drafts).toHaveLength(1)
    expect((await user('ada').get('/notifications.json')).json.notifications).toHaveLength(3)
    expect((await user('ada').get('/topics/private-messages/ada.json')).json.topic_list.topics).toHaveLength(1)
    expect((await user('ada').get('/chat/api/me/channels')).json.direct_message_channels).toHaveLength(1)
    expect((await admin.get('/review.json')).json.reviewables).toHaveLength(1)
  })
})
