import Database from 'better-sqlite3'
import { type FailureCode, QdaFailure } from '../failure.js'

/** What SQLite says, as a sentence that tells what to do. Undefined: it is nothing that anybody but us could mend. */
export function databaseFailure(error: unknown): QdaFailure | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined
  const { code, message } = error
  if (isBusy(error))
    return new QdaFailure('PROJECT_BUSY', 'Another program holds the project at the moment; repeat the call', {
      details: { retryable: true },
    })
  if (code === 'SQLITE_READONLY_DBMOVED') return failure('PROJECT_READ_ONLY', movedSentence, error)
  if (code === 'SQLITE_ERROR' && foreignRules.test(message))
    return failure('PROJECT_NOT_OPENED/DB_OPEN_FAILED', `${foreign} (${message})`, error)
  const [failureCode, sentence] = remedies.get(code.split('_')[1] ?? '') ?? []
  if (failureCode === undefined) return undefined
  return failure(failureCode, `${sentence} (${message})`, error)
}

/** Another connection has it, so that the same may succeed in a moment. */
export function isBusy(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
}

export const movedSentence =
  'The files of the project were moved or deleted while it was open, and nothing was changed; call close_project, then open_project with the path where they are'
const unreachable =
  'The files of the project can’t be reached, and nothing was changed; see that its folder is there and may be written to, then call close_project and open_project'
const foreign =
  'The tables of the project are not as QualCoder makes them, and nothing was changed; open it in QualCoder, or put a copy back with restore_backup'
/** What an index or a check of the file itself says, or a table that is gone; our own statements use none of it. */
const foreignRules =
  /malformed JSON|bad JSON path|unsafe use of|no such (table: main|function|collation)|integer overflow/
const damaged =
  'The database of the project is damaged, and nothing was changed; list_backups shows copies, and restore_backup puts one back'

/** By the first word of SQLite's code. */
const remedies: ReadonlyMap<string, readonly [FailureCode, string]> = new Map([
  ['FULL', ['PROJECT_READ_ONLY', 'The disk is full, and nothing was changed; make room, then repeat the call']],
  ['READONLY', ['PROJECT_READ_ONLY', unreachable]],
  ['CANTOPEN', ['PROJECT_READ_ONLY', unreachable]],
  ['IOERR', ['PROJECT_READ_ONLY', unreachable]],
  ['CORRUPT', ['PROJECT_NOT_OPENED/DB_OPEN_FAILED', damaged]],
  ['NOTADB', ['PROJECT_NOT_OPENED/DB_OPEN_FAILED', damaged]],
  [
    'CONSTRAINT',
    ['INVALID_ARGUMENT', 'The project has something already that excludes this, and nothing was changed; look at it'],
  ],
  ['TOOBIG', ['INVALID_CONTENT', 'No database holds a value of that length, and nothing was changed; split it']],
])

function failure(code: FailureCode, sentence: string, { code: sqlite }: { readonly code: string }): QdaFailure {
  return new QdaFailure(code, sentence, { details: { sqlite } })
}
