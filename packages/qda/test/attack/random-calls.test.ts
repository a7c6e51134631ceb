import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CodedProject, openCodedProject } from '../support/coded-project.js'
import type { TestAnswer } from '../support/whole-qda.js'
import { projectState, sideState } from './support/project-state.js'

const sessions = [
  { session: 'one', principal: 'agent:one' },
  { session: 'two', principal: 'agent:two' },
] as const

type Step = readonly [tool: string, args: { readonly [key: string]: unknown }]

const id = fc.constantFrom(1, 1, 1, 2, 2, 2, 3, 3, 4, 5)
const name = fc.constantFrom('Hope', 'hope', 'Grief', 'ÉTÉ', 'e\u0301te\u0301', 'a  b', 'A b', 'text 1', '\u{1F600}')
const start = fc.integer({ min: -1, max: 8 })
const end = fc.integer({ min: 4, max: 12 })
const importance = fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined })
const operation = fc.record({
  code_id: id,
  source_id: id,
  start_position: start,
  end_position: end,
  importance,
})

const steps: readonly fc.Arbitrary<Step>[] = [
  fc.tuple(fc.constant('create_code'), fc.record({ name, parent_code_id: fc.option(id, { nil: undefined }) })),
  fc.tuple(fc.constant('create_category'), fc.record({ name, parent_id: fc.option(id, { nil: undefined }) })),
  fc.tuple(
    fc.constant('update_code'),
    fc.record({ code_id: id, name, category_id: fc.option(id, { nil: undefined }) }),
  ),
  fc.tuple(fc.constant('update_code'), fc.record({ code_id: id, parent_code_id: id })),
  fc.tuple(fc.constant('update_category'), fc.record({ category_id: id, parent_id: id })),
  fc.tuple(
    fc.constant('add_text_source'),
    fc.record({ name, content: fc.constantFrom('A\u{1F600}b\r\nc', 'Ada: one\nBob: two') }),
  ),
  fc.tuple(fc.constant('create_folder'), fc.record({ name, parent_id: fc.option(id, { nil: undefined }) })),
  fc.tuple(fc.constant('rename_folder'), fc.record({ folder_id: id, new_name: name })),
  fc.tuple(fc.constant('delete_folder'), fc.record({ folder_id: id })),
  fc.tuple(fc.constant('move_source_to_folder'), fc.record({ source_id: id, folder_id: fc.option(id) })),
  fc.tuple(
    fc.constant('batch_apply_codes'),
    fc.record({ operations: fc.array(operation, { minLength: 1, maxLength: 4 }) }),
  ),
  fc.tuple(
    fc.constant('batch_apply_codes'),
    fc.record({ operations: fc.array(operation, { minLength: 1, maxLength: 4 }) }),
  ),
  fc.tuple(fc.constant('remove_coding'), fc.record({ segment_id: id, confirm: fc.constant(true) })),
  fc.tuple(
    fc.constant('set_memo'),
    fc.record({ kind: fc.constantFrom('code', 'coding', 'source', 'project'), id, memo: name, append: fc.boolean() }),
  ),
  fc.tuple(fc.constant('add_journal'), fc.record({ name, content: name })),
  fc.tuple(
    fc.constant('auto_code_pattern'),
    fc.record({ code_id: id, pattern: fc.constantFrom('e', 'a', '\u{1F600}'), confirm: fc.constant(true) }),
  ),
  fc.tuple(fc.constant('auto_code_speaker'), fc.record({ min_turns: fc.constant(1), confirm: fc.constant(true) })),
  fc.tuple(
    fc.constant('merge_codes'),
    fc.record({ source_code_id: id, target_code_id: id, confirm: fc.constant(true) }),
  ),
  fc.tuple(
    fc.constant('delete_code'),
    fc.record({ code_id: id, confirm: fc.constant(true), subcodes: fc.constantFrom('move_up', 'delete') }),
  ),
  fc.tuple(fc.constant('remove_source'), fc.record({ source_id: id, confirm: fc.constant(true) })),
]

const undo: fc.Arbitrary<Step> = fc.tuple(fc.constant('undo'), fc.record({ nth: fc.nat(20) }))
const callOf = (kinds: readonly fc.Arbitrary<Step>[]) => fc.tuple(fc.nat(1), fc.oneof(...kinds))

describe('calls of two sessions in any order', () => {
  it.each([
    ['undone in reverse leave it as it was', steps],
    ['undone out of turn leave no row behind that belongs to nothing', [...steps, undo, undo]],
  ])(
    'keep the project whole, and %s',
    async (_, kinds) => {
      const property = fc.asyncProperty(
        fc.array(callOf(kinds), { minLength: 10, maxLength: 25, size: 'max' }),
        async (calls) => {
          await using project = await openCodedProject(['Ada: one \u{1F600} two\nBob: b', 'a\u0301 text \u200D'])
          const { qda, path } = project
          await qda.call('close_project')
          for (const caller of sessions) await qda.call('open_project', { path }, caller)
          await qda.call('create_folder', { name: 'First' }, sessions[0])
          const initial = stateOf(path)
          const done: { readonly id: string; readonly who: number }[] = []
          for (const [who, [tool, args]] of calls) {
            const answer =
              tool === 'undo'
                ? await undoNth(project, done, args['nth'] as number)
                : await qda.call(tool, args, sessions[who])
            if (answer === undefined) continue
            expect([tool, typeof answer['success'], answer['error_code'] ?? null]).not.toEqual([
              tool,
              'boolean',
              'INTERNAL',
            ])
            const changeSet = answer['data']?.['change_set_id']
            if (typeof changeSet === 'string') done.push({ id: changeSet, who: tool === 'undo' ? answer['who'] : who })
            await expectWhole(project)
          }
          for (const { id: changeSet, who } of done.toReversed()) {
            const answer = await qda.call('undo_change_set', { change_set_id: changeSet }, sessions[who])
            expect(answer).toMatchObject({ success: true })
          }
          await expectWhole(project)
          // What was undone out of turn can't all come back; else all of it does.
          if (!kinds.includes(undo)) expect(stateOf(path)).toEqual(initial)
          expect(qda.link.internalErrors).toEqual([])
        },
      )
      await fc.assert(property, { numRuns: 8, seed: 11 })
    },
    120_000,
  )
})

describe('an id that SQLite gives a second time', () => {
  it('brings no folder, importance or suggestion of the earlier row', async () => {
    await using project = await openCodedProject(['one'])
    const operations = [{ code_id: 1, source_id: 2, start_position: 0, end_position: 3, importance: 3 }]
    const source = { name: 'a', content: 'one two', origin: 'field' }
    await project.call('create_folder', { name: 'First' })
    await project.call('add_text_source', source)
    await project.call('move_source_to_folder', { source_id: 2, folder_id: 1 })
    await project.call('batch_apply_codes', { operations })
    const suggested = await project.call('suggest_source_metadata', { source_id: 2, language: 'en' })
    await project.call('remove_source', { source_id: 2, confirm: true })
    expect(await project.call('add_text_source', { ...source, name: 'b', origin: undefined })).toMatchObject({
      source_id: 2,
    })
    await project.call('batch_apply_codes', { operations: [{ ...operations[0], importance: undefined }] })
    const { sources } = (await project.call('list_sources'))['data']
    expect(sources).toContainEqual(expect.objectContaining({ id: 2, folder_id: null, origin: null }))
    const segments = (await project.call('list_segments_for_source', { source_id: 2 }))['data']
    expect(segments).toMatchObject([{ id: 1, importance: 0 }])
    const id = suggested['data'].suggestion_id
    const operator = { session: 'desk', principal: 'operator:olga', roles: ['operator'] } as const
    expect(await project.call('approve_suggestion', { id }, operator)).toMatchObject({ data: { status: 'stale' } })
  })
})

async function undoNth(
  { qda }: CodedProject,
  done: readonly { readonly id: string; readonly who: number }[],
  nth: number,
) {
  const { id: changeSet, who } = done[nth % Math.max(1, done.length)] ?? {}
  if (changeSet === undefined || who === undefined) return undefined
  const answer: TestAnswer = await qda.call('undo_change_set', { change_set_id: changeSet }, sessions[who])
  return { ...answer, who } as TestAnswer
}

/** A name that has once stood among the coders stays. */
function stateOf(path: string) {
  const { coder_names: _, ...rows } = projectState(path)
  return { ...rows, ...sideState(path) }
}

async function expectWhole({ qda, db }: CodedProject): Promise<void> {
  const codings = db.prepare('SELECT t.*, s.fulltext FROM code_text t LEFT JOIN source s ON s.id = t.fid').all() as {
    fulltext: string | null
    seltext: string
    pos0: number
    pos1: number
  }[]
  for (const { fulltext, seltext, pos0, pos1 } of codings)
    expect([...(fulltext ?? '')].slice(pos0, pos1).join('')).toBe(seltext)
  for (const [table, column] of [
    ['source', 'name'],
    ['code_name', 'name'],
    ['code_cat', 'name'],
    ['journal', 'name'],
  ]) {
    const names = db.prepare(`SELECT ${column} FROM ${table}`).pluck().all() as string[]
    const keys = names.map((each) =>
      each
        .normalize('NFC')
        .toLowerCase()
        .replace(table === 'code_name' ? /\s+/g : /$/, ' '),
    )
    expect([table, new Set(keys).size]).toEqual([table, keys.length])
  }
  const verified = await qda.call('verify_project', {}, sessions[0])
  expect(verified['data']).toMatchObject({ ok: true, issues: [] })
  const { folders } = await qda.call('list_folders', {}, sessions[0])
  const inFolders = folders.reduce((sum: number, folder: { source_count: number }) => sum + folder.source_count, 0)
  const { sources } = (await qda.call('list_sources', {}, sessions[0]))['data']
  const placed = sources.filter((source: { folder_id: number | null }) => source.folder_id !== null)
  expect(placed).toHaveLength(inFolders)
}
