import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { spoolBufferBytes } from '../limits.js'
import type { RunSpool } from './run-spool.js'

/**
 * The text of one stream on disk, from its first byte up to where something went wrong, without a gap. Writes are
 * synchronous: they go to the page cache, and nothing that was read from the process waits in memory. Never throws.
 */
export class SpoolFile {
  readonly #path: string
  readonly #run: RunSpool
  #buffer: Buffer = Buffer.alloc(0)
  #buffered = 0
  #descriptor: number | undefined
  #size: number
  #loss: string | undefined

  /** `size` of a file that is there already, and is continued. */
  constructor(path: string, run: RunSpool, size: number) {
    this.#path = path
    this.#run = run
    this.#size = size
  }

  /** Bytes that can be read. */
  get size(): number {
    return this.#size
  }

  /** Why the file ends before the stream. */
  get loss(): string | undefined {
    return this.#loss
  }

  /** `bytes` may be used again by the caller afterwards. */
  append(bytes: Uint8Array): void {
    if (this.#loss !== undefined) return
    if (this.#buffered + bytes.length > spoolBufferBytes) this.flush()
    if (bytes.length > spoolBufferBytes / 2) {
      this.flush()
      this.#writeWhatFits(bytes)
      return
    }
    if (this.#buffer.length === 0) this.#buffer = Buffer.allocUnsafeSlow(spoolBufferBytes)
    this.#buffer.set(bytes, this.#buffered)
    this.#buffered += bytes.length
  }

  flush(): void {
    if (this.#buffered === 0) return
    const bytes = this.#buffer.subarray(0, this.#buffered)
    this.#buffered = 0
    this.#writeWhatFits(bytes)
  }

  close(): void {
    this.flush()
    this.#release()
    this.#buffer = Buffer.alloc(0)
  }

  /** Fewer bytes, or none, when the file has been removed to make room. */
  async read(offset: number, length: number): Promise<Buffer> {
    this.flush()
    return readPart(this.#path, offset, Math.min(length, this.#size - offset))
  }

  #writeWhatFits(bytes: Uint8Array): void {
    const fits = bytes.subarray(0, Math.max(0, this.#run.roomBytes))
    if (fits.length > 0) this.#write(fits)
    if (fits.length < bytes.length) this.#loss ??= this.#run.claim(bytes.length)
  }

  #write(bytes: Uint8Array): void {
    this.#loss ??= this.#run.claim(bytes.length)
    if (this.#loss !== undefined) return this.#release()
    const before = this.#size
    try {
      this.#descriptor ??= this.#open()
      while (this.#size < before + bytes.length) {
        this.#size += writeSync(this.#descriptor, bytes, this.#size - before, undefined, this.#size)
      }
    } catch (error) {
      this.#run.unclaim(before + bytes.length - this.#size)
      this.#loss = `the disk refused it (${(error as NodeJS.ErrnoException).code ?? 'error'})`
      this.#release()
    }
  }

  #open(): number {
    if (this.#size === 0) this.#run.makeFolder()
    // No link is followed: without a sandbox, cells can write where this file lies.
    const flags = constants.O_WRONLY | constants.O_NOFOLLOW | (this.#size === 0 ? constants.O_CREAT : 0)
    const descriptor = openSync(this.#path, flags, 0o600)
    this.#run.hold()
    try {
      if (fstatSync(descriptor).size < this.#size) throw Object.assign(new Error('shortened'), { code: 'shortened' })
      ftruncateSync(descriptor, this.#size)
    } catch (error) {
      this.#descriptor = descriptor
      throw error
    }
    return descriptor
  }

  #release(): void {
    if (this.#descriptor === undefined) return
    try {
      closeSync(this.#descriptor)
    } catch {
      // What the disk reports only now is reported by reading less.
    }
    this.#descriptor = undefined
    this.#run.letGo()
  }
}

/** Empty when there is no such file, or it cannot be read. */
export async function readPart(path: string, offset: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0)
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined)
  if (!handle) return Buffer.alloc(0)
  try {
    const bytes = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  } catch {
    return Buffer.alloc(0)
  } finally {
    await handle.close().catch(() => {})
  }
}
