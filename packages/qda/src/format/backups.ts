import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '@callboard/worker/clock'
import type Database from 'better-sqlite3'
import { QdaFailure } from '../failure.js'
import { backupLeftoverMs, backupNamesTriedMax } from '../limits.js'
import { backupName, backupTime } from './backup-name.js'
import { copyDatabase } from './copy-database.js'
import { makeMediaFolders, mediaFolders } from './create-project-folder.js'
import { databaseFileName, type ProjectPath } from './project-path.js'
import { sideFileName } from './side-schema.js'

/** A project with the connection that has its own database as `main` and, if there is one, ours as `side`. */
export interface BackupSource extends ProjectPath {
  readonly connection: Database.Database
  /** Is our database in a file, and not missing? */
  readonly hasSide: boolean
  readonly timeZone?: string
}

export interface Backup {
  /** Of a folder beside the project. */
  readonly name: string
  /** UTC ms. */
  readonly createdAt: number
  /** Of its databases. */
  readonly bytes: number
}

/**
 * Copies both databases into a folder beside the project that opens as a project, and keeps so many of these folders: of those
 * that stand close together in time some go, except `spared`. Nobody may write on this connection meanwhile. Returns the folder's
 * name. Throws a QdaFailure PROJECT_BUSY or PROJECT_READ_ONLY.
 */
export async function makeBackup(
  source: BackupSource,
  { keep, clock, spared }: { readonly keep: number; readonly clock: Clock; readonly spared?: string },
): Promise<string> {
  const now = clock.now()
  const draft = join(dirname(source.path), `${draftStart(source)}${randomUUID()}`)
  try {
    mkdirSync(draft)
    makeMediaFolders(draft)
    await copyDatabase(source.connection, 'main', join(draft, databaseFileName), clock)
    if (source.hasSide) await copyDatabase(source.connection, 'side', join(draft, sideFileName), clock)
    markUntouched(draft, now)
    const name = renameToBackup(draft, source, now)
    pruneBackups(source, keep, now, [name, spared])
    return name
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw explained(error, source)
  }
}

/** Newest first. */
export function listBackups({ path, name, timeZone }: Omit<BackupSource, 'connection' | 'hasSide'>): readonly Backup[] {
  return readdirSync(dirname(path), { withFileTypes: true })
    .flatMap((entry) => {
      const createdAt = entry.isDirectory() ? backupTime(name, entry.name, timeZone) : null
      const folder = join(dirname(path), entry.name)
      if (createdAt === null || !isFile(join(folder, databaseFileName))) return []
      return [{ name: entry.name, createdAt, bytes: sizeOf(folder) }]
    })
    .sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? 1 : -1))
}

/** The folder of a backup of this project. Throws a QdaFailure BACKUP_NOT_FOUND. */
export function backupFolder(project: Omit<BackupSource, 'connection' | 'hasSide'>, name: string): string {
  if (listBackups(project).some((backup) => backup.name === name)) return join(dirname(project.path), name)
  throw new QdaFailure(
    'BACKUP_NOT_FOUND',
    `${project.name} has no backup of that name. Use one that list_backups names.`,
  )
}

/** Removes the oldest that nobody has used as a project since, and what a crash left of our own. */
function pruneBackups(source: BackupSource, keep: number, now: number, spared: readonly (string | undefined)[]): void {
  const parent = dirname(source.path)
  const isPrunable = ({ name }: Backup) => !spared.includes(name) && isUntouched(join(parent, name))
  const backups = [...listBackups(source)]
  while (backups.length > Math.max(1, keep)) {
    const index = leastMissed(backups, isPrunable)
    if (index === -1) break
    const [pruned] = backups.splice(index, 1)
    rmSync(join(parent, pruned!.name), { recursive: true })
  }
  for (const name of readdirSync(parent))
    if (name.startsWith(draftStart(source)) && now - statSync(join(parent, name)).mtimeMs > backupLeftoverMs)
      rmSync(join(parent, name), { recursive: true, force: true })
}

/**
 * Which of so many, the newest first, stands closest between its neighbours: many short sessions must not push out the state from
 * before them. The oldest stays as long as any other can go.
 */
function leastMissed(backups: readonly Backup[], isPrunable: (backup: Backup) => boolean): number {
  const gaps = backups.map((backup, index) => {
    if (index === 0 || !isPrunable(backup)) return Number.POSITIVE_INFINITY
    const older = backups[index + 1]
    return older === undefined ? Number.MAX_VALUE : backups[index - 1]!.createdAt - older.createdAt
  })
  const least = Math.min(...gaps)
  return least === Number.POSITIVE_INFINITY ? -1 : gaps.lastIndexOf(least)
}

function draftStart({ name }: ProjectPath): string {
  return `.${name.slice(0, 50)}_CB_draft_`
}

const copied = [databaseFileName, sideFileName]

/** One time for all that is in it: who works in a backup, as in any project, changes some of them. */
function markUntouched(folder: string, time: number): void {
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), time / 1000, time / 1000)
}

/** Its files alone, its folders empty, and all still of one time; file systems round times to two seconds. */
function isUntouched(folder: string): boolean {
  const names = readdirSync(folder)
  const times = names.map((name) => lstatSync(join(folder, name)).mtimeMs)
  return (
    names.every((name) =>
      copied.includes(name)
        ? isFile(join(folder, name))
        : isMediaFolder(name) && readdirSync(join(folder, name)).length === 0,
    ) && Math.max(...times) - Math.min(...times) <= 2_000
  )
}

function isMediaFolder(name: string): boolean {
  return (mediaFolders as readonly string[]).includes(name)
}

/** Two in a second: the second one is named as if it were of the next. */
function renameToBackup(draft: string, { path, name, timeZone }: BackupSource, now: number): string {
  for (let step = 0; step < backupNamesTriedMax; step += 1) {
    const backup = backupName(name, now + step * 1_000, timeZone)
    const folder = join(dirname(path), backup)
    if (existsSync(folder)) continue
    renameSync(draft, folder)
    return backup
  }
  throw new QdaFailure('PROJECT_BUSY', 'Too many backups were made at once. Try again in a minute.')
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function sizeOf(folder: string): number {
  return copied.reduce((sum, file) => sum + (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0), 0)
}

function explained(error: unknown, { path }: ProjectPath): unknown {
  const { code } = error as { readonly code?: unknown }
  if (error instanceof QdaFailure || typeof code !== 'string') return error
  return new QdaFailure(
    'PROJECT_READ_ONLY',
    `No backup can be made in ${dirname(path)} (${code}), and nothing is written without one. Let Callboard write to that folder, and make room there.`,
  )
}
