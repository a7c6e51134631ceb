import { describe, expect, it } from 'vitest'
import type { ForumServerOptions } from '../../src/demo/index.js'
import { createTopicTool } from '../../src/tools/create-topic-tool.js'
import { keyCredential } from '../support/test-call.js'
import { openWriteRig } from '../support/write-rig.js'

const tool = createTopicTool()
const args = { title: 'Who has seen the bees?', raw: 'They were in the mill this morning.' }

it('begins a topic', async () => {
  await using rig = await openWriteRig()
  const category = rig.server.forum.addCategory('Garden')
  const answer = await rig.write(tool, { ...args, category_id: category.id })
  const topic = [...rig.server.forum.topics.values()].at(-1)!
  expect(topic).toMatchObject({ title: args.title, username: 'ada', categoryId: category.id })
  expect(answer).toEqual({
    id: topic.posts[0]!.id,
    topic_id: topic.id,
    slug: topic.slug,
    title: args.title,
    outcome: 'done',
  })
})

it('tells of a topic that is held for moderation', async () => {
  await using rig = await openWriteRig()
  rig.server.forum.moderate.add('ada')
  expect(await rig.write(tool, args)).toEqual({
    id: null,
    topic_id: null,
    slug: null,
    title: args.title,
    outcome: 'queued',
    pending_post_id: rig.server.forum.pending[0]!.id,
    pending_count: 1,
  })
})

describe('tags', () => {
  async function sentTags(options: ForumServerOptions, tags = ['bees', 'brand-new']) {
    await using rig = await openWriteRig(options)
    rig.server.forum.addTopic({ title: 'Of bees before', username: 'bob', raw: 'There were some.', tags: ['bees'] })
    await rig.write(tool, { ...args, tags })
    const { json } = rig.server.seen(/^POST/)[0]!
    const { tags: stored } = [...rig.server.forum.topics.values()].at(-1)!
    const id = rig.server.forum.boards.tags.find(({ name }) => name === 'bees')!.id
    return { sent: (json as { tags: unknown }).tags, stored, id, reads: rig.server.seen(/^GET \/tags/).length }
  }

  it('are names for versions before 2026.1', async () => {
    for (const version of ['3.5.0', '2025.12.1', '3.6.0.beta2']) {
      const { sent, stored, reads } = await sentTags({ version, tagIds: 'names' })
      expect(sent).toEqual(['bees', 'brand-new'])
      expect(stored).toEqual(['bees', 'brand-new'])
      expect(reads).toBe(0)
    }
  })

  it('are objects with the ids of those that are there, from then on', async () => {
    for (const version of ['2026.1.0', '2026.9.0-latest']) {
      const { sent, stored, id } = await sentTags({ version })
      expect(sent).toEqual([{ id, name: 'bees' }, { name: 'brand-new' }])
      expect(stored).toEqual(['bees', 'brand-new'])
    }
  })

  it('are as the forum has its own where it does not tell its version', async () => {
    expect((await sentTags({ version: 'unknown', tagIds: 'names' })).sent).toEqual(['bees', 'brand-new'])
    const { sent, id } = await sentTags({ version: 'unknown' })
    expect(sent).toEqual([{ id, name: 'bees' }, { name: 'brand-new' }])
  })

  it('do not keep a topic from a forum where they are off', async () => {
    await using rig = await openWriteRig({ tagging: false })
    expect(await rig.write(tool, { ...args, tags: ['bees'] })).toMatchObject({ outcome: 'done' })
  })

  it('are not guessed where they can’t be read', async () => {
    await using rig = await openWriteRig()
    rig.server.fault({ on: /^GET \/tags/, kind: 'status', status: 500, times: 3 })
    expect(await rig.refusal(tool, { ...args, tags: ['bees'] })).toMatchObject({
      code: 'upstream_error',
      details: { outcome: 'rejected' },
    })
    expect(rig.server.seen(/^POST/)).toEqual([])
  })
})

describe('a topic that was lost', () => {
  it('is found among those of its author, whatever the forum did to its title', async () => {
    await using rig = await openWriteRig()
    rig.server.fault({ on: /^POST/, kind: 'cut' })
    const answer = await rig.write(tool, args, { credential: keyCredential(rig.server.keys.user('bob')) })
    const topic = [...rig.server.forum.topics.values()].at(-1)!
    expect(answer).toMatchObject({ id: topic.posts[0]!.id, topic_id: topic.id, slug: topic.slug, recovered: true })
    topic.title = 'Who has seen the bees'
    rig.server.fault({ on: /^POST/, kind: 'drop' })
    const found = await rig.write(tool, { ...args, title: 'who has  seen the bees??', author_username: 'bob' })
    expect(found).toMatchObject({ topic_id: topic.id, recovered: true })
  })

  it('is not another one with the same title', async () => {
    await using rig = await openWriteRig()
    rig.server.forum.addTopic({ ...args, username: 'ada', raw: 'Something else.' })
    rig.server.fault({ on: /^POST/, kind: 'drop' })
    const failure = await rig.refusal(tool, args)
    expect(failure.code).toBe('outcome_unknown')
    expect(failure.message).toContain('discourse_search')
  })
})
