import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RunSpool } from './run-spool.js'

export interface SpoolOptions {
  /** Made when the first file is. */
  readonly directory: string
  /** Of all files together; beyond it those of the oldest runs go. */
  readonly bytesMax: number
}

/** What runs wrote beyond what a reply shows, and what belongs to it: one folder per run, files of mode 0600. */
export class Spool {
  readonly #directory: string
  readonly #bytesMax: number
  /** By folder, oldest first. */
  readonly #sizes = new Map<string, number>()
  readonly #inUse = new Map<string, number>()
  #total = 0

  private constructor({ directory, bytesMax }: SpoolOptions) {
    this.#directory = directory
    this.#bytesMax = bytesMax
  }

  /** Looks once through what earlier workers have left. Never rejects: a disk that fails shows in the runs that need it. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(options)
    await mkdir(options.directory, { recursive: true, mode: 0o700 }).catch(() => {})
    for (const { folder, bytes } of await foldersIn(options.directory)) spool.#account(folder, bytes)
    spool.#makeRoom(0, '')
    return spool
  }

  get totalBytes(): number {
    return this.#total
  }

  /** The place of a run's files, made when the first is; asking for it touches no disk. */
  run(owner: string, runId: number): RunSpool {
    return new RunSpool(this, join(ownerFolder(owner), `${runId}`))
  }

  /** Removes these folders, named as `RunSpool.folder` is. Never rejects. */
  async forget(folders: readonly string[]): Promise<void> {
    for (const folder of folders.filter((name) => folderPattern.test(name))) {
      await rm(this.pathOf(folder), { recursive: true, force: true }).catch(() => {})
      this.#drop(folder)
    }
  }

  // For RunSpool ------------------------------------------------------------------------------------------------------

  pathOf(folder: string): string {
    return join(this.#directory, folder)
  }

  /** Whether so many more bytes may be written there; removes older runs to make room for them. */
  reserve(folder: string, bytes: number): boolean {
    if (this.#total + bytes > this.#bytesMax) this.#makeRoom(bytes, folder)
    if (this.#total + bytes > this.#bytesMax) return false
    this.#account(folder, bytes)
    return true
  }

  /** What was reserved and then not written. */
  release(folder: string, bytes: number): void {
    this.#account(folder, -bytes)
  }

  /** A file that is being written is not removed. */
  hold(folder: string): void {
    this.#inUse.set(folder, (this.#inUse.get(folder) ?? 0) + 1)
  }

  letGo(folder: string): void {
    const count = (this.#inUse.get(folder) ?? 0) - 1
    if (count > 0) this.#inUse.set(folder, count)
    else this.#inUse.delete(folder)
  }

  #makeRoom(bytes: number, except: string): void {
    for (const folder of [...this.#sizes.keys()]) {
      if (this.#total + bytes <= this.#bytesMax) return
      if (folder === except || this.#inUse.has(folder)) continue
      try {
        rmSync(this.pathOf(folder), { recursive: true, force: true })
      } catch {
        // Not ours to remove. Forgotten all the same: else it would be tried again at every write.
      }
      this.#drop(folder)
    }
  }

  #account(folder: string, bytes: number): void {
    this.#sizes.set(folder, (this.#sizes.get(folder) ?? 0) + bytes)
    this.#total += bytes
  }

  #drop(folder: string): void {
    this.#total -= this.#sizes.get(folder) ?? 0
    this.#sizes.delete(folder)
  }
}

/** Folders come from a database that others can write to: nothing else is ever removed. */
const folderPattern = /^[0-9a-f]{32}\/\d+$/

/** Names of owners hold any character, and are nobody's business on disk. */
function ownerFolder(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 32)
}

/** Oldest first. */
async function foldersIn(directory: string): Promise<readonly { readonly folder: string; readonly bytes: number }[]> {
  const found: { folder: string; bytes: number; at: number }[] = []
  for (const owner of await readdir(directory).catch(() => [])) {
    for (const run of await readdir(join(directory, owner)).catch(() => [])) {
      const folder = join(owner, run)
      const files = await readdir(join(directory, folder), { recursive: true }).catch(() => [])
      const states = await Promise.all(files.map((file) => stat(join(directory, folder, file)).catch(() => undefined)))
      const bytes = states.reduce((sum, state) => sum + (state?.isFile() ? state.size : 0), 0)
      found.push({ folder, bytes, at: Math.max(0, ...states.map((state) => state?.mtimeMs ?? 0)) })
    }
  }
  return found.sort((a, b) => a.at - b.at)
}
