import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest, type TestAnswer } from '../support/whole-qda.js'
import { kindOf, unmarked } from './kind-of.js'
import { answers, contract, operationContract, type ToolContract } from './tool-contract.js'

let announced: QdaForTest
beforeAll(async () => {
  announced = await openQdaForTest()
})
afterAll(() => announced[Symbol.asyncDispose]())

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema, looked into.
type Schema = any
const definitionOf = (name: string): Schema => announced.link.definitions.tools?.find((tool) => tool.name === name)
const typesOf = ({ type, anyOf }: Schema): readonly string[] =>
  (anyOf ?? [{ type }]).flatMap((each: Schema) => each.type)
const sorted = (names: readonly string[]) => [...names].sort()
const tools = Object.entries(contract)

describe('the arguments are the contract’s, and what is added may be left out:', () => {
  it.each(tools)('%s', (name, tool) => {
    expectSame(definitionOf(name).inputSchema, tool)
  })

  it('an operation of batch_apply_codes', () => {
    const { items } = definitionOf('batch_apply_codes').inputSchema.properties.operations
    expectSame(items, operationContract)
    expect(items.properties.importance).toMatchObject({ minimum: 0, maximum: 3 })
  })

  it('source_type is one of five', () => {
    const { source_type } = definitionOf('list_sources').inputSchema.properties
    expect(source_type.enum).toEqual(['text', 'audio', 'video', 'image', 'pdf'])
  })

  function expectSame({ type, properties, required = [] }: Schema, { takes, requires }: ToolContract): void {
    expect(type).toBe('object')
    expect(sorted(required)).toEqual(sorted(requires))
    const arguments_ = Object.entries(takes).map(([key, argument]) => [key.replace('+', ''), argument] as const)
    expect(sorted(Object.keys(properties))).toEqual(sorted(arguments_.map(([key]) => key)))
    for (const [key, argument] of arguments_) {
      expect(typesOf(properties[key]), key).toContain(argument.type)
      expect(properties[key].default, key).toEqual(argument.default)
    }
  }
})

/** A project with what the examples speak of: two texts, two codes, the first passage of the first text coded. */
async function openStudy(): Promise<QdaForTest & { readonly path: string }> {
  const qda = await openQdaForTest()
  const path = qda.makeProject('My Research')
  qda.db(path).exec("INSERT INTO cases (name, memo, owner, date) VALUES ('Participant A', '', 'ada', '2026-01-01')")
  const study = { ...qda, path, call: (tool: string, args?: object) => qda.call(tool, args, { principal: 'agent:a' }) }
  for (const [tool, args] of [
    ['open_project', { path }],
    [
      'add_text_source',
      { name: 'interview1.txt', content: 'Ann: I hope so.\nBob: I doubt it.\nAnn: We hope.\nBob: No.' },
    ],
    ['add_text_source', { name: 'notes.txt', content: 'Notes from the field.' }],
    ['create_code', { name: 'Anxiety', color: '#F7D358' }],
    ['create_code', { name: 'Coping', color: '#FAAC58' }],
    ['batch_apply_codes', { operations: [1, 2].map((code_id) => ({ ...passage, code_id })) }],
  ] as const) {
    const answer = await study.call(tool, args)
    if (!answer['success']) throw new Error(`${tool}: ${answer['error']}`)
  }
  return study
}

const passage = { code_id: 1, source_id: 1, start_position: 5, end_position: 15 }

/** Calls that come before the one that is looked at, and that one. */
type Calls = readonly (readonly [tool: string, args?: object])[]

const folder: Calls[number] = ['create_folder', { name: 'Interviews' }]

const examples: { readonly [example: string]: readonly [calls: Calls, values?: object] } = {
  get_project_context: [
    [['get_project_context']],
    { project_open: true, project_name: 'My Research', source_count: 2, case_count: 1 },
  ],
  'get_project_context, nothing open': [
    [['close_project'], ['get_project_context']],
    { project_open: false, source_count: 0, case_count: 0, pending_count: 0 },
  ],
  list_sources: [[['list_sources']], { count: 2 }],
  read_source_content: [
    [['read_source_content', { source_id: 2 }]],
    { source_name: 'notes.txt', content: 'Notes from the field.', start_pos: 0, end_pos: 21, has_more: false },
  ],
  navigate_to_segment: [
    [['navigate_to_segment', { source_id: 1, start_pos: 5, end_pos: 15 }]],
    { navigated_to: { source_id: 1, start_pos: 5, end_pos: 15, highlight: true }, delivered_to: 0 },
  ],
  suggest_source_metadata: [
    [['suggest_source_metadata', { source_id: 1, language: 'en', topics: ['hope'] }]],
    { suggested: { language: 'en', topics: ['hope'] }, status: 'pending_approval', requires_approval: true },
  ],
  open_project: [[['close_project'], ['open_project', {}]], { project_name: 'My Research', source_count: 2 }],
  close_project: [[['close_project']], { closed: true, project_name: 'My Research' }],
  'close_project, nothing open': [
    [['close_project'], ['close_project']],
    { closed: false, message: 'No project was open' },
  ],
  add_text_source: [
    [['add_text_source', { name: 'interview_01.txt', content: 'Straße', memo: 'first', origin: 'field notes' }]],
    { source_id: 3, name: 'interview_01.txt', type: 'text', status: 'imported', file_size: 7, total_length: 6 },
  ],
  remove_source: [
    [['remove_source', { source_id: 1 }]],
    {
      ...{ preview: true, source_name: 'interview1.txt', source_type: 'text', coded_segments_count: 2 },
      ...{ requires_approval: true, message: "This will delete source 'interview1.txt' and 2 coded segment(s)" },
    },
  ],
  'remove_source, confirmed': [
    [['remove_source', { source_id: 1, confirm: true }]],
    { removed: true, source_id: 1, source_name: 'interview1.txt', segments_removed: 2 },
  ],
  list_folders: [
    [folder, ['move_source_to_folder', { source_id: 1, folder_id: 1 }], ['list_folders']],
    { total_count: 1, folders: [{ id: 1, name: 'Interviews', parent_id: null, source_count: 1 }] },
  ],
  create_folder: [[folder], { folder_id: 1, name: 'Interviews', parent_id: null }],
  rename_folder: [
    [folder, ['rename_folder', { folder_id: 1, new_name: 'Transcripts' }]],
    { folder_id: 1, name: 'Transcripts' },
  ],
  delete_folder: [[folder, ['delete_folder', { folder_id: 1 }]], { folder_id: 1, name: 'Interviews' }],
  move_source_to_folder: [
    [folder, ['move_source_to_folder', { source_id: 2, folder_id: 1 }]],
    { source_id: 2, old_folder_id: null, new_folder_id: 1 },
  ],
  list_codes: [
    [['list_codes']],
    [
      { id: 1, name: 'Anxiety', color: '#F7D358', segment_count: 1 },
      { id: 2, name: 'Coping', color: '#FAAC58', segment_count: 1 },
    ],
  ],
  get_code: [
    [['get_code', { code_id: 1 }]],
    { id: 1, by_source: [{ source_id: 1, source_name: 'interview1.txt', count: 1 }] },
  ],
  batch_apply_codes: [
    [['batch_apply_codes', { operations: [{ ...passage, source_id: 2 }] }]],
    {
      ...{ total: 1, succeeded: 1, failed: 0, all_succeeded: true },
      results: [{ index: 0, success: true, segment_id: 3 }],
    },
  ],
  list_segments_for_source: [
    [['list_segments_for_source', { source_id: 1 }]],
    [
      { id: 1, code_id: 1, code_name: 'Anxiety', ...span(5, 15), selected_text: 'I hope so.', verified: 'exact' },
      { id: 2, code_id: 2, code_name: 'Coping', ...span(5, 15), selected_text: 'I hope so.', verified: 'exact' },
    ],
  ],
  create_code: [
    [['create_code', { name: 'Hope', color: '#f7d', memo: 'In the end' }]],
    { code_id: 3, name: 'Hope', color: '#FF77DD', memo: 'In the end', category_id: null, created: true },
  ],
  update_code: [
    [['update_code', { code_id: 1, name: 'Fear', memo: 'Of all kinds' }]],
    { code_id: 1, name: 'Fear', changed: ['name', 'memo'], old: { name: 'Anxiety', memo: null } },
  ],
  delete_code: [
    [['delete_code', { code_id: 1 }]],
    { preview: true, code_id: 1, name: 'Anxiety', segment_count: 1, requires_approval: true },
  ],
  'delete_code, confirmed': [
    [['delete_code', { code_id: 1, confirm: true }]],
    { deleted: true, code_id: 1, name: 'Anxiety', segments_removed: 1, subcodes_removed: 0 },
  ],
  merge_codes: [
    [['merge_codes', { source_code_id: 1, target_code_id: 2 }]],
    { preview: true, segments_to_move: 0, duplicates: 1, requires_approval: true },
  ],
  'merge_codes, confirmed': [
    [['merge_codes', { source_code_id: 1, target_code_id: 2, confirm: true }]],
    { source_name: 'Anxiety', target_name: 'Coping', segments_moved: 0, duplicates_merged: 1 },
  ],
  remove_coding: [
    [['remove_coding', { segment_id: 2 }]],
    { removed: true, segment_id: 2, code_id: 2, source_id: 1, ...span(5, 15), selected_text: 'I hope so.' },
  ],
  auto_code_pattern: [
    [['auto_code_pattern', { code_id: 1, pattern: 'HOPE' }]],
    {
      ...{ preview: true, total_matches: 2, already_coded: 0 },
      sources: [{ source_id: 1, source_name: 'interview1.txt', matches: 2 }],
      matches: [
        { index: 0, source_id: 1, ...span(7, 11), text: 'hope' },
        { index: 1, source_id: 1, ...span(41, 45), text: 'hope' },
      ],
    },
  ],
  'auto_code_pattern, confirmed': [
    [['auto_code_pattern', { code_id: 1, pattern: 'hope', confirm: true, scope: 'last' }]],
    { coded: 1, skipped_existing: 0, excluded: 0 },
  ],
  auto_code_speaker: [
    [['auto_code_speaker', {}]],
    {
      preview: true,
      speakers: [
        { label: 'Ann', turns: 2 },
        { label: 'Bob', turns: 2 },
      ],
    },
  ],
  'auto_code_speaker, confirmed': [
    [['auto_code_speaker', { confirm: true }]],
    { codes_created: 2, segments_created: 4, skipped_existing: 0 },
  ],
}

function span(start_position: number, end_position: number) {
  return { start_position, end_position }
}

describe('the answer has the contract’s keys and the marked ones, of these types:', () => {
  it('each tool of the contract is looked at', () => {
    const looked = new Set(Object.keys(examples).map((example) => example.split(',')[0]!))
    expect(sorted([...looked])).toEqual(sorted(Object.keys(contract)))
    expect(sorted(Object.keys(answers))).toEqual(sorted(Object.keys(examples)))
  })

  it.each(Object.entries(examples))('%s', async (example, [calls, values]) => {
    await using study = await openStudy()
    let answer: TestAnswer = {}
    for (const [tool, args] of calls)
      answer = await study.call(tool, tool === 'open_project' ? { path: study.path } : args)
    const { success, data, ...top } = answer
    expect(success, JSON.stringify(answer)).toBe(true)
    expect(kindOf(data)).toEqual(unmarked(answers[example]!))
    expect(top).toEqual(topOf(example, data))
    if (values !== undefined) expect(data).toMatchObject(values)
  })

  function topOf(example: string, data: object): object {
    const tool = example.split(',')[0]!
    if (contract[tool]!.isFlat === true) return data
    return tool === 'list_segments_for_source' ? { total_count: 2, next_cursor: null, media_codings: [] } : {}
  }
})
