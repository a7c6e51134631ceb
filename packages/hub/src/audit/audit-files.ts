import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ReadLine, readLine } from './chain.js'
import { lineBytesMax } from './limits.js'

const namePattern = /^audit-(\d{8})\.jsonl$/

export const fileName = (serial: number): string => `audit-${String(serial).padStart(8, '0')}.jsonl`

export const serialOf = (name: string): number => Number(namePattern.exec(name)?.[1] ?? 0)

/** The journal's files, the oldest first. @throws when the directory can't be read */
export async function auditFiles(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => namePattern.test(name)).sort()
}

/** Nobody can put a link in the place of a file. @throws */
export function openForReading(directory: string, name: string): Promise<FileHandle> {
  return open(join(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
}

export interface FileEnd {
  /** Undefined: there is no whole line, or the last one is not as it was written. */
  readonly last: ReadLine | undefined
  /** Up to the end of the last whole line. */
  readonly wholeBytes: number
  /** After it: of a line that was not finished. */
  readonly tornBytes: number
}

export async function endOf(handle: FileHandle): Promise<FileEnd> {
  const { size } = await handle.stat()
  const from = Math.max(0, size - 2 * lineBytesMax)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
  const tail = buffer.subarray(0, bytesRead)
  const lineEnd = tail.lastIndexOf(10)
  const wholeBytes = lineEnd < 0 ? from : from + lineEnd + 1
  const lineStart = lineEnd <= 0 ? 0 : tail.lastIndexOf(10, lineEnd - 1) + 1
  const last = lineEnd < 0 ? undefined : readLine(tail.subarray(lineStart, lineEnd).toString('utf8'))
  return { last, wholeBytes, tornBytes: from + bytesRead - wholeBytes }
}

/** The newest line of all; undefined: there is none. */
export async function headOf(directory: string): Promise<ReadLine | undefined> {
  for (const name of (await auditFiles(directory)).reverse()) {
    const handle = await openForReading(directory, name)
    try {
      const { last, wholeBytes } = await endOf(handle)
      if (last !== undefined || wholeBytes > 0) return last
    } finally {
      await handle.close()
    }
  }
  return undefined
}
