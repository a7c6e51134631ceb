import { StoreError } from './store-error.js'

export function isBusy(error: unknown): boolean {
  const code = errorCode(error)
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')
}

/** The StoreError for what an operator can do something about, any other error as it is. */
export function sqliteError(error: unknown, path: string): unknown {
  if (error instanceof StoreError) return error
  const cause = { cause: error }
  const code = errorCode(error)
  if (isBusy(error)) {
    return new StoreError('locked', `Another process kept ${path} locked for too long: try again.`, cause)
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return new StoreError('corrupt', `${path} is not an intact SQLite database: restore it or move it away.`, cause)
  }
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) {
    return new StoreError('not_writable', `The disk with ${path} is full: free some space.`, cause)
  }
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM)|EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EEXIST|EISDIR)/.test(code)) {
    return new StoreError(
      'not_writable',
      `${path} cannot be written (${code}): correct its permissions or path.`,
      cause,
    )
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return new StoreError('unavailable', `${path} cannot be read or written (${code}): check its disk.`, cause)
  }
  return error
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
