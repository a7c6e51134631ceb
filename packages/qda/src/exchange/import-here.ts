import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { importedIntoCurrentMax, importedTextUnitsMax } from '../limits.js'
import type { OpenProject } from '../project/open-project.js'
import { LossList } from '../refi/loss-list.js'
import type { RefiContent, RefiPath, RefiProject, RefiSource } from '../refi/model.js'
import { type PackageText, RefiPackage } from '../refi/read-package.js'
import type { ImportCounts } from './import-counts.js'
import { importProject } from './import-project.js'
import { extractMedia, type MediaPlan, mediaPlan } from './media-plan.js'

/** All of a package that one transaction needs, which can't wait for anything. */
export interface PreparedImport {
  readonly project: RefiProject
  readonly losses: LossList
  readonly media: MediaPlan
  /** By the paths of their files. */
  readonly texts: ReadonlyMap<string, PackageText>
  /** Where the package's files wait; relative to the project's folder. */
  readonly stagedIn: string
  /** Tells whether the file is still the same. */
  readonly file: { readonly bytes: number; readonly modifiedMs: number }
}

/** Files come along only where they are wanted: for a preview they are only read. Throws IMPORT_FAILED. */
export async function prepareImport(
  path: string,
  { project: { path: folder }, signal, withFiles }: HereOptions,
): Promise<PreparedImport> {
  const { size: bytes, mtimeMs: modifiedMs } = await stat(path)
  const pack = await RefiPackage.open(path)
  const stagedIn = `callboard_trash/import-${randomUUID()}`
  try {
    requireFewElements(pack.project)
    const texts = await textsOf(pack, signal)
    const media = mediaPlan(pack, pack.project, await filesIn(folder))
    await extractMedia(pack, media, withFiles ? join(folder, stagedIn) : null, signal)
    return { ...{ project: pack.project, losses: pack.losses, media, texts, stagedIn }, file: { bytes, modifiedMs } }
  } catch (error) {
    await rm(join(folder, stagedIn), { recursive: true, force: true })
    throw error
  } finally {
    pack.close()
  }
}

interface HereOptions {
  readonly project: OpenProject
  readonly signal: AbortSignal
  readonly withFiles: boolean
}

/** Within a transaction. */
export function importHere(
  writer: Writer,
  { project, losses: found, media, texts, stagedIn }: PreparedImport,
): { readonly counts: ImportCounts; readonly losses: LossList } {
  // It may be tried before it is done.
  const losses = LossList.copyOf(found)
  const work = importProject(writer, { project, media, losses })
  let step = work.next()
  while (step.done !== true) step = work.next(step.value === null ? undefined : texts.get(keyOf(step.value)))
  for (const { folder, name } of media.values())
    writer.moveFile({ from: `${stagedIn}/${folder}/${name}`, to: `${folder}/${name}` })
  return { counts: step.value, losses }
}

/** What was not moved into its place goes. */
export async function releaseImport({ path }: OpenProject, { stagedIn }: PreparedImport): Promise<void> {
  await rm(join(path, stagedIn), { recursive: true, force: true })
}

async function textsOf(pack: RefiPackage, signal: AbortSignal): Promise<ReadonlyMap<string, PackageText>> {
  const texts = new Map<string, PackageText>()
  let units = 0
  for (const path of textPathsOf(pack.project)) {
    if (texts.has(keyOf(path))) continue
    signal.throwIfAborted()
    const text = await pack.readText(path)
    texts.set(keyOf(path), text)
    units += text.kind === 'text' ? text.text.length : 0
    if (units > importedTextUnitsMax) throw tooLarge('Its texts are too long')
  }
  return texts
}

function* textPathsOf({ sources, notes }: RefiProject): Generator<RefiPath> {
  for (const { content } of [...sources.flatMap(textsIn), ...notes]) if (content?.kind === 'file') yield content.path
}

function textsIn(source: RefiSource): readonly { readonly content: RefiContent | null }[] {
  switch (source.kind) {
    case 'text':
      return [source]
    case 'picture':
      return source.textDescription === null ? [] : [source.textDescription]
    case 'pdf':
      return source.representation === null ? [] : [source.representation]
    case 'audio':
    case 'video':
      return source.transcripts
    default:
      return source satisfies never
  }
}

const keyOf = ({ kind, path }: RefiPath): string => `${kind}:${path}`

function requireFewElements({ sources, notes, cases, codes }: RefiProject): void {
  const ofSources = sources.map(
    (source) =>
      1 +
      source.selections.length +
      textsIn(source).reduce(
        (sum, text) => sum + ('selections' in text ? (text.selections as readonly unknown[]).length : 0),
        0,
      ),
  )
  const total = ofSources.reduce((sum, count) => sum + count, notes.length + cases.length + codes.length)
  if (total > importedIntoCurrentMax) throw tooLarge(`It has more than ${importedIntoCurrentMax} elements`)
}

const tooLarge = (why: string): QdaFailure =>
  new QdaFailure(
    'IMPORT_FAILED/TOO_LARGE',
    `${why} to be imported into a project that is open; import it with target "new"`,
  )

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await Promise.all(
    ['documents', 'images', 'audio', 'video'].map((inner) => readdir(join(folder, inner)).catch(() => [])),
  )
  return names.flat()
}
