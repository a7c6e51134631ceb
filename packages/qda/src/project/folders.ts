import { type FailureCode, QdaFailure } from '../failure.js'
import { folderNameLengthMax } from '../limits.js'
import { sourceNameKey } from '../text/name-key.js'
import { nameProblem } from '../text/name-problem.js'
import type { ProjectDatabase } from './project-database.js'
import { allMeta } from './source-meta.js'
import { allSources } from './sources.js'

/** Folders are ours alone: the original knows none. */
export interface Folder {
  readonly id: number
  readonly name: string
  /** Null: it is at the root. */
  readonly parent_id: number | null
}

/** Parents before children: folders never move, and no id is used twice. One whose parent is gone is at the root. */
const selectFolder = `SELECT id, CAST(name AS TEXT) AS name, CASE WHEN parent_id IN (SELECT id FROM side.folder) THEN parent_id END AS parent_id
  FROM side.folder AS folder`

export function allFolders(db: ProjectDatabase): readonly Folder[] {
  return db.all<Folder>(`${selectFolder} ORDER BY id`)
}

export function findFolder(db: ProjectDatabase, id: number): Folder | undefined {
  return db.get<Folder>(`${selectFolder} WHERE id = ?`, id)
}

/** Throws FOLDER_NOT_FOUND. */
export function requireFolder(db: ProjectDatabase, id: number): Folder {
  const folder = findFolder(db, id)
  if (folder !== undefined) return folder
  throw new QdaFailure('FOLDER_NOT_FOUND', `Folder ${id} not found`, {
    details: { folder_id: id },
    suggestions: ['list_folders shows the folders there are.'],
  })
}

/** Of each folder that has sources in it, how many; those of its sub-folders are not counted. */
export function sourceCounts(db: ProjectDatabase): ReadonlyMap<number, number> {
  const meta = allMeta(db)
  const counts = new Map<number, number>()
  for (const source of allSources(db)) {
    const { folder_id: id } = meta(source)
    if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** A name for a folder, trimmed. Throws `failure`/INVALID_NAME, or DUPLICATE_NAME where another one beside it has the name. */
export function folderName(
  db: ProjectDatabase,
  given: string,
  { id, parent_id }: { readonly id?: number; readonly parent_id: number | null },
  failure: 'FOLDER_NOT_CREATED' | 'FOLDER_NOT_RENAMED',
): string {
  const problem = nameProblem(given, { lengthMax: folderNameLengthMax, slashes: 'refused' })
  if (problem !== undefined)
    throw new QdaFailure(`${failure}/INVALID_NAME` satisfies FailureCode, `The name of a folder ${problem}`)
  const name = given.trim()
  const key = sourceNameKey(name)
  const other = allFolders(db).find(
    (folder) => folder.id !== id && folder.parent_id === parent_id && sourceNameKey(folder.name) === key,
  )
  if (other !== undefined)
    throw new QdaFailure(
      `${failure}/DUPLICATE_NAME` satisfies FailureCode,
      `Folder with name '${other.name}' already exists`,
      { details: { folder_id: other.id, parent_id } },
    )
  return name
}
