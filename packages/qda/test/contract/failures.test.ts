import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'
import { contract } from './tool-contract.js'

let qda: QdaForTest
let path: string
beforeAll(async () => {
  qda = await openQdaForTest()
  path = await qda.openProject()
  for (const [tool, args] of [
    ['add_text_source', { name: 'N', content: 'We met at the well, and spoke of the well.' }],
    ['create_code', { name: 'Hope' }],
    ['create_code', { name: 'Fear', parent_code_id: 1 }],
    ['create_folder', { name: 'Full' }],
    ['create_folder', { name: 'Outer' }],
    ['create_folder', { name: 'Inner', parent_id: 2 }],
    ['move_source_to_folder', { source_id: 1, folder_id: 1 }],
    ['create_category', { name: 'Moods' }],
    ['batch_apply_codes', { operations: [operation(0, 6)] }],
  ] as const) {
    const answer = await qda.call(tool, args)
    if (!answer['success']) throw new Error(`${tool}: ${answer['error']}`)
  }
})
afterAll(() => qda[Symbol.asyncDispose]())

const operation = (start_position: number, end_position: number, more: object = {}) => ({
  ...{ code_id: 1, source_id: 1, start_position, end_position },
  ...more,
})
const marked = (text: string) => expect.stringContaining(text)

describe('before a project is open', () => {
  const neverAsk = ['get_project_context', 'open_project', 'close_project']
  /** Enough that nothing is missing. */
  const given: { readonly [tool: string]: object } = {
    open_project: { path: '/nowhere.qda' },
    read_source_content: { source_id: 1 },
    navigate_to_segment: { source_id: 1, start_pos: 0, end_pos: 1 },
    suggest_source_metadata: { source_id: 1, language: 'en' },
    add_text_source: { name: 'a', content: 'b' },
    remove_source: { source_id: 1 },
    create_folder: { name: 'a' },
    rename_folder: { folder_id: 1, new_name: 'a' },
    delete_folder: { folder_id: 1 },
    move_source_to_folder: { source_id: 1 },
    get_code: { code_id: 1 },
    batch_apply_codes: { operations: [operation(0, 1)] },
    list_segments_for_source: { source_id: 1 },
    create_code: { name: 'a' },
    update_code: { code_id: 1 },
    delete_code: { code_id: 1 },
    merge_codes: { source_code_id: 1, target_code_id: 2 },
    remove_coding: { segment_id: 1 },
    auto_code_pattern: { code_id: 1, pattern: 'a' },
  }

  it.each(Object.keys(contract).filter((tool) => !neverAsk.includes(tool)))('%s says so', async (tool) => {
    expect(await qda.call(tool, given[tool], { session: 'new' })).toEqual({
      ...{ success: false, error: 'No project open', error_code: 'NO_PROJECT' },
      suggestions: ['Call open_project with the path of a .qda folder.'],
    })
  })

  it.each(neverAsk)('%s does not ask for one', async (tool) => {
    const { error_code } = await qda.call(tool, given[tool], { session: 'new' })
    expect(error_code).not.toBe('NO_PROJECT')
  })

  it.each(Object.entries(contract).filter(([, { requires }]) => requires.length > 0))(
    '%s looks at its arguments first, and names the one that is missing, null or empty',
    async (tool, { takes, requires }) => {
      for (const missing of requires) {
        const empty = takes[missing]!.type === 'string' ? [''] : []
        for (const value of [undefined, null, ...empty]) {
          const answer = await qda.call(tool, { ...given[tool], [missing]: value }, { session: 'new' })
          expect(answer, `${missing} ${value}`).toMatchObject({
            ...{ success: false, error: `Missing required parameter: ${missing}`, error_code: 'MISSING_PARAMETER' },
          })
        }
      }
    },
  )

  it('a name of blanks is none', async () => {
    for (const [tool, args] of [
      ['add_text_source', { name: ' \t', content: 'b' }],
      ['create_folder', { name: '  ' }],
      ['create_code', { name: ' ' }],
    ] as const)
      expect(await qda.call(tool, args)).toMatchObject({ error: 'Missing required parameter: name' })
  })
})

describe('refused are, in these words', () => {
  const cases: readonly (readonly [tool: string, args: object, code: string, text: unknown])[] = [
    ['get_code', { code_id: 9 }, 'CODE_NOT_FOUND', 'Code 9 not found'],
    ['update_code', { code_id: 9, name: 'a' }, 'CODE_NOT_FOUND', 'Code 9 not found'],
    ['delete_code', { code_id: '9' }, 'CODE_NOT_FOUND', 'Code 9 not found'],
    ['merge_codes', { source_code_id: 9, target_code_id: 1 }, 'CODE_NOT_FOUND', 'Code 9 not found'],
    ['auto_code_pattern', { code_id: 9, pattern: 'a' }, 'CODE_NOT_FOUND', 'Code 9 not found'],
    ['read_source_content', { source_id: 9 }, 'SOURCE_NOT_FOUND', 'Source 9 not found'],
    ['navigate_to_segment', { source_id: 9, start_pos: 0, end_pos: 1 }, 'SOURCE_NOT_FOUND', 'Source 9 not found'],
    ['suggest_source_metadata', { source_id: 9, language: 'en' }, 'SOURCE_NOT_FOUND', 'Source 9 not found'],
    ['remove_source', { source_id: 9 }, 'SOURCE_NOT_FOUND', 'Source 9 not found'],
    ['move_source_to_folder', { source_id: 9 }, 'SOURCE_NOT_FOUND', 'Source 9 not found'],
    ['list_segments_for_source', { source_id: 9 }, 'SOURCE_NOT_FOUND', 'Source 9 not found'],
    ['auto_code_speaker', { source_ids: [9] }, 'SOURCE_NOT_FOUND', 'Source 9 not found'],
    ...[{ start_pos: -1 }, { start_pos: 43 }, { start_pos: 5, end_pos: 4 }].map(
      (range) => ['read_source_content', { source_id: 1, ...range }, 'INVALID_POSITION', marked('length 42')] as const,
    ),
    ['navigate_to_segment', { source_id: 1, start_pos: 0, end_pos: 43 }, 'INVALID_POSITION', marked('length 42')],
    [
      'add_text_source',
      { name: 'n', content: 'b' },
      'SOURCE_NOT_ADDED/DUPLICATE_NAME',
      "Source with name 'n' already exists",
    ],
    ['add_text_source', { name: 'a/b', content: 'b' }, 'SOURCE_NOT_ADDED/INVALID_NAME', marked('The name')],
    ['add_text_source', { name: 'a', content: 'b\0' }, 'INVALID_CONTENT', marked('NUL')],
    ['create_folder', { name: 'FULL' }, 'FOLDER_NOT_CREATED/DUPLICATE_NAME', marked('already exists')],
    ['create_folder', { name: 'a/b' }, 'FOLDER_NOT_CREATED/INVALID_NAME', marked('The name')],
    ['create_folder', { name: 'a', parent_id: 9 }, 'FOLDER_NOT_CREATED/PARENT_NOT_FOUND', marked('9')],
    [
      'rename_folder',
      { folder_id: 1, new_name: 'outer' },
      'FOLDER_NOT_RENAMED/DUPLICATE_NAME',
      marked('already exists'),
    ],
    ['rename_folder', { folder_id: 9, new_name: 'a' }, 'FOLDER_NOT_FOUND', 'Folder 9 not found'],
    ['delete_folder', { folder_id: 1 }, 'FOLDER_NOT_DELETED/HAS_SOURCES', marked('source')],
    ['delete_folder', { folder_id: 2 }, 'FOLDER_NOT_DELETED/HAS_SUBFOLDERS', marked('folder')],
    ['delete_folder', { folder_id: 9 }, 'FOLDER_NOT_FOUND', 'Folder 9 not found'],
    ['move_source_to_folder', { source_id: 1, folder_id: 9 }, 'FOLDER_NOT_FOUND', 'Folder 9 not found'],
    ['create_code', { name: ' HOPE' }, 'CODE_NOT_CREATED/DUPLICATE_NAME', "Code with name 'HOPE' already exists"],
    ['create_code', { name: 'x'.repeat(101) }, 'CODE_NOT_CREATED/INVALID_NAME', marked('100')],
    ['create_code', { name: 'a', color: 'red' }, 'CODE_NOT_CREATED/INVALID_COLOR', marked('#RRGGBB')],
    ['create_code', { name: 'a', category_id: 9 }, 'CATEGORY_NOT_FOUND', 'Category 9 not found'],
    ['create_code', { name: 'a', category_id: 1, parent_code_id: 1 }, 'INVALID_ARGUMENT', marked('category_id')],
    ['update_code', { code_id: 2, name: 'hope' }, 'CODE_NOT_UPDATED/DUPLICATE_NAME', marked('already exists')],
    ['update_code', { code_id: 1, parent_code_id: 2 }, 'CODE_NOT_UPDATED/CYCLE', marked('below')],
    ['merge_codes', { source_code_id: 1, target_code_id: 1 }, 'CODES_NOT_MERGED/SAME_CODE', marked('itself')],
    ['merge_codes', { source_code_id: 1, target_code_id: 2 }, 'CODES_NOT_MERGED/CYCLE', marked('below')],
    ['remove_coding', { segment_id: 9 }, 'SEGMENT_NOT_FOUND', 'Segment 9 not found'],
    ['auto_code_pattern', { code_id: 1, pattern: '(', match: 'regex' }, 'INVALID_PATTERN', marked('group')],
    ['suggest_source_metadata', { source_id: 1 }, 'INVALID_ARGUMENT', marked('Give language')],
    ['list_sources', { source_type: 'word' }, 'INVALID_ARGUMENT', marked('source_type')],
    ['read_source_content', { source_id: 'one' }, 'INVALID_ARGUMENT', marked('source_id')],
    ['batch_apply_codes', { operations: [] }, 'BATCH_APPLY_CODES/EMPTY_BATCH', marked('empty')],
    ['batch_apply_codes', { operations: [operation(0, 43)] }, 'BATCH_APPLY_CODES/ALL_FAILED', marked('length 42')],
    [
      'batch_apply_codes',
      { mode: 'all_or_nothing', operations: [operation(7, 9), operation(0, 43)] },
      'BATCH_APPLY_CODES/ROLLED_BACK',
      marked('1'),
    ],
    ['open_project', { path: 'relative.qda' }, 'PROJECT_NOT_OPENED/INVALID_PATH', marked('absolute')],
    ['open_project', { path: '/nowhere/at/all.qda' }, 'PROJECT_NOT_OPENED/NOT_FOUND', marked('/nowhere/at/all.qda')],
  ]

  it.each(cases)('%s %j: %s', async (tool, args, error_code, error) => {
    const answer = await qda.call(tool, args)
    expect(answer).toMatchObject({ success: false, error, error_code })
    expect(answer['error_code']).not.toMatch(/^(\w+)\/\1/)
  })

  it.each(Object.keys(contract))('%s: an argument that there is not, by its name', async (tool) => {
    const { requires, takes } = contract[tool]!
    const values = { integer: 1, string: 'a', array: [] } as { readonly [type: string]: unknown }
    const given = Object.fromEntries(requires.map((name) => [name, values[takes[name]!.type]]))
    expect(await qda.call(tool, { ...given, dry_runn: true })).toMatchObject({
      ...{ success: false, error_code: 'INVALID_ARGUMENT', error: marked('dry_runn') },
      details: { path: 'dry_runn' },
    })
  })
})

describe('a batch tells of each operation', () => {
  it('what went wrong, also where nothing went well', async () => {
    const wrong = [
      operation(0, 43),
      operation(6, 6),
      operation(-1, 2),
      operation(0, 1, { code_id: 9 }),
      operation(0, 1, { source_id: 9 }),
      operation(0, 1, { importance: 4 }),
      { code_id: 1 },
      'nonsense',
    ]
    const { success, error_code, data } = await qda.call('batch_apply_codes', { operations: wrong })
    expect({ success, error_code }).toEqual({ success: false, error_code: 'BATCH_APPLY_CODES/ALL_FAILED' })
    expect(data).toMatchObject({ total: 8, succeeded: 0, failed: 8, all_succeeded: false })
    const rows = data.results.map((row: Record<string, unknown>) => [row['index'], row['success'], row['error_code']])
    expect(rows).toEqual([
      [0, false, 'INVALID_POSITION'],
      [1, false, 'INVALID_POSITION'],
      [2, false, 'INVALID_POSITION'],
      [3, false, 'CODE_NOT_FOUND'],
      [4, false, 'SOURCE_NOT_FOUND'],
      [5, false, 'INVALID_OPERATION'],
      [6, false, 'INVALID_OPERATION'],
      [7, false, 'INVALID_OPERATION'],
    ])
    expect(data.results[0].error).toBe('Position [0:43] invalid for source of length 42')
    for (const row of data.results) expect(row).not.toHaveProperty('segment_id')
  })

  it('of one that is taken back, that it was', async () => {
    const operations = [operation(7, 9), operation(0, 43)]
    const { data } = await qda.call('batch_apply_codes', { operations, mode: 'all_or_nothing' })
    expect(data).toMatchObject({
      ...{ total: 2, succeeded: 0, failed: 2, all_succeeded: false },
      results: [
        { success: false, error_code: 'ROLLED_BACK' },
        { success: false, error_code: 'INVALID_POSITION' },
      ],
    })
    expect(qda.db(path).prepare('SELECT count(*) AS n FROM code_text').get()).toEqual({ n: 1 })
  })
})

describe('both spellings of a position', () => {
  it('are taken everywhere', async () => {
    const page = await qda.call('read_source_content', { source_id: '1', start_position: 7, end_position: 9 })
    expect(page['data']).toMatchObject({ content: 'at', start_pos: 7, end_pos: 9, source_id: 1 })
    const place = { source_id: 1, start_position: 0, end_position: 2 }
    expect((await qda.call('navigate_to_segment', place))['success']).toBe(true)
    const operations = [{ code_id: '1', source_id: '1', start_pos: 0, end_pos: 6 }]
    const { data } = await qda.call('batch_apply_codes', { operations })
    expect(data.results).toMatchObject([{ segment_id: 1, created: false }])
  })

  it('must say the same', async () => {
    const place = { source_id: 1, start_pos: 0, start_position: 1, end_pos: 2 }
    expect(await qda.call('navigate_to_segment', place)).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
    expect(await qda.call('read_source_content', place)).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
  })
})
