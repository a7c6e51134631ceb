import { constants } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, normalize, relative, resolve, sep } from 'node:path'
import { ForumFailure } from '../failure/forum-failure.js'
import { uploadBytesMax } from '../limits.js'

export interface UploadedFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/**
 * A file in one of these folders, or below. Links are followed, and count for where they lead. Throws a ForumFailure: `forbidden`
 * for everything else, `not_found`, or `invalid_arguments` for what is no file with something in it, or too large.
 */
export async function readLocalFile(path: string, folders: readonly string[]): Promise<UploadedFile> {
  if (!isAbsolute(path))
    throw unusable(`${path} is no absolute path. Files from the web can't be uploaded: download them first.`)
  const allowed = (await Promise.all(folders.map(realFolder))).flat()
  // What is elsewhere is refused before it is touched: nobody is told whether it is there.
  if (![...allowed, ...folders.map((folder) => resolve(folder))].some((folder) => isBelow(normalize(path), folder))) {
    throw outside(path, folders)
  }
  const real = await realpath(path).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  if (!allowed.some((folder) => isBelow(real, folder))) throw outside(path, folders)
  const file = await openFile(path, real)
  try {
    await requireStillThere(file, path, allowed)
    return { name: basename(path), bytes: await readWhole(file, path) }
  } finally {
    await file.close()
  }
}

async function realFolder(folder: string): Promise<string[]> {
  return realpath(folder).then(
    (real) => [real],
    () => [],
  )
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

async function openFile(path: string, real: string): Promise<FileHandle> {
  // Without waiting for the other end of a pipe, and through no link that was put there since it was looked at.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  return open(real, flags).catch((error: unknown) => {
    throw unreadable(path, error)
  })
}

/**
 * Throws unless what was opened is a file, and the one that lies under the path: a folder on the way can have become a link after
 * it was looked at. While the file is open nothing else has its number.
 */
export async function requireStillThere(file: FileHandle, path: string, allowed: readonly string[]): Promise<void> {
  const opened = await file.stat({ bigint: true })
  if (!opened.isFile()) throw unusable(`${path} is no file.`)
  const real = await realpath(path).catch(() => undefined)
  const there = real === undefined ? undefined : await stat(real, { bigint: true }).catch(() => undefined)
  const isSame = there?.dev === opened.dev && there.ino === opened.ino
  if (real === undefined || !isSame || !allowed.some((folder) => isBelow(real, folder))) {
    throw unusable(`${path} was replaced while it was read. Call again.`)
  }
}

async function readWhole(file: FileHandle, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const { size } = await file.stat()
  if (size > uploadBytesMax) throw tooLarge(path)
  if (size === 0) throw unusable(`${path} is empty.`)
  // One byte more than there is: a file may grow while it is read.
  const bytes = new Uint8Array(size + 1)
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  if (length !== size) throw unusable(`${path} was changed while it was read. Call again.`)
  return bytes.subarray(0, length)
}

export function tooLarge(what: string): ForumFailure {
  return unusable(`${what} has more than ${uploadBytesMax} bytes, which is more than can be uploaded.`)
}

function outside(path: string, folders: readonly string[]): ForumFailure {
  const which = folders.length === 0 ? 'of which there are none' : `which are ${folders.join(', ')}`
  return new ForumFailure(
    'forbidden',
    `${path} is in none of the folders that files may be uploaded from, ${which}. The operator sets allowed_upload_paths; or give image_data with filename.`,
  )
}

function unreadable(path: string, error: unknown): ForumFailure {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT' || code === 'ENOTDIR') return new ForumFailure('not_found', `There is no file ${path}.`)
  return unusable(`${path} can't be read${code === undefined ? '' : ` (${code})`}.`)
}

function unusable(message: string): ForumFailure {
  return new ForumFailure('invalid_arguments', message, { issues: [{ path: 'url', message }] })
}
