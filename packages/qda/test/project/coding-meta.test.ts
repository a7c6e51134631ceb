import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CodedProject, openCodedProject } from '../support/coded-project.js'

let project: CodedProject

beforeEach(async () => {
  project = await openCodedProject(['The garden was quiet.'])
})

afterEach(() => project[Symbol.asyncDispose]())

async function importances(): Promise<number[]> {
  const { data } = await project.call('list_segments_for_source', { source_id: 1 })
  return data.map(({ importance }: { importance: number }) => importance)
}

const code = (importance: number, quote = 'garden') =>
  project.call('batch_apply_codes', { operations: [{ code_id: 1, source_id: 1, quote, importance }] })

describe('importance', () => {
  it.each([
    [0, null],
    [1, 1],
    [2, 1],
    [3, 1],
  ])('%i is marked in the original as %j', async (importance, important) => {
    await code(importance)
    expect(project.db.prepare('SELECT important FROM code_text').pluck().get()).toBe(important)
    expect(await importances()).toEqual([importance])
  })

  it('is what the original says where nothing else is known', async () => {
    project.coding({ at: [0, 3], text: 'The' })
    project.coding({ at: [4, 10], text: 'garden', important: 1 })
    expect(await importances()).toEqual([0, 1])
  })

  it('goes when a person takes the mark away', async () => {
    await code(3)
    project.db.exec('UPDATE code_text SET important = NULL')
    expect(await importances()).toEqual([0])
  })

  it('is not that of an earlier coding of the same id', async () => {
    await code(3)
    project.db.exec('DELETE FROM code_text')
    project.coding({ id: 1, at: [0, 3], text: 'The', important: 1 })
    expect(await importances()).toEqual([1])
  })

  it('of an earlier one is gone after the next write', async () => {
    await code(3)
    project.db.exec('DELETE FROM code_text')
    await code(2)
    project.db.exec(`ATTACH '${project.path}/callboard.sqlite' AS ours`)
    expect(project.db.prepare('SELECT row_id, importance FROM ours.coding_meta').all()).toEqual([
      { row_id: 1, importance: 2 },
    ])
  })
})
