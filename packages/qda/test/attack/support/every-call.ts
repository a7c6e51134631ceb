/** Ids that calls name: of rows that there are, and of some that there are not. */
export interface NamedIds {
  readonly source: number
  readonly code: number
  readonly otherCode: number
  readonly category: number
  readonly segment: number
  readonly journal: number
  readonly case: number
}

export type NamedCall = readonly [tool: string, args: { readonly [key: string]: unknown }]

/** One call of each reading tool, at least. */
export function everyRead({ source, code, category, segment, journal, case: caseId }: NamedIds): readonly NamedCall[] {
  return [
    ['get_project_context', {}],
    ['list_sources', {}],
    ['list_sources', { source_type: 'text' }],
    ['read_source_content', { source_id: source }],
    ['navigate_to_segment', { source_id: source, start_pos: 0, end_pos: 1 }],
    ['list_folders', {}],
    ['list_codes', {}],
    ['get_code', { code_id: code }],
    ['list_categories', {}],
    ['list_segments_for_source', { source_id: source }],
    ['list_segments_for_code', { code_id: code }],
    ['search_segments', { pattern: 'a' }],
    ['search_text', { pattern: 'a' }],
    ['search_text', { pattern: '[a-z]+', match: 'regex' }],
    ['get_memo', { kind: 'project' }],
    ['get_memo', { kind: 'source', id: source }],
    ['get_memo', { kind: 'code', id: code }],
    ['get_memo', { kind: 'category', id: category }],
    ['get_memo', { kind: 'case', id: caseId }],
    ['get_memo', { kind: 'coding', id: segment }],
    ['list_journals', {}],
    ['read_journal', { journal_id: journal }],
    ['code_cooccurrence', {}],
    ['code_cooccurrence', { mode: 'near', distance: 5 }],
    ['code_cooccurrence', { mode: 'source' }],
    ['coder_agreement', { coder_a: 'Ana', coder_b: 'AI Agent (main)' }],
    ['verify_project', {}],
    ['list_changes', {}],
    ['list_pending', {}],
  ]
}

/** One call of each writing tool, at least; the last ones remove what the first ones use. */
export function everyWrite(ids: NamedIds): readonly NamedCall[] {
  const { source, code, otherCode, category, segment, case: caseId } = ids
  return [
    ['create_code', { name: 'Made by an attack' }],
    ['update_code', { code_id: code, name: 'Renamed', color: '#ABCDEF', memo: 'other' }],
    ['create_category', { name: 'Made by an attack' }],
    ['update_category', { category_id: category, name: 'Renamed', memo: null }],
    ['add_text_source', { name: 'Made.txt', content: 'Ada: one\nBob: two\nAda: three\nBob: four' }],
    ['create_folder', { name: 'Made' }],
    ['rename_folder', { folder_id: 1, new_name: 'Renamed' }],
    ['move_source_to_folder', { source_id: source, folder_id: 1 }],
    ['move_source_to_folder', { source_id: source }],
    ['delete_folder', { folder_id: 1 }],
    ['suggest_source_metadata', { source_id: source, language: 'en' }],
    [
      'batch_apply_codes',
      { operations: [{ code_id: code, source_id: source, start_position: 0, end_position: 2, importance: 3 }] },
    ],
    ['suggest_codings', { source_id: source, items: [{ code_id: code, quote: 'one a' }] }],
    ['set_memo', { kind: 'project', memo: 'a memo' }],
    ['set_memo', { kind: 'source', id: source, memo: 'a memo', append: true }],
    ['set_memo', { kind: 'code', id: code, memo: 'a memo' }],
    ['set_memo', { kind: 'category', id: category, memo: 'a memo' }],
    ['set_memo', { kind: 'case', id: caseId, memo: 'a memo' }],
    ['set_memo', { kind: 'coding', id: segment, memo: 'a memo' }],
    ['add_journal', { name: 'Made', content: 'an entry' }],
    ['auto_code_pattern', { code_id: code, pattern: 'e', confirm: true }],
    ['auto_code_speaker', { confirm: true }],
    ['repair_positions', {}],
    ['remove_coding', { segment_id: segment, confirm: true }],
    ['merge_codes', { source_code_id: otherCode, target_code_id: code, confirm: true }],
    ['delete_code', { code_id: code, confirm: true, subcodes: 'delete' }],
    ['remove_source', { source_id: source, confirm: true, include_transcript: true }],
  ]
}
