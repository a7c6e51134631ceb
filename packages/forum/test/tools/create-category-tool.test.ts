import { expect, it } from 'vitest'
import { createCategoryTool } from '../../src/tools/create-category-tool.js'
import { keyCredential } from '../support/test-call.js'
import { openWriteRig, type WriteRig } from '../support/write-rig.js'

const tool = createCategoryTool()

const asMayor = (rig: WriteRig) => ({ credential: keyCredential(rig.server.keys.adminAs('mayor')) })

it('creates a category', async () => {
  await using rig = await openWriteRig()
  const parent = rig.server.forum.addCategory('Garden')
  const args = { name: 'Bees', color: 'a0B1c2', parent_category_id: parent.id, description: 'All that hums.' }
  const answer = await rig.write(tool, args, asMayor(rig))
  const category = rig.server.forum.boards.categories.at(-1)!
  expect(category).toMatchObject({ name: 'Bees', color: 'a0B1c2', textColor: 'FFFFFF', parentId: parent.id })
  expect(answer).toEqual({ id: category.id, slug: 'bees', name: 'Bees', outcome: 'done' })
})

it('takes colours of six digits alone', () => {
  const isGood = (color: string) => tool.input.safeParse({ name: 'Bees', color }).success
  expect(['a0B1c2', '#a0B1c', 'a0B1c', 'a0B1c22', 'a0B1cg', '#a0B1c2'].map(isGood)).toEqual([
    true,
    ...Array(5).fill(false),
  ])
})

it('is rejected for a name that is taken', async () => {
  await using rig = await openWriteRig()
  rig.server.forum.addCategory('Bees')
  const failure = await rig.refusal(tool, { name: 'Bees' }, asMayor(rig))
  expect(failure).toMatchObject({ code: 'rejected', details: { outcome: 'rejected' } })
  expect(failure.details.errors?.join()).toContain('taken')
})

it('finds by its name, and where it is, one that was lost', async () => {
  await using rig = await openWriteRig()
  const parent = rig.server.forum.addCategory('Garden')
  rig.server.fault({ on: /^POST/, kind: 'cut' })
  const answer = await rig.write(tool, { name: 'Bees', parent_category_id: parent.id }, asMayor(rig))
  expect(answer).toMatchObject({ id: rig.server.forum.boards.categories.at(-1)!.id, recovered: true })
  rig.server.fault({ on: /^POST/, kind: 'drop' })
  expect(await rig.refusal(tool, { name: 'Bees' }, asMayor(rig))).toMatchObject({ code: 'outcome_unknown' })
})
