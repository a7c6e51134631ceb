import { describe, expect, it } from 'vitest'
import { openForum } from './support/forum-client.js'

async function forumWithAda() {
  const opened = await openForum()
  opened.forum.addUser('ada')
  const save = (sequence: number, reply = 'Some words', draft_key = 'new_topic') =>
    opened
      .user('ada')
      .post('/drafts.json', { draft_key, sequence, data: JSON.stringify({ reply, title: 'In the data' }) })
  const read = async (key = 'new_topic') => (await opened.user('ada').get(`/drafts/${key}.json`)).json
  return { ...opened, save, read }
}

describe('saving a draft', () => {
  it('keeps the sequence at first, and adds one each later time', async () => {
    const { save, read } = await forumWithAda()
    expect((await save(0)).json).toEqual({ success: 'OK', draft_sequence: 0 })
    expect((await save(0, 'More words')).json).toMatchObject({ draft_sequence: 1 })
    expect((await save(1)).json).toMatchObject({ draft_sequence: 2 })
    expect(await read()).toEqual({ draft: expect.stringContaining('Some words'), draft_sequence: 2 })
  })

  it('is a conflict with a wrong sequence, but not where there is no draft yet', async () => {
    const { save, read } = await forumWithAda()
    expect(await save(5)).toMatchObject({ status: 200, json: { draft_sequence: 0 } })
    expect(await save(5, 'Lost')).toMatchObject({
      status: 409,
      json: { errors: [expect.any(String)], extras: { description: expect.any(String) } },
    })
    expect(await read()).toMatchObject({ draft: expect.stringContaining('Some words') })
  })

  it('stores nothing for system, and calls it a success', async () => {
    const { adminAs } = await forumWithAda()
    const system = adminAs('system')
    const given = { draft_key: 'new_topic', sequence: 3, data: '{"reply":"Words"}' }
    expect(await system.post('/drafts.json', given)).toMatchObject({
      status: 200,
      json: { success: 'OK', draft_sequence: 0 },
    })
    expect((await system.get('/drafts/new_topic.json')).json).toEqual({ draft: null, draft_sequence: 0 })
  })

  it('is 403 with a description where there are too many', async () => {
    const { save, forum } = await forumWithAda()
    forum.drafts.perUserMax = 1
    await save(0)
    expect(await save(0, 'Words', 'topic_11')).toMatchObject({
      status: 403,
      json: { extras: { description: expect.any(String) } },
    })
  })
})

describe('deleting a draft', () => {
  it('is always a success, and happens only with the right sequence', async () => {
    const { save, read, user } = await forumWithAda()
    await save(0)
    await save(0)
    const remove = (sequence: number) => user('ada').delete(`/drafts/new_topic.json?sequence=${sequence}`)
    expect((await remove(0)).json).toEqual({ success: 'OK' })
    expect((await read()).draft).not.toBeNull()
    expect((await remove(1)).json).toEqual({ success: 'OK' })
    // The sequence stays: it is what the next draft is saved with.
    expect(await read()).toEqual({ draft: null, draft_sequence: 1 })
    expect((await remove(1)).json).toEqual({ success: 'OK' })
  })

  it('takes with an Api-Key an admin who says whose it is', async () => {
    const { save, read, admin, adminAs } = await forumWithAda()
    await save(0)
    const path = '/drafts/new_topic.json?sequence=0'
    expect(await adminAs('ada').delete(`${path}&username=ada`)).toMatchObject({ status: 403 })
    expect(await admin.delete(path)).toMatchObject({ status: 400 })
    expect((await read()).draft).not.toBeNull()
    expect(await admin.delete(`${path}&username=ada`)).toMatchObject({ status: 200 })
    expect((await read()).draft).toBeNull()
  })
})

describe('reading drafts', () => {
  it('breaks where a sequence comes along that is not the present one', async () => {
    const { save, user } = await forumWithAda()
    await save(0)
    expect(await user('ada').get('/drafts/new_topic.json?sequence=0')).toMatchObject({ status: 200 })
    expect(await user('ada').get('/drafts/new_topic.json?sequence=4')).toMatchObject({ status: 500 })
  })

  it('lists them newest first, with titles only of topics that are there', async () => {
    const { save, user, forum } = await forumWithAda()
    const topic = forum.addTopic({ title: 'An old one', username: 'ada', raw: 'The first' })
    await save(0)
    await save(0, 'A reply', `topic_${topic.id}`)
    const { drafts } = (await user('ada').get('/drafts.json?limit=50')).json
    expect(drafts).toMatchObject([
      { draft_key: `topic_${topic.id}`, sequence: 0, title: 'An old one', category_id: 1 },
      { draft_key: 'new_topic', sequence: 0, title: null, category_id: null },
    ])
    expect(JSON.parse(drafts[1].data)).toMatchObject({ title: 'In the data' })
    expect((await user('ada').get('/drafts.json?limit=1&offset=1')).json.drafts).toHaveLength(1)
    expect(await user('ada').get('/drafts.json?limit=51')).toMatchObject({ status: 400 })
  })

  it('has none left of what was posted with a user key', async () => {
    const { save, read, user, adminAs } = await forumWithAda()
    await save(0)
    await adminAs('ada').post('/posts.json', { title: 'By a program', raw: 'Long enough' })
    expect((await read()).draft).not.toBeNull()
    await user('ada').post('/posts.json', { title: 'By a person', raw: 'Long enough' })
    expect(await read()).toEqual({ draft: null, draft_sequence: 1 })
  })
})
