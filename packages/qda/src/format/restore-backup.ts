import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@callboard/worker/clock'
import Database from 'better-sqlite3'
import { type BackupSource, backupFolder, makeBackup } from './backups.js'
import { allPages, copyDatabase } from './copy-database.js'
import { inspectProject } from './inspect-project.js'
import { databaseFileName } from './project-path.js'
import { sideFileName, sideTableNames } from './side-schema.js'

/**
 * Puts what a backup holds in place of the project's content, after a backup of that; returns the name of the new
 * backup. Open connections go on. No statement of this worker may run on the project meanwhile, and none be open.
 * A backup without a database of ours is of a time when the project had nothing in it: it is emptied. Throws a
 * QdaFailure BACKUP_NOT_FOUND, PROJECT_BUSY, or PROJECT_NOT_OPENED where the backup can't be read.
 */
export async function restoreBackup(
  project: BackupSource,
  name: string,
  { keep, clock }: { readonly keep: number; readonly clock: Clock },
): Promise<string> {
  const folder = backupFolder(project, name)
  inspectProject(folder)
  const savedAs = await makeBackup(project, { keep, clock, spared: name })
  await copyFile(join(folder, databaseFileName), join(project.path, databaseFileName), clock)
  const side = join(folder, sideFileName)
  if (existsSync(side)) await copyFile(side, join(project.path, sideFileName), clock)
  else if (project.hasSide) emptySide(project.connection)
  return savedAs
}

async function copyFile(from: string, to: string, clock: Clock): Promise<void> {
  const backup = new Database(from, { readonly: true, fileMustExist: true })
  try {
    await copyDatabase(backup, 'main', to, clock, allPages)
  } finally {
    backup.close()
  }
}

/** Keeps what names the project: it is the same one. */
function emptySide(connection: Database.Database): void {
  connection.transaction(() => {
    for (const table of sideTableNames) if (table !== 'meta') connection.exec(`DELETE FROM side.${table}`)
  })()
}
