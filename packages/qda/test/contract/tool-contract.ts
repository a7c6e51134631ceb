import type { Kind } from './kind-of.js'

/** A tool as the contract has it; what this worker adds is marked with `+`. */
export interface ToolContract {
  /** Each argument with its type and default; `+` in front: not in the contract, and never required. */
  readonly takes: { readonly [argument: string]: Argument }
  readonly requires: readonly string[]
  /** Its data also stands at the top of the answer. */
  readonly isFlat?: true
}

export interface Argument {
  readonly type: string
  readonly default?: unknown
}

const integer = { type: 'integer' }
const string = { type: 'string' }
const list = { type: 'array' }
const flag = { type: 'boolean', default: false }
const write = { '+dry_run': flag, '+request_id': string }
const previewed = { ...write, '+preview_token': string }
const confirm = { confirm: flag }

/** The eighteen that have schemas there. */
export const documented: { readonly [tool: string]: ToolContract } = {
  get_project_context: { takes: {}, requires: [] },
  list_sources: { takes: { source_type: string }, requires: [] },
  read_source_content: {
    takes: {
      source_id: integer,
      start_pos: { type: 'integer', default: 0 },
      end_pos: integer,
      max_length: { type: 'integer', default: 50_000 },
    },
    requires: ['source_id'],
  },
  navigate_to_segment: {
    takes: {
      ...{ source_id: integer, start_pos: integer, end_pos: integer, highlight: { type: 'boolean', default: true } },
      ...write,
    },
    requires: ['source_id', 'start_pos', 'end_pos'],
  },
  suggest_source_metadata: {
    takes: { source_id: integer, language: string, topics: list, organization_suggestion: string, ...write },
    requires: ['source_id'],
  },
  open_project: { takes: { path: string, ...write }, requires: ['path'], isFlat: true },
  close_project: { takes: write, requires: [], isFlat: true },
  add_text_source: {
    takes: { name: string, content: string, memo: string, origin: string, ...write },
    requires: ['name', 'content'],
    isFlat: true,
  },
  remove_source: {
    takes: { source_id: integer, ...confirm, '+include_transcript': flag, ...previewed },
    requires: ['source_id'],
    isFlat: true,
  },
  list_folders: { takes: {}, requires: [], isFlat: true },
  create_folder: { takes: { name: string, parent_id: integer, ...write }, requires: ['name'], isFlat: true },
  rename_folder: {
    takes: { folder_id: integer, new_name: string, ...write },
    requires: ['folder_id', 'new_name'],
    isFlat: true,
  },
  delete_folder: { takes: { folder_id: integer, ...write }, requires: ['folder_id'], isFlat: true },
  move_source_to_folder: {
    takes: { source_id: integer, folder_id: integer, ...write },
    requires: ['source_id'],
    isFlat: true,
  },
  list_codes: { takes: {}, requires: [] },
  get_code: { takes: { code_id: integer }, requires: ['code_id'] },
  batch_apply_codes: {
    takes: { operations: list, '+mode': { type: 'string', default: 'partial' }, ...write },
    requires: ['operations'],
  },
  list_segments_for_source: {
    takes: { source_id: integer, '+code_id': integer, '+limit': integer, '+cursor': string },
    requires: ['source_id'],
  },
}

/** The seven that it plans, of which it has the names alone. */
export const planned: { readonly [tool: string]: ToolContract } = {
  create_code: {
    takes: {
      ...{ name: string, color: string, memo: string, category_id: integer, parent_code_id: integer },
      on_duplicate: { type: 'string', default: 'error' },
      ...write,
    },
    requires: ['name'],
    isFlat: true,
  },
  update_code: {
    takes: {
      ...{ code_id: integer, name: string, color: string, memo: string, category_id: integer, parent_code_id: integer },
      ...write,
    },
    requires: ['code_id'],
    isFlat: true,
  },
  delete_code: {
    takes: { code_id: integer, subcodes: { type: 'string', default: 'move_up' }, ...confirm, ...previewed },
    requires: ['code_id'],
    isFlat: true,
  },
  merge_codes: {
    takes: { source_code_id: integer, target_code_id: integer, ...confirm, ...previewed },
    requires: ['source_code_id', 'target_code_id'],
    isFlat: true,
  },
  remove_coding: { takes: { segment_id: integer, ...confirm, ...previewed }, requires: ['segment_id'], isFlat: true },
  auto_code_pattern: {
    takes: {
      ...{ code_id: integer, pattern: string, case_sensitive: flag, source_ids: list, exclude: list },
      match: { type: 'string', default: 'literal' },
      scope: { type: 'string', default: 'all' },
      extend: { type: 'string', default: 'match' },
      '+cursor': string,
      ...confirm,
      ...previewed,
    },
    requires: ['code_id', 'pattern'],
    isFlat: true,
  },
  auto_code_speaker: {
    takes: {
      ...{ source_ids: list, formats: list, pattern: string, speakers: { type: 'object' }, include_label: flag },
      min_turns: { type: 'integer', default: 2 },
      category: { type: 'string', default: 'Speakers' },
      ...confirm,
      ...previewed,
    },
    requires: [],
    isFlat: true,
  },
}

export const contract = { ...documented, ...planned }

/** Of one operation of a batch. */
export const operationContract: ToolContract = {
  takes: {
    ...{ code_id: integer, source_id: integer, start_position: integer, end_position: integer },
    ...{ memo: string, importance: integer },
    ...{ '+quote': string, '+prefix': string, '+suffix': string, '+occurrence': integer },
    ...{ '+fuzzy': { type: 'boolean' }, '+text_hash': string },
  },
  // A quote does instead of the positions.
  requires: ['code_id', 'source_id'],
}

const written = { '+change_set_id': 'string' }
const preview = { preview: 'boolean', requires_approval: 'boolean', message: 'string', '+preview_token': 'string' }

const segment = {
  ...{ id: 'int', source_id: 'int', code_id: 'int', code_name: 'string', start_position: 'int', end_position: 'int' },
  ...{ selected_text: 'string', memo: 'null', importance: 'int', owner: 'string', created_at: 'string' },
  ...{ verified: 'string', '+raw_start': 'int', '+raw_end': 'int' },
}

const code = {
  ...{ id: 'int', name: 'string', color: 'string', segment_count: 'int' },
  ...{ '+memo': 'null', '+category_id': 'null', '+category_path': 'null' },
  ...{ '+parent_code_id': 'null', '+owner': 'string', '+created_at': 'string' },
}

const changedCode = {
  ...{ code_id: 'int', name: 'string', color: 'string', memo: 'string', category_id: 'null' },
  ...{ '+parent_code_id': 'null', '+warnings': [] },
  ...written,
}

/** `data` of what each example of the tests answers. */
export const answers: { readonly [example: string]: Kind } = {
  get_project_context: {
    ...{ project_open: 'boolean', project_name: 'string', project_path: 'string', source_count: 'int' },
    sources: [{ id: 'int', name: 'string', type: 'string', '+status': 'string', '+folder_id': 'null' }],
    case_count: 'int',
    cases: [{ id: 'int', name: 'string' }],
    ...{
      '+coder_name': 'string',
      '+coders': ['string'],
      '+schema_version': 'int',
      '+read_only': 'boolean',
      '+pending_count': 'int',
    },
  },
  'get_project_context, nothing open': {
    ...{ project_open: 'boolean', project_name: 'null', project_path: 'null', source_count: 'int', sources: [] },
    ...{ case_count: 'int', cases: [] },
    ...{
      '+coder_name': 'null',
      '+coders': [],
      '+schema_version': 'null',
      '+read_only': 'null',
      '+pending_count': 'int',
    },
  },
  list_sources: {
    count: 'int',
    sources: [
      {
        ...{ id: 'int', name: 'string', type: 'string', status: 'string', memo: 'null', origin: 'null' },
        ...{ folder_id: 'null', file_size: 'int', total_length: 'int', code_count: 'int' },
        transcript_source_id: 'null',
      },
    ],
  },
  read_source_content: {
    ...{ source_id: 'int', source_name: 'string', content: 'string', start_pos: 'int', end_pos: 'int' },
    ...{ total_length: 'int', has_more: 'boolean', '+text_hash': 'string' },
  },
  navigate_to_segment: {
    navigated_to: { source_id: 'int', start_pos: 'int', end_pos: 'int', highlight: 'boolean' },
    ...{ delivered_to: 'int', current_screen: 'null' },
  },
  suggest_source_metadata: {
    ...{ suggestion_id: 'string', source_id: 'int', source_name: 'string' },
    suggested: { language: 'string', topics: ['string'] },
    ...{ status: 'string', requires_approval: 'boolean' },
    '+change_set_id': 'null',
  },
  open_project: {
    ...{ project_name: 'string', project_path: 'string', source_count: 'int' },
    ...{ '+schema_version': 'int', '+read_only': 'boolean', '+read_only_reason': 'null', '+warnings': ['string'] },
  },
  close_project: { closed: 'boolean', project_name: 'string' },
  'close_project, nothing open': { closed: 'boolean', message: 'string' },
  add_text_source: {
    ...{ source_id: 'int', name: 'string', type: 'string', status: 'string', file_size: 'int' },
    ...{ '+total_length': 'int', '+text_hash': 'string', '+normalized': 'boolean' },
    ...written,
  },
  remove_source: {
    ...{ source_id: 'int', source_name: 'string', source_type: 'string', coded_segments_count: 'int' },
    ...{ '+by_owner': { 'AI Agent (a)': 'int' }, '+case_links': 'int', '+annotations': 'int' },
    '+transcript_source_id': 'null',
    ...preview,
  },
  'remove_source, confirmed': {
    ...{ removed: 'boolean', source_id: 'int', source_name: 'string', segments_removed: 'int' },
    ...{ '+source_type': 'string', '+transcript_source_id': 'null' },
    ...written,
  },
  list_folders: {
    total_count: 'int',
    folders: [{ id: 'int', name: 'string', parent_id: 'null', source_count: 'int' }],
  },
  create_folder: { folder_id: 'int', name: 'string', parent_id: 'null', ...written },
  rename_folder: { folder_id: 'int', name: 'string', '+changed': 'boolean', ...written },
  delete_folder: { folder_id: 'int', name: 'string', ...written },
  move_source_to_folder: { source_id: 'int', old_folder_id: 'null', new_folder_id: 'int', ...written },
  list_codes: [code],
  get_code: {
    ...code,
    '+children': [],
    '+by_source': [{ source_id: 'int', source_name: 'string', count: 'int' }],
  },
  batch_apply_codes: {
    ...{ total: 'int', succeeded: 'int', failed: 'int', all_succeeded: 'boolean' },
    results: [{ index: 'int', success: 'boolean', segment_id: 'int', '+created': 'boolean', '+overlaps': [] }],
    ...written,
  },
  list_segments_for_source: [segment],
  create_code: { ...changedCode, created: 'boolean', '+warnings': ['string'] },
  update_code: { ...changedCode, changed: ['string'], old: { name: 'string', memo: 'null' } },
  delete_code: {
    ...{ code_id: 'int', name: 'string', segment_count: 'int', by_owner: { 'AI Agent (a)': 'int' }, subcodes: [] },
    ...preview,
  },
  'delete_code, confirmed': {
    ...{ deleted: 'boolean', code_id: 'int', name: 'string', segments_removed: 'int', subcodes_removed: 'int' },
    ...written,
  },
  merge_codes: {
    ...{ source_code_id: 'int', target_code_id: 'int', source_name: 'string', target_name: 'string' },
    ...{ segments_to_move: 'int', duplicates: 'int', by_owner: { 'AI Agent (a)': 'int' }, subcodes: [] },
    ...preview,
  },
  'merge_codes, confirmed': {
    ...{ source_code_id: 'int', target_code_id: 'int', source_name: 'string', target_name: 'string' },
    ...{ segments_moved: 'int', duplicates_merged: 'int' },
    ...written,
  },
  remove_coding: {
    ...{ removed: 'boolean', segment_id: 'int', code_id: 'int', source_id: 'int', start_position: 'int' },
    ...{ end_position: 'int', selected_text: 'string', '+owner': 'string' },
    ...written,
  },
  auto_code_pattern: {
    ...{ '+code_id': 'int', total_matches: 'int', already_coded: 'int' },
    sources: [{ source_id: 'int', source_name: 'string', matches: 'int' }],
    matches: [
      {
        ...{ index: 'int', source_id: 'int', start_position: 'int', end_position: 'int', text: 'string' },
        ...{ context_before: 'string', context_after: 'string' },
      },
    ],
    ...{ preview: 'boolean', '+message': 'string', preview_token: 'string', '+next_cursor': 'null' },
  },
  'auto_code_pattern, confirmed': {
    ...{ batch_id: 'string', coded: 'int', skipped_existing: 'int', excluded: 'int' },
    ...{ '+code_id': 'int', '+total_matches': 'int' },
    ...written,
  },
  auto_code_speaker: {
    speakers: [{ label: 'string', turns: 'int', chars: 'int', code_id: 'null', sample: 'string' }],
    ...{ '+total_segments': 'int', '+labels_not_found': [] },
    ...{ preview: 'boolean', '+message': 'string', '+preview_token': 'string' },
  },
  'auto_code_speaker, confirmed': {
    ...{ codes_created: 'int', segments_created: 'int', skipped_existing: 'int', batch_id: 'string' },
    ...written,
  },
}
