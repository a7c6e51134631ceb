/**
 * - `unavailable`: the database cannot be reached, or the store is closed; a later attempt may succeed.
 * - `locked`: another process holds the store, or wrote for longer than a writer waits.
 * - `newer`: a newer version of the program has migrated the database.
 * - `not_writable`: permissions, a read-only file system or a full disk.
 * - `corrupt`: what is stored is no database, is damaged, or cannot be represented.
 * - `invalid_url`: the PostgreSQL URL is malformed, or the server refuses its user, password or database.
 */
export type StoreErrorCode = 'unavailable' | 'locked' | 'newer' | 'not_writable' | 'corrupt' | 'invalid_url'

/** What an operator can do something about. The message is one sentence that says what; it never holds a password. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
