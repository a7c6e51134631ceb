import type { ProjectDatabase } from '../project/project-database.js'
import type { Writer } from './writer.js'

/** Closes a change set that has changes, inside its transaction. The id, or null where nothing changed. */
export function finishChangeSet(writer: Writer, session: string): string | null {
  if (writer.changes === 0) return null
  const { changeSetId, tool, actor, coder, now } = writer.act
  const undoes = writer.undoes ?? null
  writer.db.run(
    `INSERT INTO side.change_set (id, tool, actor, owner, session, created_at, summary, undoes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[changeSetId, tool, actor, coder, session, now, writer.summary ?? null, undoes],
  )
  if (undoes !== null) markUndone(writer.db, undoes, changeSetId)
  return changeSetId
}

/** What an undone undo took back holds again, and what that one took back does not. */
function markUndone(db: ProjectDatabase, id: string, by: string): void {
  let undoneBy: string | null = by
  let set = findChangeSet(db, id)
  while (set !== undefined) {
    db.run('UPDATE side.change_set SET undone_by = ? WHERE id = ?', undoneBy, set.id)
    undoneBy = undoneBy === null ? set.id : null
    set = set.undoes === null ? undefined : findChangeSet(db, set.undoes)
  }
}

export interface ChangeSet {
  readonly seq: number
  readonly id: string
  readonly tool: string
  readonly actor: string
  readonly owner: string | null
  /** UTC ms. */
  readonly created_at: number
  readonly summary: string | null
  readonly undoes: string | null
  readonly undone_by: string | null
}

export function findChangeSet(db: ProjectDatabase, id: string): ChangeSet | undefined {
  return db.get<ChangeSet>('SELECT * FROM side.change_set WHERE id = ?', id)
}
