import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, link, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { QdaFailure } from '../failure.js'

export interface NewFile {
  readonly path: string
  readonly overwrite: boolean
  readonly signal?: AbortSignal
}

/**
 * Writes beside the path and puts the file there when it is whole: a reader never sees half of it, and what failed leaves nothing.
 * Throws `EXPORT_FAILED/EXISTS`, `/INVALID_PATH` or `/WRITE_FAILED`.
 */
export async function writeNewFile(file: NewFile, content: Readable): Promise<void> {
  const part = join(dirname(file.path), `.${basename(file.path).slice(0, 100)}.${randomUUID()}.part`)
  try {
    if (!file.overwrite && (await exists(file.path))) throw existsAlready()
    const target = createWriteStream(part, { flags: 'wx', flush: true })
    await pipeline(content, target, file.signal === undefined ? {} : { signal: file.signal })
    await (file.overwrite ? rename(part, file.path) : putWhereNothingIs(part, file.path))
  } catch (error) {
    throw file.signal?.aborted === true ? error : failureOf(error)
  } finally {
    content.destroy()
    await rm(part, { force: true })
  }
}

/** A link fails where a file appeared meanwhile; some file systems have no links. */
async function putWhereNothingIs(part: string, path: string): Promise<void> {
  try {
    await link(part, path)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error
    if (await exists(path)) throw existsAlready()
    await rename(part, path)
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}

function failureOf(error: unknown): unknown {
  if (error instanceof QdaFailure) return error
  const code = codeOf(error)
  if (code === 'EEXIST') return existsAlready()
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG')
    return new QdaFailure(
      'EXPORT_FAILED/INVALID_PATH',
      'No file can be at this path; name a file in a folder that exists',
    )
  return new QdaFailure(
    'EXPORT_FAILED/WRITE_FAILED',
    `The file could not be written (${code}); check that the folder may be written to and that the disk has room`,
  )
}

function existsAlready(): QdaFailure {
  return new QdaFailure(
    'EXPORT_FAILED/EXISTS',
    'There is a file at this path already; choose another path, or pass overwrite: true',
  )
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String((error as Error).message ?? error)
}
