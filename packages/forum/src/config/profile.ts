import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { jsonMistake } from '@callboard/worker/json-mistake'
import { isRecord, type JsonRecord } from '../json/read-json.js'
import { profileBytesMax } from '../limits.js'

export type ReadProfile =
  | { readonly path: string; readonly section: JsonRecord; readonly isOpenToOthers: boolean; readonly problem?: never }
  /** A sentence without its subject, which is the path. */
  | { readonly path: string; readonly problem: string; readonly section?: never }

/** A part of the section `forum` in a file of its own; a relative path is one from the working directory. Throws nothing. */
export function readProfile(written: string, home: string | undefined): ReadProfile {
  const path = withHome(written, home)
  if (path === undefined) return { path: written, problem: `can't be found: HOME is not set` }
  try {
    return { path, ...readFile(path) }
  } catch (error) {
    if (error instanceof Unfit) return { path, problem: error.message }
    const { code } = error as NodeJS.ErrnoException
    return { path, problem: code === 'ENOENT' ? 'there is no such file' : `can't be read (${code})` }
  }
}

/** An absolute path, `~` being the home directory; undefined where there is none. */
export function withHome(written: string, home: string | undefined): string | undefined {
  if (written !== '~' && !written.startsWith('~/')) return resolve(written)
  return home === undefined ? undefined : join(home, written.slice(1))
}

/** Whether others than its owner can read or change a file. */
export function isOpenToOthers(path: string): boolean {
  try {
    return hasOpenMode(statSync(path).mode)
  } catch {
    return false
  }
}

function readFile(path: string): { readonly section: JsonRecord; readonly isOpenToOthers: boolean } {
  // A pipe that nobody writes to would be waited for.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const status = fstatSync(file)
    if (!status.isFile()) throw new Unfit('is no file')
    if (status.size > profileBytesMax) throw new Unfit(`has more than ${profileBytesMax} bytes: it is no profile`)
    return { section: sectionIn(readFileSync(file, 'utf8')), isOpenToOthers: hasOpenMode(status.mode) }
  } finally {
    closeSync(file)
  }
}

function sectionIn(text: string): JsonRecord {
  // Editors of some systems put a mark before the text.
  const json = text.replace(/^\uFEFF/, '')
  const mistake = jsonMistake(json)
  if (mistake !== undefined) throw new Unfit(mistake)
  const section: unknown = JSON.parse(json)
  if (isRecord(section)) return section
  throw new Unfit('must hold an object with keys of the section forum')
}

const hasOpenMode = (mode: number): boolean => (mode & 0o077) !== 0

class Unfit extends Error {}
