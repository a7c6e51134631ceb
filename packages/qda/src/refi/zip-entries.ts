import { type Readable, Transform } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import { QdaFailure } from '../failure.js'
import { packageBytesMax, packageEntriesMax, packageRatioFreeBytes, packageRatioMax } from '../limits.js'
import { entryNameProblem } from './entry-name.js'

export interface ZipEntry {
  readonly name: string
  readonly bytes: number
}

/**
 * The files of a ZIP, all of which were looked at before any is read. Nothing is ever unpacked to the disk under a name from the
 * package. Throws `IMPORT_FAILED/REFUSED` for what attackers make, `/TOO_LARGE`, `/INVALID_FILE` and `/NOT_FOUND`.
 */
export class ZipEntries {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry & { readonly fileName: string }>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  static async open(path: string): Promise<ZipEntries> {
    const zip = await opened(path)
    try {
      return new ZipEntries(zip, await checkedEntries(zip))
    } catch (error) {
      zip.close()
      throw error instanceof QdaFailure ? error : damaged(error)
    }
  }

  /** Names are found whatever their case. */
  find(name: string): ZipEntry | null {
    const entry = this.#entries.get(entryKey(name))
    return entry === undefined ? null : { name: entry.fileName, bytes: entry.uncompressedSize }
  }

  names(): string[] {
    return [...this.#entries.values()].map(({ fileName }) => fileName)
  }

  /** Its bytes, checked against the size and the checksum that the package gives; the stream fails with `/INVALID_FILE`. */
  async openEntry({ name }: ZipEntry): Promise<Readable> {
    const entry = this.#entries.get(entryKey(name))!
    const source = await this.#zip.openReadStreamPromise(entry).catch((error: unknown) => {
      throw damaged(error)
    })
    const checked = checksumChecked(entry)
    source.on('error', (error) => checked.destroy(damaged(error)))
    checked.on('close', () => source.destroy())
    return source.pipe(checked)
  }

  close(): void {
    this.#zip.close()
  }
}

async function opened(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: true,
    })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') throw new QdaFailure('IMPORT_FAILED/NOT_FOUND', 'There is no file at this path')
    throw damaged(error)
  }
}

async function checkedEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > packageEntriesMax) throw tooLarge(`has more than ${packageEntriesMax} files`)
  const entries = new Map<string, Entry>()
  const all: Entry[] = []
  let bytes = 0
  for await (const entry of zip.eachEntry()) {
    entry.fileName = nameOf(entry)
    bytes += entry.uncompressedSize
    checkEntry(entry)
    if (bytes > packageBytesMax) throw tooLarge(`is more than ${packageBytesMax} bytes when unpacked`)
    all.push(entry)
    if (entry.fileName.endsWith('/')) continue
    const key = entryKey(entry.fileName)
    if (entries.has(key)) throw refused(`has two files named ${shown(entry.fileName)}`)
    entries.set(key, entry)
  }
  checkOverlaps(all, zip.fileSize)
  return entries
}

/** Backslashes stay what they are, and are refused. */
function nameOf(entry: Entry): string {
  const raw = entry.fileName as unknown as Buffer
  return getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true)
}

function checkEntry(entry: Entry): void {
  const problem = entryNameProblem(entry.fileName)
  if (problem !== null) throw refused(`has a file named ${shown(entry.fileName)}, which ${problem}`)
  if (!isPlain(entry)) throw refused(`has ${shown(entry.fileName)}, which is a link or no regular file`)
  if (entry.isEncrypted()) throw refused(`has ${shown(entry.fileName)} encrypted; export it without a password`)
  if (!entry.canDecodeFileData())
    throw new QdaFailure(
      'IMPORT_FAILED/INVALID_FILE',
      `The package has ${shown(entry.fileName)} packed by method ${entry.compressionMethod}; pack it as an ordinary ZIP`,
    )
  const ratio = entry.uncompressedSize / Math.max(1, entry.compressedSize)
  if (entry.uncompressedSize > packageRatioFreeBytes && ratio > packageRatioMax)
    throw refused(`has ${shown(entry.fileName)}, which unpacks to more than ${packageRatioMax} times its size`)
}

/** Systems other than Unix leave the upper half of the attributes empty. */
function isPlain(entry: Entry): boolean {
  const type = (entry.externalFileAttributes >>> 16) & 0o170000
  if (type === 0) return true
  return type === (entry.fileName.endsWith('/') ? 0o040000 : 0o100000)
}

/** Files that share bytes unpack to far more than the package could hold. */
function checkOverlaps(entries: readonly Entry[], fileSize: number): void {
  const sorted = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  for (const [index, entry] of sorted.entries()) {
    const next = sorted[index + 1]?.relativeOffsetOfLocalHeader ?? fileSize
    const end = entry.relativeOffsetOfLocalHeader + localHeaderBytes + entry.compressedSize
    if (end > next) throw refused(`has ${shown(entry.fileName)} on the same bytes as another file, or beyond its end`)
  }
}

const localHeaderBytes = 30

function checksumChecked(entry: Entry): Transform {
  let checksum = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      checksum = crc32(chunk, checksum)
      done(null, chunk)
    },
    flush(done) {
      done(checksum === entry.crc32 ? null : damaged(new Error(`the checksum of ${shown(entry.fileName)} is wrong`)))
    },
  })
}

function entryKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

function refused(what: string): QdaFailure {
  return new QdaFailure('IMPORT_FAILED/REFUSED', `The package ${what}: it is refused; export it again`)
}

function tooLarge(what: string): QdaFailure {
  return new QdaFailure('IMPORT_FAILED/TOO_LARGE', `The package ${what}; export it in parts`)
}

function damaged(error: unknown): QdaFailure {
  const reason = error instanceof Error ? error.message : String(error)
  return new QdaFailure('IMPORT_FAILED/INVALID_FILE', `The package is no readable ZIP (${reason}); export it again`)
}
