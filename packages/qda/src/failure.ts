/** Codes of the contract, and those of this worker; `A/B` is one code. */
export type FailureCode =
  | 'NO_PROJECT'
  | 'CODE_NOT_FOUND'
  | 'SOURCE_NOT_FOUND'
  | 'SEGMENT_NOT_FOUND'
  | 'FOLDER_NOT_FOUND'
  | 'CATEGORY_NOT_FOUND'
  | 'CASE_NOT_FOUND'
  | 'JOURNAL_NOT_FOUND'
  | 'BACKUP_NOT_FOUND'
  | 'SUGGESTION_NOT_FOUND'
  | 'CHANGE_SET_NOT_FOUND'
  | 'MISSING_PARAMETER'
  | 'INVALID_ARGUMENT'
  | 'INVALID_POSITION'
  | 'INVALID_CONTENT'
  | 'INVALID_OPERATION'
  | 'INVALID_PATTERN'
  | 'PATTERN_TIMEOUT'
  | 'QUOTE_NOT_FOUND'
  | 'AMBIGUOUS_QUOTE'
  | 'TEXT_CHANGED'
  | 'REQUEST_ID_CONFLICT'
  | 'PREVIEW_STALE'
  | 'QUEUE_FULL'
  | 'ALREADY_DECIDED'
  | 'PERMISSION_DENIED'
  | 'PROJECT_LOCKED'
  | 'PROJECT_BUSY'
  | 'PROJECT_READ_ONLY'
  | 'SCHEMA_TOO_NEW'
  | 'WORKER_UNAVAILABLE'
  | `PROJECT_NOT_OPENED/${'INVALID_PATH' | 'NOT_FOUND' | 'FORBIDDEN_PATH' | 'NOT_QUALCODER' | 'UNSUPPORTED_FORMAT' | 'DB_OPEN_FAILED'}`
  | `PROJECT_NOT_CREATED/${'EXISTS' | 'INVALID_PATH' | 'FORBIDDEN_PATH'}`
  | `SOURCE_NOT_ADDED/${'DUPLICATE_NAME' | 'INVALID_NAME'}`
  | `FOLDER_NOT_CREATED/${'DUPLICATE_NAME' | 'INVALID_NAME' | 'PARENT_NOT_FOUND'}`
  | `FOLDER_NOT_RENAMED/${'DUPLICATE_NAME' | 'INVALID_NAME'}`
  | `FOLDER_NOT_DELETED/${'HAS_SOURCES' | 'HAS_SUBFOLDERS'}`
  | `CODE_NOT_CREATED/${'DUPLICATE_NAME' | 'INVALID_NAME' | 'INVALID_COLOR'}`
  | `CODE_NOT_UPDATED/${'DUPLICATE_NAME' | 'INVALID_NAME' | 'INVALID_COLOR' | 'CYCLE'}`
  | `CODES_NOT_MERGED/${'SAME_CODE' | 'CYCLE'}`
  | `CATEGORY_NOT_CREATED/${'DUPLICATE_NAME' | 'INVALID_NAME' | 'CYCLE'}`
  | `CATEGORY_NOT_UPDATED/${'DUPLICATE_NAME' | 'INVALID_NAME' | 'CYCLE'}`
  | `JOURNAL_NOT_ADDED/${'DUPLICATE_NAME' | 'INVALID_NAME'}`
  | `BATCH_APPLY_CODES/${'EMPTY_BATCH' | 'TOO_LARGE' | 'ALL_FAILED' | 'ROLLED_BACK'}`
  | `EXPORT_FAILED/${'EXISTS' | 'INVALID_PATH' | 'FORBIDDEN_PATH' | 'WRITE_FAILED'}`
  | `IMPORT_FAILED/${'NOT_FOUND' | 'INVALID_PATH' | 'FORBIDDEN_PATH' | 'INVALID_FILE' | 'REFUSED' | 'TOO_LARGE'}`
  | 'DEADLINE_EXCEEDED'
  | 'INTERNAL'

export interface FailureExtras {
  /** For programs. */
  readonly details?: { readonly [key: string]: unknown }
  /** What to do instead; sentences. */
  readonly suggestions?: readonly string[]
  /** What is known all the same, e.g. the rows of a batch of which none succeeded. */
  readonly data?: unknown
}

/** Why a call did not do what it was asked for, in a sentence for the agent. */
export class QdaFailure extends Error {
  override readonly name = 'QdaFailure'
  readonly code: FailureCode
  readonly extras: FailureExtras

  constructor(code: FailureCode, sentence: string, extras: FailureExtras = {}) {
    super(sentence)
    this.code = code
    this.extras = extras
  }
}
