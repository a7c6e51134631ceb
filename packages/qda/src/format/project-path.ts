import type { Stats } from 'node:fs'
import { lstat, open, stat } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, join } from 'node:path'
import { type FailureCode, QdaFailure } from '../failure.js'
import { pathLengthMax } from '../limits.js'
import { isWithinRoots, resolvedPath } from './resolved-path.js'

/** A project folder on disk; links are resolved. */
export interface ProjectPath {
  /** Of the folder. Ends in `.qda`. */
  readonly path: string
  /** Of the folder, without `.qda`. */
  readonly name: string
}

export const databaseFileName = 'data.qda'

/**
 * The project that a path stands for: its `.qda` folder, or the `data.qda` in it. No roots: any folder may be opened.
 * Throws a QdaFailure PROJECT_NOT_OPENED.
 */
export async function projectAt(path: string, roots: readonly string[]): Promise<ProjectPath> {
  const target = await checkedPath(path, roots, 'PROJECT_NOT_OPENED')
  const stats = await statsOf(target)
  if (stats === null) return refuseMissing(path)
  if (stats.isFile() && basename(target).toLowerCase() === databaseFileName) return projectIn(dirname(target))
  if (stats.isFile()) return refuseFile(path, target)
  if (!stats.isDirectory()) return refuse('PROJECT_NOT_OPENED/INVALID_PATH', `${shown(path)} is no folder. ${wanted}`)
  return projectIn(target)
}

/** Where a new project is to be: nothing is there yet, but the folder that will hold it. Throws a QdaFailure PROJECT_NOT_CREATED. */
export async function newProjectAt(path: string, roots: readonly string[]): Promise<ProjectPath> {
  const target = await checkedPath(path, roots, 'PROJECT_NOT_CREATED')
  if ((await linkStatsOf(target)) !== null)
    refuse('PROJECT_NOT_CREATED/EXISTS', `${shown(path)} exists. Choose another name, or open it with open_project.`)
  if (!isProjectFolderName(basename(target)))
    refuse('PROJECT_NOT_CREATED/INVALID_PATH', `${shown(path)} is no name of a project. ${wantedNew}`)
  await requireParent(target, 'PROJECT_NOT_CREATED/INVALID_PATH')
  return { path: target, name: nameOf(target) }
}

/** Where a file is to be written; its name ends in one of the extensions (lower case, with a dot). Throws a QdaFailure EXPORT_FAILED. */
export async function exportTarget(
  path: string,
  { roots, extensions, overwrite }: { roots: readonly string[]; extensions: readonly string[]; overwrite: boolean },
): Promise<string> {
  const target = await checkedPath(path, roots, 'EXPORT_FAILED')
  requireExtension(target, path, extensions, 'EXPORT_FAILED/INVALID_PATH')
  const stats = await linkStatsOf(target)
  if (stats !== null && !stats.isFile())
    refuse('EXPORT_FAILED/INVALID_PATH', `${shown(path)} is not a file. Give the path of a file to write.`)
  if (stats !== null && !overwrite)
    refuse('EXPORT_FAILED/EXISTS', `${shown(path)} exists. Choose another name, or set overwrite to true.`)
  await requireParent(target, 'EXPORT_FAILED/INVALID_PATH')
  return target
}

/** A file to read; its name ends in one of the extensions (lower case, with a dot). Throws a QdaFailure IMPORT_FAILED. */
export async function importFile(
  path: string,
  roots: readonly string[],
  extensions: readonly string[],
): Promise<string> {
  const target = await checkedPath(path, roots, 'IMPORT_FAILED')
  const stats = await statsOf(target)
  if (stats === null)
    return refuse(
      'IMPORT_FAILED/NOT_FOUND',
      `There is no file ${shown(path)}. Check the path, and that it may be read.`,
    )
  if (!stats.isFile()) refuse('IMPORT_FAILED/INVALID_PATH', `${shown(path)} is not a file. Give the path of a file.`)
  requireExtension(target, path, extensions, 'IMPORT_FAILED/INVALID_PATH')
  return target
}

type Refusal = 'PROJECT_NOT_OPENED' | 'PROJECT_NOT_CREATED' | 'EXPORT_FAILED' | 'IMPORT_FAILED'

const wanted = 'Give the absolute path of a QualCoder project folder, such as /home/me/Study.qda.'
const wantedNew = 'Give the absolute path of a folder to make whose name ends in .qda, such as /home/me/Study.qda.'

/** The root rule goes first: what lies outside is not even said to exist. */
async function checkedPath(path: string, roots: readonly string[], refusal: Refusal): Promise<string> {
  const invalid = `${refusal}/INVALID_PATH` as const
  if (path.includes('\0')) refuse(invalid, 'The path holds a NUL character. Remove it.')
  if (path.length > pathLengthMax) refuse(invalid, `The path is longer than ${pathLengthMax} characters. Shorten it.`)
  if (!isAbsolute(path)) refuse(invalid, `${shown(path)} is no absolute path. Start it at the root of the file system.`)
  const target = await resolvedPath(path)
  if (target === null) return refuse(invalid, `${shown(path)} can't be a path on this system. Check each part of it.`)
  if (!(await isWithinRoots(target, roots)))
    refuse(
      `${refusal}/FORBIDDEN_PATH`,
      `${shown(path)} lies outside the folders that may be used. Use ${roots.map(shown).join(', ')}.`,
    )
  return target
}

async function projectIn(folder: string): Promise<ProjectPath> {
  if (!isProjectFolderName(basename(folder)))
    refuse('PROJECT_NOT_OPENED/INVALID_PATH', `The folder ${shown(folder)} does not end in .qda. ${wanted}`)
  const stats = await linkStatsOf(join(folder, databaseFileName))
  if (stats === null)
    return refuse('PROJECT_NOT_OPENED/NOT_QUALCODER', `${shown(folder)} has no file ${databaseFileName}. ${wanted}`)
  // A link could lead out of the roots, and a pipe would never open.
  if (!stats.isFile())
    refuse(
      'PROJECT_NOT_OPENED/INVALID_PATH',
      `${databaseFileName} in ${shown(folder)} is a link or no file at all. Put the database itself there.`,
    )
  return { path: folder, name: nameOf(folder) }
}

function refuseMissing(path: string): never {
  if (basename(path).toLowerCase() === databaseFileName || isProjectFolderName(basename(path)))
    refuse('PROJECT_NOT_OPENED/NOT_FOUND', `There is no project ${shown(path)}. Check the path, or use create_project.`)
  return refuse('PROJECT_NOT_OPENED/INVALID_PATH', `${shown(path)} is no project. ${wanted}`)
}

async function refuseFile(path: string, target: string): Promise<never> {
  if (extname(target).toLowerCase() === '.qda' && (await startsLikeSqlite(target)))
    refuse(
      'PROJECT_NOT_OPENED/UNSUPPORTED_FORMAT',
      `${shown(path)} is a single file, the format of QualCoder v2, which can't be opened here. ${wanted}`,
    )
  return refuse('PROJECT_NOT_OPENED/NOT_QUALCODER', `${shown(path)} is a file, not a project. ${wanted}`)
}

async function startsLikeSqlite(path: string): Promise<boolean> {
  const magic = Buffer.from('SQLite format 3\0')
  try {
    await using file = await open(path, 'r')
    const { buffer } = await file.read({ buffer: Buffer.alloc(magic.length) })
    return buffer.equals(magic)
  } catch {
    return false
  }
}

async function requireParent(path: string, code: FailureCode): Promise<void> {
  const parent = dirname(path)
  if (!(await statsOf(parent))?.isDirectory())
    refuse(code, `There is no folder ${shown(parent)}. Create it first, or choose one that exists.`)
}

function requireExtension(target: string, path: string, extensions: readonly string[], code: FailureCode): void {
  if (extensions.includes(extname(target).toLowerCase())) return
  refuse(code, `${shown(path)} does not end in ${extensions.join(' or ')}. Give a name that does.`)
}

function isProjectFolderName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return /^[^\x00-\x1f\x7f]+\.qda$/i.test(name)
}

function nameOf(folder: string): string {
  return basename(folder).slice(0, -'.qda'.length)
}

async function statsOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null)
}

async function linkStatsOf(path: string): Promise<Stats | null> {
  return lstat(path).catch(() => null)
}

function shown(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 200)}…`
}

function refuse(code: FailureCode, sentence: string): never {
  throw new QdaFailure(code, sentence)
}
