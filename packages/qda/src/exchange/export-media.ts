import { constants, createReadStream, lstatSync, openSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { QdaFailure } from '../failure.js'
import { innerPath, type SourceRow } from '../project/sources.js'
import type { RefiPath } from '../refi/model.js'
import type { ExportContext } from './export-context.js'

/** Files of the project that leave with it, and where they are in the package. */
export class ExportMedia {
  readonly #context: Pick<ExportContext, 'project' | 'includeMedia' | 'losses'>
  readonly #files = new Map<string, string>()

  constructor(context: Pick<ExportContext, 'project' | 'includeMedia' | 'losses'>) {
    this.#context = context
  }

  get count(): number {
    return this.#files.size
  }

  /** Of a source's file; null: it has none. */
  pathOf(source: SourceRow, guid: string): RefiPath | null {
    const { project, includeMedia, losses } = this.#context
    const inner = innerPath(source.mediapath)
    if (inner === undefined) return linkedPath(source.mediapath)
    if (!includeMedia) return { kind: 'relative', path: inner }
    const file = join(project.path, inner)
    if (!isFile(file)) {
      losses.add('Source', guid, `its file, for ${inner.slice(0, 200)} is not in the project's folder`)
      return { kind: 'relative', path: inner }
    }
    const name = `${guid}${extensionOf(inner)}`
    this.#files.set(name, file)
    return { kind: 'internal', path: name }
  }

  /** Of the package. A link in the project's folder is not followed: it may lead anywhere. */
  open(name: string): Readable {
    const file = this.#files.get(name)!
    try {
      return createReadStream('', { fd: openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW) })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new QdaFailure(
        'EXPORT_FAILED/WRITE_FAILED',
        `${file} can't be read (${code}); check it, and repeat the call`,
      )
    }
  }
}

function linkedPath(mediapath: string | null): RefiPath | null {
  const path = /^[a-z]+:(.+)$/s.exec(mediapath ?? '')?.[1]
  return path === undefined ? null : { kind: 'absolute', path }
}

function extensionOf(path: string): string {
  const extension = extname(path)
  return /^\.[a-z0-9]{1,10}$/i.test(extension) ? extension.toLowerCase() : ''
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}
