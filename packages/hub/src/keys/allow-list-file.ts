import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LockedError, waitForLock } from '../lock.js'
import { replaceFile } from '../replace-file.js'
import {
  type AllowList,
  type AllowListLine,
  type AuthorizedWorker,
  formatAllowList,
  parseAllowList,
  workersOf,
} from './allow-list.js'
import { allowListBytesMax, problemsShownMax } from './limits.js'

/** The allow-list can't be used; the message names it and says what helps. */
export class AllowListError extends Error {}

export const allowListIn = (dataDirectory: string): string => join(dataDirectory, 'authorized-workers')

/** How the hub reads it. */
export const allowListRules = {
  parse: (text: string, file: string): readonly AuthorizedWorker[] => workersOf(parseWhole(text, file)),
  checkMode(mode: number, file: string): void {
    if ((mode & 0o022) !== 0) {
      throw new AllowListError(
        `The allow-list ${file} can be changed by other users: run chmod 600 ${file}; until then it admits nobody new.`,
      )
    }
  },
  unreadable: (file: string, error: unknown): AllowListError =>
    new AllowListError(
      `The allow-list ${file} can't be read (${codeOf(error)}): correct that; until then it admits nobody new.`,
    ),
  noFile: (file: string): AllowListError =>
    new AllowListError(`The allow-list ${file} is no file: remove it; until then it admits nobody new.`),
  tooLarge: (file: string): AllowListError =>
    new AllowListError(
      `The allow-list ${file} has more than ${allowListBytesMax} bytes: remove what nobody needs; until then it admits nobody new.`,
    ),
}

/** Empty, when there is no file. @throws AllowListError */
export async function readAllowList(file: string): Promise<AllowList> {
  const { text, mode } = await readText(file)
  if (text === undefined) return { lines: [], problems: [] }
  allowListRules.checkMode(mode, file)
  return parseWhole(text, file)
}

/**
 * Writes what `change` makes of the lines. One program at a time; readers see the file before or after. Its mode stays,
 * so that a group that may read it goes on doing so.
 * @throws AllowListError, and what `change` throws; then nothing has changed.
 */
export async function changeAllowList(
  path: string,
  change: (lines: readonly AllowListLine[]) => readonly AllowListLine[],
): Promise<void> {
  // Where a link leads, or the next to read it by its own name would see the old one.
  const file = await realpath(path).catch(() => path)
  await using _lock = await lockList(file)
  const { mode } = await readText(file)
  const text = formatAllowList(change((await readAllowList(file)).lines))
  const { problems } = parseAllowList(text)
  if (problems.length > 0) throw new AllowListError(`That would not do. ${problems[0]}`)
  try {
    await replaceFile(file, text, mode & 0o640)
  } catch (error) {
    throw new AllowListError(
      `${file} can't be written (${codeOf(error)}): make ${dirname(file)} a directory you can write.`,
    )
  }
}

async function lockList(file: string) {
  try {
    return await waitForLock(`${file}.lock`)
  } catch (error) {
    throw new AllowListError(
      error instanceof LockedError
        ? `Another program has been changing ${file} for long: end it, and try again.`
        : `${file}.lock can't be made (${codeOf(error)}): make ${dirname(file)} a directory you can write.`,
    )
  }
}

async function readText(file: string): Promise<{ readonly text: string | undefined; readonly mode: number }> {
  let handle: FileHandle
  try {
    if (!(await stat(file)).isFile()) throw allowListRules.noFile(file)
    handle = await open(file)
  } catch (error) {
    if (error instanceof AllowListError) throw error
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return { text: undefined, mode: 0o600 }
    throw allowListRules.unreadable(file, error)
  }
  try {
    const { size, mode } = await handle.stat()
    if (size > allowListBytesMax) throw allowListRules.tooLarge(file)
    return { text: await handle.readFile('utf8'), mode }
  } catch (error) {
    throw error instanceof AllowListError ? error : allowListRules.unreadable(file, error)
  } finally {
    await handle.close()
  }
}

function parseWhole(text: string, file: string): AllowList {
  const list = parseAllowList(text)
  const { problems } = list
  if (problems.length === 0) return list
  const more = problems.length - problemsShownMax
  const said = [...problems.slice(0, problemsShownMax), ...(more > 0 ? [`${more} more problems.`] : [])].join(' ')
  throw new AllowListError(`The allow-list ${file} is broken; until it is corrected it admits nobody new. ${said}`)
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
