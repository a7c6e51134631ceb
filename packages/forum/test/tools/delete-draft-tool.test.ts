import { expect, it } from 'vitest'
import { deleteDraftTool } from '../../src/tools/delete-draft-tool.js'
import { saveDraftTool } from '../../src/tools/save-draft-tool.js'
import { keyCredential } from '../support/test-call.js'
import { openWriteRig, type WriteRig } from '../support/write-rig.js'

const tool = deleteDraftTool()
const draft = { draft_key: 'new_topic', reply: 'There were bees, and' }

const asMayor = (rig: WriteRig) => ({ credential: keyCredential(rig.server.keys.adminAs('mayor')) })

it('deletes with an admin key, which says whose draft it is', async () => {
  await using rig = await openWriteRig()
  await rig.write(saveDraftTool(), draft, asMayor(rig))
  const answer = await rig.write(tool, { draft_key: 'new_topic', sequence: 0 }, asMayor(rig))
  expect(answer).toEqual({ draft_key: 'new_topic', deleted: true, outcome: 'done' })
  expect(rig.server.forum.drafts.all).toEqual([])
  expect(rig.server.seen(/^DELETE/)[0]!.path).toBe('/drafts/new_topic.json?sequence=0&username=mayor')
})

it('deletes with a user’s own key', async () => {
  await using rig = await openWriteRig()
  const credential = keyCredential(rig.server.keys.user('bob'))
  await rig.write(saveDraftTool(), draft, { credential })
  expect(await rig.write(tool, { draft_key: 'new_topic', sequence: 0 }, { credential })).toMatchObject({
    deleted: true,
  })
  expect(rig.server.seen(/^DELETE/)[0]!.path).toBe('/drafts/new_topic.json?sequence=0')
})

it('is a conflict with another sequence, though the forum says it is done', async () => {
  await using rig = await openWriteRig()
  await rig.write(saveDraftTool(), draft, asMayor(rig))
  const failure = await rig.refusal(tool, { draft_key: 'new_topic', sequence: 7 }, asMayor(rig))
  expect(failure).toMatchObject({ code: 'conflict', details: { outcome: 'rejected', current_sequence: 0 } })
  expect(rig.server.forum.drafts.all.length).toBe(1)
  expect(await rig.write(tool, { draft_key: 'new_topic', sequence: 0 }, asMayor(rig))).toMatchObject({ deleted: true })
})

it('says that one is absent which was never there', async () => {
  await using rig = await openWriteRig()
  expect(await rig.write(tool, { draft_key: 'topic_5', sequence: 0 }, asMayor(rig))).toMatchObject({ deleted: true })
})

it('is forbidden to an admin key that acts as somebody else than an admin', async () => {
  await using rig = await openWriteRig()
  await rig.write(saveDraftTool(), draft)
  const failure = await rig.refusal(tool, { draft_key: 'new_topic', sequence: 0 })
  expect(failure).toMatchObject({ code: 'forbidden', details: { outcome: 'rejected' } })
})

it('is found where the answer was lost, and unknown where it is still there', async () => {
  await using rig = await openWriteRig()
  await rig.write(saveDraftTool(), draft, asMayor(rig))
  const args = { draft_key: 'new_topic', sequence: 0 }
  rig.server.fault({ on: /^DELETE/, kind: 'drop' })
  expect(await rig.refusal(tool, { ...args, idempotency_key: 'k1' }, asMayor(rig))).toMatchObject({
    code: 'outcome_unknown',
  })
  rig.server.fault({ on: /^DELETE/, kind: 'cut' })
  expect(await rig.write(tool, args, asMayor(rig))).toMatchObject({ deleted: true, recovered: true })
})
