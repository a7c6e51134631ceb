import type { Readable } from 'node:stream'
import { QdaFailure } from '../failure.js'
import { packageTextBytesMax } from '../limits.js'
import type { LossList } from './loss-list.js'
import type { RefiPath, RefiProject } from './model.js'
import { readQde } from './read-qde.js'
import { ZipEntries, type ZipEntry } from './zip-entries.js'

export type PackageText =
  | { readonly kind: 'text'; readonly text: string }
  /** `what` goes after "its text, for". */
  | { readonly kind: 'unreadable'; readonly what: string }

/** A `.qdpx` that is open: its project, and its files one at a time. */
export class RefiPackage {
  readonly #entries: ZipEntries
  readonly project: RefiProject
  /** Of the project's document; the importer adds its own. */
  readonly losses: LossList

  private constructor(entries: ZipEntries, project: RefiProject, losses: LossList) {
    this.#entries = entries
    this.project = project
    this.losses = losses
  }

  /** Throws `IMPORT_FAILED/…`. */
  static async open(path: string, documentUid?: string): Promise<RefiPackage> {
    const entries = await ZipEntries.open(path)
    try {
      const { project, losses } = await readQde(await documentOf(entries), documentUid)
      return new RefiPackage(entries, project, losses)
    } catch (error) {
      entries.close()
      throw error
    }
  }

  /** Only files within the package are found. */
  find(path: RefiPath): ZipEntry | null {
    if (path.kind !== 'internal') return null
    const name = path.path.replaceAll('\\', '/').replace(/^\.?\/+/, '')
    return this.#entries.find(`sources/${name}`) ?? this.#entries.find(name)
  }

  /** As it is in the file, but for a byte order mark. A missing or strange file costs one text, a damaged package fails. */
  async readText(path: RefiPath): Promise<PackageText> {
    const entry = this.find(path)
    if (entry === null) return unreadable(`the package has no file ${path.path.slice(0, 200)}`)
    if (entry.bytes > packageTextBytesMax) return unreadable(`its file is larger than ${packageTextBytesMax} bytes`)
    const bytes = await gathered(await this.#entries.openEntry(entry))
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      return text.includes('\0') ? unreadable('its file has NUL characters') : { kind: 'text', text }
    } catch {
      return unreadable('its file is not UTF-8 text')
    }
  }

  openFile(entry: ZipEntry): Promise<Readable> {
    return this.#entries.openEntry(entry)
  }

  close(): void {
    this.#entries.close()
  }
}

async function documentOf(entries: ZipEntries): Promise<Readable> {
  const entry = entries.find('project.qde')
  if (entry !== null) return await entries.openEntry(entry)
  throw new QdaFailure(
    'IMPORT_FAILED/INVALID_FILE',
    'The package has no project.qde at its top, so it is no REFI-QDA project; give a .qdpx as a program exported it',
  )
}

async function gathered(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function unreadable(what: string): PackageText {
  return { kind: 'unreadable', what }
}
