import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { failure } from '../envelope/failure.js'
import { mediaTooLarge } from './media-too-large.js'

/**
 * The bytes of a regular file below one of the roots; a relative path is looked for in each of them. Throws `file_read_error`,
 * the same for a file elsewhere as for none: nobody learns by trying which files there are.
 */
export async function readBelow(roots: readonly string[], path: string, bytesMax: number): Promise<Uint8Array> {
  if (roots.length === 0) {
    throw failure(
      'file_read_error',
      'Files are not read here: send the bytes as base64 in `data`, or ask an operator to list a directory in social.media.roots.',
    )
  }
  for (const root of roots) {
    const place = await placeBelow(root, path)
    if (place !== undefined) return await readWhole(place, path, bytesMax)
  }
  throw unreadable(path)
}

/** Its real path, with all links followed; undefined when that is not below the root. */
async function placeBelow(root: string, path: string): Promise<string | undefined> {
  const wanted = resolve(root, path)
  if (!isBelow(resolve(root), wanted)) return undefined
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(wanted)])
    return isBelow(realRoot, real) ? real : undefined
  } catch {
    return undefined
  }
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

async function readWhole(place: string, path: string, bytesMax: number): Promise<Uint8Array> {
  let file: FileHandle | undefined
  try {
    // A link that took the file's place meanwhile is not followed, and a pipe is not waited for.
    file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) throw unreadable(path)
    return await readBounded(file, bytesMax, path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code)) {
      throw unreadable(path)
    }
    throw error
  } finally {
    await file?.close()
  }
}

/** A file that grows or shrinks meanwhile is refused: one byte of room more than it has tells. */
async function readBounded(file: FileHandle, bytesMax: number, path: string): Promise<Uint8Array> {
  const { size } = await file.stat()
  if (size > bytesMax) throw mediaTooLarge(shown(path), bytesMax)
  const bytes = Buffer.alloc(size + 1)
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  if (length !== size) throw unreadable(path)
  return bytes.subarray(0, length)
}

function unreadable(path: string) {
  return failure(
    'file_read_error',
    `${shown(path)} is no readable file below a directory of social.media.roots; send the bytes as base64 in \`data\` instead.`,
  )
}

function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
}
