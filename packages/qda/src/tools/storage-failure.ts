import { QdaFailure } from '../failure.js'

/** What SQLite says of a file that is damaged, full, taken away or not as it should be; undefined: it is something else. */
export function storageFailure(error: unknown): QdaFailure | undefined {
  const { code, message, name } = error as { readonly code?: unknown; readonly message?: unknown; readonly name?: unknown }
  if (name !== 'SqliteError' || typeof code !== 'string') return undefined
  const said = String(message)
  if (/^SQLITE_(CORRUPT|NOTADB|CANTOPEN|IOERR|TOOBIG|NOMEM)/.test(code))
    return new QdaFailure(
      'PROJECT_NOT_OPENED/DB_OPEN_FAILED',
      `The project's database can't be read any more (${said}); close the project and open one of its backups`,
    )
  if (/^SQLITE_(FULL|READONLY|CONSTRAINT)/.test(code))
    return new QdaFailure(
      'PROJECT_READ_ONLY',
      `The project's database refuses this change (${said}), so that nothing was changed; make room there, or open it in QualCoder`,
    )
  if (/^no such (table|column)/.test(said))
    return new QdaFailure(
      'PROJECT_NOT_OPENED/DB_OPEN_FAILED',
      `Another program has changed the tables of the project (${said}); close the project and open it again`,
    )
  return undefined
}
