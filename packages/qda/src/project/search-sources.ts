import { QdaFailure } from '../failure.js'
import type { SearchedText } from '../patterns/text-batches.js'
import type { TextRange } from '../text/text-index.js'
import { allFolders, requireFolder } from './folders.js'
import type { ProjectDatabase } from './project-database.js'
import { allMeta } from './source-meta.js'
import { allSources, requireSource, type SourceRow } from './sources.js'
import type { TimeSlices } from './time-slices.js'

/** What narrows a search; all of it must hold. */
export interface SourceChoice {
  readonly sourceIds?: readonly number[] | undefined
  /** With its sub-folders. 0: sources that are in no folder. */
  readonly folderId?: number | undefined
  readonly caseId?: number | undefined
}

export interface SearchedSource {
  readonly id: number
  readonly name: string
  /** Only what lies in one of these counts: from left to right, apart from each other. Undefined: all of the text. */
  readonly parts?: readonly TextRange[]
}

/** By id. Throws SOURCE_NOT_FOUND, FOLDER_NOT_FOUND or CASE_NOT_FOUND. */
export function chosenSources(db: ProjectDatabase, choice: SourceChoice): readonly SearchedSource[] {
  const { sourceIds, folderId, caseId } = choice
  const named = sourceIds === undefined ? allSources(db) : [...new Set(sourceIds)].map((id) => requireSource(db, id))
  const placed = folderId === undefined ? named : named.filter(inFolder(db, folderId))
  const parts = caseId === undefined ? undefined : partsOfCase(db, caseId)
  return placed
    .filter(({ id }) => parts?.has(id) ?? true)
    .map(({ id, name }) => ({ id, name, ...(parts !== undefined && { parts: parts.get(id)! }) }))
    .toSorted((one, other) => one.id - other.id)
}

/** Sources with a text, read one by one as they are searched. */
export async function* textsOf<Source extends { readonly id: number }>(
  db: ProjectDatabase,
  sources: readonly Source[],
  slices: TimeSlices,
): AsyncGenerator<SearchedText<Source>> {
  for (const source of sources) {
    const text = readText(db, source.id)
    if (text) yield { id: source, text }
    await slices.pause()
  }
}

/** Past the cache, which all texts of a project would empty. Undefined: there is no such source. */
export function readText(db: ProjectDatabase, sourceId: number): string | undefined {
  const row = db.get<{ readonly fulltext: unknown }>('SELECT fulltext FROM main.source WHERE id = ?', sourceId)
  if (row === undefined) return undefined
  return typeof row.fulltext === 'string' ? row.fulltext : ''
}

function inFolder(db: ProjectDatabase, folderId: number): (source: SourceRow) => boolean {
  const meta = allMeta(db)
  const known = new Set(allFolders(db).map(({ id }) => id))
  if (folderId === 0) {
    return (source) => !known.has(meta(source).folder_id ?? 0)
  }
  const wanted = new Set([requireFolder(db, folderId).id])
  // Parents come before their children.
  for (const { id, parent_id } of allFolders(db)) if (parent_id !== null && wanted.has(parent_id)) wanted.add(id)
  return (source) => wanted.has(meta(source).folder_id ?? 0)
}

function partsOfCase(db: ProjectDatabase, caseId: number): ReadonlyMap<number, TextRange[]> {
  if (db.value('SELECT 1 FROM main.cases WHERE caseid = ?', caseId) === undefined)
    throw new QdaFailure('CASE_NOT_FOUND', `Case ${caseId} not found`, {
      details: { case_id: caseId },
      suggestions: ['get_project_context shows the cases there are.'],
    })
  const rows = db.all<{ readonly fid: number; readonly pos0: number; readonly pos1: number }>(
    `SELECT fid, pos0, pos1 FROM main.case_text
     WHERE caseid = ? AND typeof(fid) = 'integer' AND typeof(pos0) = 'integer' AND typeof(pos1) = 'integer'
     ORDER BY pos0`,
    caseId,
  )
  const parts = new Map<number, TextRange[]>()
  for (const { fid, pos0: start, pos1: end } of rows) {
    const known = parts.get(fid) ?? []
    const last = known.at(-1)
    if (last === undefined || start > last.end) known.push({ start, end })
    else known[known.length - 1] = { start: last.start, end: Math.max(last.end, end) }
    parts.set(fid, known)
  }
  return parts
}
