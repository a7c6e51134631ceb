import { describe, expect, it } from 'vitest'
import { saveDraftTool } from '../../src/tools/save-draft-tool.js'
import { keyCredential } from '../support/test-call.js'
import { openWriteRig, type WriteRig } from '../support/write-rig.js'

const tool = saveDraftTool()
const args = { draft_key: 'new_topic', reply: 'There were bees, and' }

function storedData(rig: WriteRig, key = 'new_topic', username = 'ada') {
  const draft = rig.server.forum.drafts.find(rig.server.forum.users.find(username)!, key)
  return draft === undefined ? undefined : JSON.parse(draft.data)
}

it('saves, and saves again with the sequence that it gave', async () => {
  await using rig = await openWriteRig()
  const first = await rig.write(tool, { ...args, title: 'Bees', category_id: 1, tags: ['bees'] })
  expect(first).toEqual({ draft_key: 'new_topic', sequence: 0, saved: true, outcome: 'done' })
  expect(storedData(rig)).toEqual({
    reply: args.reply,
    action: 'createTopic',
    title: 'Bees',
    categoryId: 1,
    tags: ['bees'],
  })
  const second = await rig.write(tool, { ...args, reply: 'More.', sequence: first.sequence })
  expect(second).toMatchObject({ sequence: 1, saved: true })
  expect(await rig.write(tool, { ...args, reply: 'Most.', sequence: 1 })).toMatchObject({ sequence: 2 })
})

describe('what it is for', () => {
  it('is what its key says, unless the call says it', async () => {
    await using rig = await openWriteRig()
    const topic = rig.server.forum.addTopic({ title: 'Bees in the mill', username: 'bob', raw: 'There are bees.' })
    const key = `topic_${topic.id}`
    const actionOf = async (draft_key: string, action = {}) => {
      const sequence = rig.server.forum.drafts.sequence(rig.server.forum.users.find('ada')!, draft_key)
      await rig.write(tool, { ...args, draft_key, sequence, ...action })
      return storedData(rig, draft_key)
    }
    expect(await actionOf('new_private_message')).toEqual({ reply: args.reply, action: 'privateMessage' })
    expect(await actionOf('new_topic_1767225600')).toEqual({ reply: args.reply, action: 'createTopic' })
    expect(await actionOf(key)).toEqual({ reply: args.reply, action: 'reply', topic_id: topic.id })
    expect(await actionOf(key, { action: 'edit' })).toMatchObject({ action: 'edit', topic_id: topic.id })
  })
})

it('is not stored for a bot, whatever the forum says', async () => {
  await using rig = await openWriteRig()
  const credential = keyCredential(rig.server.keys.admin)
  const failure = await rig.refusal(tool, args, { credential })
  expect(failure).toMatchObject({ code: 'not_stored', details: { outcome: 'rejected' } })
})

it('is not stored where another text is found there', async () => {
  await using rig = await openWriteRig()
  const draft = JSON.stringify({ reply: 'Not this one.' })
  rig.server.fault({ on: /^GET \/drafts/, kind: 'status', status: 200, json: { draft, draft_sequence: 4 } })
  const failure = await rig.refusal(tool, args)
  expect(failure).toMatchObject({ code: 'not_stored', details: { outcome: 'rejected', current_sequence: 4 } })
})

it('is a conflict with another sequence, and tells the right one', async () => {
  await using rig = await openWriteRig()
  await rig.write(tool, args)
  await rig.write(tool, { ...args, reply: 'More.' })
  const failure = await rig.refusal(tool, { ...args, reply: 'Most.', sequence: 0 })
  expect(failure).toMatchObject({
    code: 'conflict',
    details: { outcome: 'rejected', status: 409, current_sequence: 1 },
  })
  expect(storedData(rig).reply).toBe('More.')
})

it('says that there are too many', async () => {
  await using rig = await openWriteRig()
  rig.server.forum.drafts.perUserMax = 1
  await rig.write(tool, args)
  const failure = await rig.refusal(tool, { ...args, draft_key: 'new_private_message' })
  expect(failure).toMatchObject({ code: 'forbidden', details: { outcome: 'rejected' } })
  expect(failure.message).toContain('Delete some of them')
  expect(failure.details.hint).toContain('too many drafts')
})

it('has no hint about drafts where the user may not write at all', async () => {
  await using rig = await openWriteRig()
  const json = { errors: ['You are not permitted to view the requested resource.'], error_type: 'invalid_access' }
  rig.server.fault({ on: /^POST/, kind: 'status', status: 403, json })
  const failure = await rig.refusal(tool, args)
  expect(failure).toMatchObject({ code: 'forbidden' })
  expect(failure.details.hint).toBeUndefined()
})

it('is found where the answer was lost', async () => {
  await using rig = await openWriteRig()
  rig.server.fault({ on: /^POST/, kind: 'cut' })
  expect(await rig.write(tool, args)).toMatchObject({ saved: true, sequence: 0, recovered: true })
  rig.server.fault({ on: /^POST/, kind: 'drop' })
  expect(await rig.refusal(tool, { ...args, reply: 'More.' })).toMatchObject({ code: 'outcome_unknown' })
})

it('is looked for again where it could not be read right after', async () => {
  await using rig = await openWriteRig()
  rig.server.fault({ on: /^GET \/drafts/, kind: 'status', status: 404, json: { errors: ['no'] } })
  expect(await rig.write(tool, args)).toMatchObject({ saved: true, recovered: true })
})
