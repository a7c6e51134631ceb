import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RefiPath, RefiProject, RefiSource } from '../refi/model.js'
import type { RefiPackage } from '../refi/read-package.js'
import { isRichText } from '../refi/write-sources.js'
import type { ZipEntry } from '../refi/zip-entries.js'
import { sourceNameKey } from '../text/name-key.js'
import { FreeNames } from './free-names.js'

export interface PlannedFile {
  /** Of the project's folder, as its media paths have it. */
  readonly kind: 'docs' | 'images' | 'audio' | 'video'
  readonly folder: 'documents' | 'images' | 'audio' | 'video'
  readonly name: string
  readonly entry: ZipEntry
}

export type MediaPlan = ReadonlyMap<RefiSource, PlannedFile>

/** Which files of a package come into the project's folder, and under which names. `taken`: names that are in these folders already. */
export function mediaPlan(pack: Pick<RefiPackage, 'find'>, project: RefiProject, taken: Iterable<string>): MediaPlan {
  const names = new FreeNames(taken, sourceNameKey, 'with ending')
  const plan = new Map<RefiSource, PlannedFile>()
  for (const source of project.sources) {
    const path = pathOf(source)
    const entry = path === null ? null : pack.find(path)
    if (path === null || entry === null) continue
    plan.set(source, { ...placeOf(source), name: names.take(fileName(source, path)), entry })
  }
  return plan
}

/** Into folders of `root`; null: they are only read, so that what is damaged shows. */
export async function extractMedia(
  pack: RefiPackage,
  plan: MediaPlan,
  root: string | null,
  signal: AbortSignal,
): Promise<void> {
  for (const { folder, name, entry } of plan.values()) {
    if (root !== null) await mkdir(join(root, folder), { recursive: true })
    const target = root === null ? nowhere() : createWriteStream(join(root, folder, name), { flags: 'wx' })
    await pipeline(await pack.openFile(entry), target, { signal })
  }
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

export function pathOf(source: RefiSource): RefiPath | null {
  if (source.kind !== 'text') return source.path ?? source.currentPath
  return source.richTextPath !== null && isRichText(source.richTextPath) ? source.richTextPath : null
}

export function placeOf({ kind }: RefiSource): Pick<PlannedFile, 'kind' | 'folder'> {
  switch (kind) {
    case 'text':
    case 'pdf':
      return { kind: 'docs', folder: 'documents' }
    case 'picture':
      return { kind: 'images', folder: 'images' }
    case 'audio':
      return { kind: 'audio', folder: 'audio' }
    case 'video':
      return { kind: 'video', folder: 'video' }
    default:
      return kind satisfies never
  }
}

/** What no file system minds; the ending says to QualCoder what it is. */
function fileName({ kind, name, guid }: RefiSource, { path }: RefiPath): string {
  const given = /^\.[a-z0-9]{1,10}$/i.test(extname(path)) ? extname(path) : ''
  const ending = kind === 'pdf' ? '.pdf' : given
  const wanted = (name ?? '').replace(/[\p{Cc}\p{Surrogate}\u2028\u2029/\\:*?"<>|]/gu, '_').trim()
  const stem = wanted.toLowerCase().endsWith(ending.toLowerCase())
    ? wanted.slice(0, wanted.length - ending.length)
    : wanted
  const short = [...stem.replace(/^\.+/, '')].slice(0, 50).join('').trim()
  return `${short || guid}${ending}`
}
