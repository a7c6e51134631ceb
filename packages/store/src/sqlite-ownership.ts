import SqliteFile from 'better-sqlite3'
import { ownershipWaitMs } from './limits.js'
import { createPrivateFile } from './sqlite-database.js'
import { retryWhileBusy } from './sqlite-driver-rules.js'
import { isBusy } from './sqlite-error.js'
import { StoreError } from './store-error.js'

/**
 * Holds `<file>.lock`, an empty SQLite file, in an exclusive transaction: the system frees it with the process, however that
 * ends. The database itself stays open to readers, such as a backup.
 */
export class SqliteOwnership {
  readonly #file: SqliteFile.Database

  private constructor(file: SqliteFile.Database) {
    this.#file = file
  }

  static async acquire(databasePath: string): Promise<SqliteOwnership> {
    const path = `${databasePath}.lock`
    createPrivateFile(path)
    const file = new SqliteFile(path, { timeout: 0 })
    try {
      await retryWhileBusy(() => file.exec('begin exclusive'), ownershipWaitMs)
      return new SqliteOwnership(file)
    } catch (error) {
      file.close()
      throw isBusy(error) ? heldElsewhere(databasePath, error) : error
    }
  }

  release(): void {
    this.#file.close()
  }
}

function heldElsewhere(path: string, cause: unknown): StoreError {
  return new StoreError(
    'locked',
    `Another process is using ${path}: stop it, or give this one another data directory.`,
    { cause },
  )
}
