import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { LossList } from './loss-list.js'
import type { RefiProject } from './model.js'
import { type PackageFile, packageFiles } from './package-files.js'
import { type NewFile, writeNewFile } from './write-new-file.js'
import { qdeText } from './write-qde.js'

export interface PackageRequest extends NewFile {
  readonly project: RefiProject
  /** Of the texts' files. Positions count one per line end, whichever it is. */
  readonly lineEnds: 'lf' | 'crlf'
  /** What the package says of every file's time. */
  readonly writtenAt: Date
  /** The text of an internal file of the model, with LF alone. Called once for each, and only when its turn has come. */
  readText(fileName: string): string | Promise<string>
  /** The bytes of a picture, recording or rich text. */
  openFile(fileName: string): Readable | Promise<Readable>
}

/** Writes a `.qdpx`. Throws `EXPORT_FAILED/…`. */
export async function writePackage(request: PackageRequest): Promise<LossList> {
  const losses = new LossList()
  const zip = new PackageZip(request.writtenAt)
  zip.add('project.qde', true, () => Readable.from(qdeText(request.project, losses)))
  for (const file of packageFiles(request.project)) {
    zip.add(`sources/${file.name}`, file.kind === 'text' || isPackable(file.name), () => contentOf(file, request))
  }
  await zip.writeTo(request)
  return losses
}

class PackageZip {
  readonly #zip = new ZipFile()
  readonly #output = this.#zip.outputStream as Readable
  readonly #writtenAt: Date
  #current: Readable | undefined

  constructor(writtenAt: Date) {
    this.#writtenAt = writtenAt
    this.#zip.on('error', (error: Error) => this.#output.destroy(error))
  }

  add(name: string, compress: boolean, content: () => Readable | Promise<Readable>): void {
    this.#zip.addReadStreamLazy(name, { mtime: this.#writtenAt, mode: 0o100644, compress }, (done) => {
      void this.#open(content).then(
        (stream) => done(null, stream),
        (error) => this.#output.destroy(error),
      )
    })
  }

  async writeTo(file: NewFile): Promise<void> {
    this.#zip.end()
    try {
      await writeNewFile(file, this.#output)
    } finally {
      this.#current?.destroy()
    }
  }

  async #open(content: () => Readable | Promise<Readable>): Promise<Readable> {
    const stream = await content()
    stream.on('error', (error) => this.#output.destroy(error))
    this.#current = stream
    return stream
  }
}

async function contentOf(file: PackageFile, request: PackageRequest): Promise<Readable> {
  if (file.kind === 'media') return await request.openFile(file.name)
  const text = file.text ?? (await request.readText(file.name))
  return Readable.from([Buffer.from(request.lineEnds === 'crlf' ? text.replace(/\r?\n/g, '\r\n') : text)])
}

/** Pictures, recordings and documents are packed already, and large. */
function isPackable(name: string): boolean {
  return /\.(txt|rtf|wav|bmp|svg|tiff?)$/i.test(name)
}
