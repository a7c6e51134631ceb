import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { getDraftTool } from '../../src/tools/get-draft-tool.js'
import { keyCredential, readWith, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
})

afterEach(() => server.close())

const get = (args: object = {}) =>
  readWith(
    getDraftTool(),
    { draft_key: 'new_topic', ...args },
    testCall(server.base, { credential: keyCredential(server.keys.user('ada')) }),
  )

const answerOnce = (json: object) => server.fault({ on: /GET \/drafts\//, kind: 'status', status: 200, json })

/** Saved so often that its sequence is that. */
function save(data: object, sequence: number): void {
  const ada = server.forum.users.get('ada')
  for (let known = 0; known <= sequence; known += 1) {
    server.forum.drafts.save(ada, 'new_topic', Math.max(0, known - 1), JSON.stringify(data))
  }
}

it('answers what its editor kept', async () => {
  save({ reply: 'Once', title: 'A story', categoryId: 4, tags: ['bug'], action: 'createTopic', metaData: {} }, 2)
  expect(await get()).toEqual({
    draft_key: 'new_topic',
    sequence: 2,
    found: true,
    data: { title: 'A story', reply: 'Once', category_id: 4, tags: ['bug'], action: 'createTopic' },
  })
})

it('answers null for what is not in it, and names for tags of any form', async () => {
  answerOnce({ draft: JSON.stringify({ tags: [{ id: 7, name: 'bug', slug: 'bug' }, 'help'] }), draft_sequence: 0 })
  expect((await get()).data).toEqual({
    title: null,
    reply: null,
    category_id: null,
    tags: ['bug', 'help'],
    action: null,
  })
})

it('answers the sequence to save with where there is no draft', async () => {
  expect(await get()).toEqual({ draft_key: 'new_topic', sequence: 0, found: false, data: null })
  answerOnce({ draft: null, draft_sequence: 4 })
  expect(await get()).toMatchObject({ sequence: 4, found: false, data: null })
})

describe('a known sequence', () => {
  it('is compared with the stored one', async () => {
    save({ reply: 'Once' }, 2)
    expect(await get({ sequence: 2 })).toMatchObject({ sequence: 2, sequence_matches: true })
    expect(await get({ sequence: 1 })).toMatchObject({ sequence: 2, sequence_matches: false, found: true })
    expect(await get({ draft_key: 'topic_7', sequence: 1 })).toMatchObject({ sequence_matches: false, found: false })
  })

  it('does not reach the forum, which may fail over it', async () => {
    await get({ sequence: 1 })
    expect(server.requests.map(({ path }) => path)).toEqual(['/drafts/new_topic.json'])
  })
})

it('asks for a key as it is, whatever is in it', async () => {
  answerOnce({ draft: null, draft_sequence: 0 })
  await get({ draft_key: 'a/../b?c' })
  expect(server.requests[0]!.path).toBe('/drafts/a%2F..%2Fb%3Fc.json')
})

describe('failures', () => {
  it('are readers whom the forum does not know', async () => {
    const reading = readWith(getDraftTool(), { draft_key: 'new_topic' }, testCall(server.base))
    await expect(reading).rejects.toMatchObject({ code: 'not_authenticated' })
  })

  it.each([{}, [], { draft: 'no JSON', draft_sequence: 1 }, { draft: '[]', draft_sequence: 1 }])(
    'are answers that are no draft: %j',
    async (json) => {
      answerOnce(json)
      await expect(get()).rejects.toMatchObject({ code: 'unexpected_response' })
    },
  )

  it.each([{ draft_key: '' }, { draft_key: 'x'.repeat(41) }, { sequence: -1 }, { key: 'new_topic' }])(
    'are arguments like %j',
    async (args) => {
      await expect(get(args)).rejects.toThrow()
      expect(server.requests).toEqual([])
    },
  )
})
