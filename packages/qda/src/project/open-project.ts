import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@callboard/worker/clock'
import Database from 'better-sqlite3'
import { QdaFailure } from '../failure.js'
import { type BackupSource, makeBackup } from '../format/backups.js'
import { type Inspection, inspectProject } from '../format/inspect-project.js'
import { ProjectLock } from '../format/project-lock.js'
import { databaseFileName } from '../format/project-path.js'
import { sideFileName, sideSchemaVersion, sideStatements } from '../format/side-schema.js'
import { lockedReadMs } from '../limits.js'
import { movedSentence } from './database-failure.js'
import { type Columns, ProjectDatabase } from './project-database.js'
import { TextCache } from './text-cache.js'
import { WriteTurns } from './write-turns.js'

/** A project that at least one session has open. One connection, however many there are. */
export class OpenProject {
  /** The folder, with all links followed. */
  readonly path: string
  /** Of the folder, without its ending. */
  readonly name: string
  readonly db: ProjectDatabase
  readonly texts: TextCache
  readonly writes: WriteTurns
  readonly #clock: Clock
  readonly #lock: ProjectLock
  #inspection: Inspection
  #schemaCookie: number | undefined
  #isLockOurs: boolean
  #dataVersion: number | undefined
  #isClosed = false

  /** Throws a QdaFailure where it is no project, or can't be read. */
  static async open(path: string, name: string, clock: Clock): Promise<OpenProject> {
    const inspection = inspectProject(path)
    const lock = new ProjectLock(path, clock)
    const isLockOurs = inspection.access.kind === 'write' && (await lock.acquire())
    try {
      const db = connect(path, inspection.columns, isLockOurs)
      return new OpenProject({ path, name, inspection, lock, isLockOurs, db, clock })
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  private constructor(parts: Parts) {
    const { path, name, inspection, lock, isLockOurs, db, clock } = parts
    this.path = path
    this.name = name
    this.#inspection = inspection
    this.#lock = lock
    this.#isLockOurs = isLockOurs
    this.#clock = clock
    this.db = db
    this.texts = new TextCache(db)
    this.writes = new WriteTurns(db, clock, {
      begun: () => {
        // QualCoder may have taken it since.
        this.#lock.stillOurs()
        this.requireWritable()
      },
      rolledBack: () => this.texts.clear(),
    })
    this.#schemaCookie = this.#readSchemaCookie()
  }

  /** Of the format; null where the file does not say. */
  get schemaVersion(): number | null {
    return this.#inspection.schemaVersion
  }

  /** Sentences. */
  get warnings(): readonly string[] {
    return this.#inspection.warnings
  }

  /** Why nothing can be written; undefined: it can. */
  get whyReadOnly(): QdaFailure | undefined {
    const { access } = this.#inspection
    if (access.kind === 'read') return new QdaFailure(access.code, access.reason)
    if (this.#isLockOurs && this.#lock.isOurs) return undefined
    if (!existsSync(join(this.path, databaseFileName))) return new QdaFailure('PROJECT_READ_ONLY', movedSentence)
    const holder = this.#lock.holder?.user ?? 'another program'
    return new QdaFailure(
      'PROJECT_LOCKED',
      `The project is in use by ${holder}, in QualCoder or another Callboard, so that nothing can be written; close it there, then call open_project again. If that program has ended without closing it, wait half a minute`,
    )
  }

  /** Throws why nothing can be written. */
  requireWritable(): void {
    const why = this.whyReadOnly
    if (why !== undefined) throw why
  }

  /** Tries again to get the lock that another program held. */
  async retryLock(): Promise<void> {
    if (this.#inspection.access.kind === 'read' || this.whyReadOnly === undefined) return
    await this.writes.alone(async () => {
      if (!(await this.#lock.acquire())) return
      this.db.connection.pragma('query_only = OFF')
      if (!this.#isLockOurs) {
        this.db.forgetStatements()
        this.db.connection.exec('DETACH side')
        attachSide(this.db.connection, this.path, true)
      }
      this.#isLockOurs = true
    })
  }

  /** Another program may have written since the last call: what was kept of the old state is dropped. */
  refresh(): void {
    const version = this.db.value('PRAGMA main.data_version')
    if (version === this.#dataVersion) return
    this.texts.clear()
    const cookie = this.#readSchemaCookie()
    if (cookie !== this.#schemaCookie) {
      this.#inspection = inspectProject(this.path)
      this.db.setColumns(this.#inspection.columns)
      this.#schemaCookie = cookie
    }
    this.#dataVersion = version
  }

  /** Names things of this project for ever; null where nothing of ours could be written yet. */
  get uid(): string | null {
    return this.db.value<string>("SELECT CAST(value AS TEXT) FROM side.meta WHERE key = 'project_uid'") ?? null
  }

  /** Copies both files beside the project, and keeps so many copies. The name of the new one. Alone, as a write. */
  backUp(keep: number): Promise<string> {
    return makeBackup(this.backupSource, { keep, clock: this.#clock })
  }

  /** For backups of it. */
  get backupSource(): BackupSource {
    return { path: this.path, name: this.name, connection: this.db.connection, hasSide: this.#isLockOurs }
  }

  /** Idempotent. After the write that runs, if one does. */
  async close(): Promise<void> {
    await this.writes.idle()
    if (this.#isClosed) return
    this.#isClosed = true
    this.db.close()
    await this.#lock.release()
  }

  #readSchemaCookie(): number | undefined {
    return this.db.value('PRAGMA main.schema_version')
  }
}

interface Parts {
  readonly path: string
  readonly name: string
  readonly inspection: Inspection
  readonly lock: ProjectLock
  readonly isLockOurs: boolean
  readonly db: ProjectDatabase
  readonly clock: Clock
}

function connect(path: string, columns: Columns, isWritable: boolean): ProjectDatabase {
  let connection: Database.Database | undefined
  try {
    connection = new Database(join(path, databaseFileName), { fileMustExist: true, timeout: lockedReadMs })
    // A project may come from anywhere, and what it has in its schema with it.
    connection.pragma('trusted_schema = OFF')
    attachSide(connection, path, isWritable)
    if (!isWritable) connection.pragma('query_only = ON')
    return new ProjectDatabase(connection, columns)
  } catch (error) {
    connection?.close()
    if (error instanceof QdaFailure) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new QdaFailure('PROJECT_NOT_OPENED/DB_OPEN_FAILED', `The project's databases can't be opened: ${why}`)
  }
}

/** Where nothing may be written, what is missing is in memory and empty, so that every query has its tables. */
function attachSide(connection: Database.Database, path: string, isWritable: boolean): void {
  const file = join(path, sideFileName)
  const isMissing = !isWritable && !hasTables(file)
  // The project's own connection makes no files: an empty data.qda would be none.
  if (isWritable) new Database(file).close()
  connection.prepare('ATTACH ? AS side').run(isMissing ? ':memory:' : file)
  const version = connection.pragma('side.user_version', { simple: true }) as number
  if (version > sideSchemaVersion)
    throw new QdaFailure(
      'PROJECT_NOT_OPENED/UNSUPPORTED_FORMAT',
      `${sideFileName} was written by a newer Callboard (version ${version}, and this one knows ${sideSchemaVersion}); upgrade this one`,
    )
  if (version === sideSchemaVersion) requireOwnTables(connection)
  if (isWritable) connection.pragma('side.journal_mode = DELETE')
  if (isMissing || (isWritable && version < sideSchemaVersion))
    connection.transaction(() => {
      for (const statement of sideStatements('side')) connection.exec(statement)
      if (isWritable)
        connection.prepare("INSERT OR IGNORE INTO side.meta (key, value) VALUES ('project_uid', ?)").run(randomUUID())
    })()
}

/** A file that somebody else prepared could have tables that take other values, or triggers. */
function requireOwnTables(connection: Database.Database): void {
  const found = connection
    .prepare("SELECT sql FROM side.sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all()
  if (JSON.stringify(found) !== ownTables())
    throw new QdaFailure(
      'PROJECT_NOT_OPENED/DB_OPEN_FAILED',
      `${sideFileName} is none that Callboard made. Move it away; what it held is then missing.`,
    )
}

let tablesOfOwn: string | undefined

/** As SQLite itself writes them down. */
function ownTables(): string {
  if (tablesOfOwn !== undefined) return tablesOfOwn
  const memory = new Database(':memory:')
  for (const statement of sideStatements()) memory.exec(statement)
  const sql = "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
  tablesOfOwn = JSON.stringify(memory.prepare(sql).pluck().all())
  memory.close()
  return tablesOfOwn
}

function hasTables(file: string): boolean {
  try {
    const side = new Database(file, { readonly: true, fileMustExist: true })
    try {
      return (side.pragma('user_version', { simple: true }) as number) > 0
    } finally {
      side.close()
    }
  } catch {
    return false
  }
}
