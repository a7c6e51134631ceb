import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { sourceNameKey } from '../text/name-key.js'
import type { ProjectDatabase } from './project-database.js'

export interface JournalRow {
  readonly id: number
  readonly name: string
  readonly owner: string | null
  readonly created_at: string | null
}

const columns = `jid AS id, coalesce(CAST(name AS TEXT), '') AS name, CAST(owner AS TEXT) AS owner, CAST(date AS TEXT) AS created_at`

/** By name, then by id. The length in code points. */
export function allJournals(db: ProjectDatabase): readonly (JournalRow & { readonly total_length: number })[] {
  return db.all(
    `SELECT ${columns}, coalesce(length(CAST(jentry AS TEXT)), 0) AS total_length FROM main.journal ORDER BY name, id`,
  )
}

/** Throws JOURNAL_NOT_FOUND. */
export function requireJournal(db: ProjectDatabase, id: number): JournalRow & { readonly content: string } {
  const journal = db.get<JournalRow & { readonly content: string }>(
    `SELECT ${columns}, coalesce(CAST(jentry AS TEXT), '') AS content FROM main.journal WHERE jid = ?`,
    id,
  )
  if (journal !== undefined) return journal
  throw new QdaFailure('JOURNAL_NOT_FOUND', `Journal ${id} not found`, {
    details: { journal_id: id },
    suggestions: ['list_journals shows the journals there are.'],
  })
}

/** However the name is capitalised. */
export function findJournalNamed(db: ProjectDatabase, name: string): JournalRow | undefined {
  const key = sourceNameKey(name)
  return db
    .all<JournalRow>(`SELECT ${columns} FROM main.journal`)
    .find((journal) => sourceNameKey(journal.name) === key)
}

/** All of it checked. */
export function addJournal(writer: Writer, name: string, content: string): number {
  return writer.insert('journal', { name, jentry: content, date: writer.act.date, owner: writer.coder() }) as number
}
