import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Content } from '@callboard/worker'
import { displayBytesMax, displaysBytesMax, displaysKeptMax } from '../limits.js'
import type { MimeBundle } from '../runtime/runtime.js'
import { contentOf, type KeptDisplay, type Shown, type ShownType, shownOf, shownTypes } from './rich-content.js'

const folderName = 'images'
const typeOfEnding = new Map(Object.entries(shownTypes).map(([type, ending]) => [ending as string, type as ShownType]))

/**
 * What one run has shown, as files `1.png`, `2.md` … in a folder that is made with the first of them and goes with the run's
 * own. The folder is all the state there is: a reply is made from it, also after a restart.
 */
export class RunImages {
  readonly runFolder: string
  readonly #folder: string
  readonly #reserve: (bytes: number) => boolean
  #count = 0
  #bytes = 0
  #omitted = 0
  #failed = 0
  #written: Promise<void> = Promise.resolve()

  /** `runFolder` need not exist. `reserve` says whether there is room for so many bytes more. */
  constructor(runFolder: string, reserve: (bytes: number) => boolean = () => true) {
    this.runFolder = runFolder
    this.#folder = join(runFolder, folderName)
    this.#reserve = reserve
  }

  /** Accepted so far; they are on disk when `settled` has resolved. */
  get count(): number {
    return this.#count
  }

  /** Displays that had no room here, and those that the disk did not take. */
  get lost(): number {
    return this.#omitted + this.#failed
  }

  /** Returns what was kept of it. */
  add(bundle: MimeBundle): readonly KeptDisplay[] {
    return shownOf(bundle).flatMap((shown) => this.#add(shown) ?? [])
  }

  /** Never rejects. */
  async settled(): Promise<void> {
    await this.#written
  }

  #add({ mimeType, bytes }: Shown): KeptDisplay | undefined {
    const isFull = this.#count >= displaysKeptMax || this.#bytes + bytes.length > displaysBytesMax
    if (isFull || !this.#reserve(bytes.length)) {
      this.#omitted += 1
      return undefined
    }
    this.#count += 1
    this.#bytes += bytes.length
    const file = join(this.#folder, `${this.#count}.${shownTypes[mimeType]}`)
    this.#written = this.#written.then(() => this.#write(file, bytes))
    return { n: this.#count, mimeType, size: bytes.length }
  }

  async #write(file: string, bytes: Buffer): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await writeFile(file, bytes, { mode: 0o600 })
    } catch {
      // A full disk, or a folder that a reset took away: told as lost, never a reason to fail the run.
      this.#failed += 1
    }
  }
}

/** What a run has shown, for a reply; empty when there is nothing. Await `settled` first if the run is of this process. */
export async function shownContent(runFolder: string, runId: number): Promise<readonly Content[]> {
  const folder = join(runFolder, folderName)
  return contentOf(runId, await listDisplays(folder), (display) => readDisplay(folder, display))
}

/** One display of a run; undefined if there is none of that number. */
export async function readShown(
  runFolder: string,
  n: number,
): Promise<{ readonly mimeType: ShownType; readonly bytes: Buffer } | undefined> {
  const folder = join(runFolder, folderName)
  const display = (await listDisplays(folder)).find((candidate) => candidate.n === n)
  const bytes = display && (await readDisplay(folder, display))
  return bytes && { mimeType: display.mimeType, bytes }
}

async function listDisplays(folder: string): Promise<readonly KeptDisplay[]> {
  const files = await readdir(folder).catch((): string[] => [])
  const found = await Promise.all(files.map((file) => describeFile(folder, file)))
  return found.filter((display) => display !== undefined).sort((a, b) => a.n - b.n)
}

async function describeFile(folder: string, file: string): Promise<KeptDisplay | undefined> {
  const [, number, ending] = /^([1-9]\d{0,3})\.([a-z]+)$/.exec(file) ?? []
  const mimeType = ending === undefined ? undefined : typeOfEnding.get(ending)
  if (mimeType === undefined) return undefined
  const size = await stat(join(folder, file)).then(
    (found) => found.size,
    () => undefined,
  )
  // Code in a kernel without a sandbox can write there too.
  return size === undefined || size > displayBytesMax ? undefined : { n: Number(number), mimeType, size }
}

async function readDisplay(folder: string, { n, mimeType }: KeptDisplay): Promise<Buffer | undefined> {
  try {
    return await readFile(join(folder, `${n}.${shownTypes[mimeType]}`))
  } catch {
    return undefined
  }
}
