import { mkdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { runSpoolBytesMax } from '../limits.js'
import type { Spool } from './spool.js'
import { readPart, SpoolFile } from './spool-file.js'

/** The files of one run. */
export class RunSpool {
  /** Relative to the spool's own directory: what the run's row holds. */
  readonly folder: string
  readonly #spool: Spool
  #bytes = 0
  #used = false

  constructor(spool: Spool, folder: string) {
    this.#spool = spool
    this.folder = folder
  }

  /** Anything was written here by this worker. */
  get used(): boolean {
    return this.#used
  }

  /** `size` of a file that is there already and is continued; 0 begins a new one. */
  file(name: string, size = 0): SpoolFile {
    this.#bytes += size
    this.#used ||= size > 0
    return new SpoolFile(this.#pathOf(name), this, size)
  }

  /** The folder, for other files of the run, e.g. images. Need not exist. */
  get path(): string {
    return this.#spool.pathOf(this.folder)
  }

  /** Before other files are written there: makes room for so many bytes. False: there is none. */
  reserve(bytes: number): boolean {
    if (!this.#spool.reserve(this.folder, bytes)) return false
    this.#used = true
    return true
  }

  /** 0 when it is not there. */
  async sizeOf(name: string): Promise<number> {
    return (await stat(this.#pathOf(name)).catch(() => undefined))?.size ?? 0
  }

  /** Fewer bytes, or none, at the end or when the file is not there. */
  readPart(name: string, offset: number, length: number): Promise<Buffer> {
    return readPart(this.#pathOf(name), offset, length)
  }

  // For SpoolFile -----------------------------------------------------------------------------------------------------

  /** Room for so many more bytes, or why there is none. */
  claim(bytes: number): string | undefined {
    if (this.#bytes + bytes > runSpoolBytesMax) return `a run keeps at most ${runSpoolBytesMax / 1024 / 1024} MiB`
    if (!this.#spool.reserve(this.folder, bytes)) return 'the room for kept output (spoolMiB) is used up'
    this.#bytes += bytes
    return undefined
  }

  unclaim(bytes: number): void {
    this.#bytes -= bytes
    this.#spool.release(this.folder, bytes)
  }

  /** What still fits below the limit of the run. */
  get roomBytes(): number {
    return runSpoolBytesMax - this.#bytes
  }

  makeFolder(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 })
    this.#used = true
  }

  hold(): void {
    this.#spool.hold(this.folder)
  }

  letGo(): void {
    this.#spool.letGo(this.folder)
  }

  #pathOf(name: string): string {
    return join(this.path, name)
  }
}
