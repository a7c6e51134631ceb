import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { QdaFailure } from '../failure.js'
import { localTime } from './local-time.js'
import { projectStatements } from './project-ddl.js'
import { databaseFileName, type ProjectPath } from './project-path.js'
import { schemaVersionNewest } from './schema-history.js'

/** Folders of a project for the files that its sources come from. */
export const mediaFolders = ['documents', 'images', 'audio', 'video'] as const

export interface NewProject {
  /** Of the person or agent whose codings these will be; not empty. */
  readonly coder: string
  /** UTC ms. */
  readonly now: number
  readonly timeZone?: string
}

/**
 * Makes an empty project of the newest version, whole or not at all. Throws a QdaFailure PROJECT_NOT_CREATED; what is
 * at that path stays as it is.
 */
export function createProjectFolder({ path, name }: Pick<ProjectPath, 'path' | 'name'>, project: NewProject): void {
  // A name that is no project's: nobody opens it before it is whole.
  const draft = join(dirname(path), `.${name.slice(0, 50)}.${randomUUID()}.new`)
  try {
    mkdirSync(draft)
    makeMediaFolders(draft)
    makeDatabase(join(draft, databaseFileName), project)
    // A rename would take the place of an empty folder.
    if (isThere(path)) throw existing(path)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw explained(error, path)
  }
}

/** Makes those of a project's folders for files that are missing. */
export function makeMediaFolders(path: string): void {
  // Not `recursive`, with which Node never returns where a file system does not let folders be made.
  for (const folder of mediaFolders) if (!isThere(join(path, folder))) mkdirSync(join(path, folder))
}

function makeDatabase(file: string, { coder, now, timeZone }: NewProject): void {
  const db = new Database(file)
  try {
    db.pragma('journal_mode = DELETE')
    db.transaction(() => {
      for (const statement of projectStatements()) db.exec(statement)
      db.prepare('INSERT INTO project VALUES (?, ?, ?, ?, 0, 0, ?, ?, NULL, NULL, NULL)').run(
        `v${schemaVersionNewest}`,
        localTime(now, timeZone),
        '',
        'QualCoder 4.0 Beta (created by callboard)',
        coder,
        '',
      )
      const addCoder = db.prepare('INSERT OR IGNORE INTO coder_names (name) VALUES (?)')
      for (const name of [coder, speakerCoder]) addCoder.run(name)
    })()
  } finally {
    db.close()
  }
}

/** Owner of what QualCoder's own coding by speakers makes. */
const speakerCoder = '📌 Speaker coding'

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function existing(path: string): QdaFailure {
  return new QdaFailure('PROJECT_NOT_CREATED/EXISTS', `${path} exists. Choose another name, or open it.`)
}

function explained(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return existing(path)
  if (error instanceof QdaFailure || typeof code !== 'string') return error
  return new QdaFailure(
    'PROJECT_NOT_CREATED/INVALID_PATH',
    `No folder can be made at ${path} (${code}). Choose a place that may be written to and has room.`,
  )
}
