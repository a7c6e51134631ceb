import type { CallRepliesTable, Store } from '@callboard/store'

/** `stale`: what it is about was gone or changed when it was decided. */
export type SuggestionStatus = 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'stale'

// Types, not interfaces: Kysely asks for an index signature. Every time is UTC ms, every `json` is text.
export type QdaSchema = {
  /** Projects that were opened here. */
  projects: {
    /** SHA-256 (hex) of the path, which may be longer than an index can hold. */
    key: string
    path: string
    /** Of the project itself, wherever its folder is. */
    uid: string
    name: string
    last_opened_at: number
  }
  /** What the projects' own files hold of suggestions, for lists over all projects. */
  suggestions: {
    /** A UUID. */
    id: string
    /** Key of its project. */
    project: string
    project_path: string
    kind: string
    tool: string
    actor: string
    status: SuggestionStatus
    created_at: number
    /** JSON. */
    record: string
  }
  call_replies: CallRepliesTable
}

export type Database = Store<QdaSchema>['db']
