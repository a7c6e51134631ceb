import type { ProjectDatabase } from './project-database.js'

/** The one row that says what the project is. */
export interface ProjectRow {
  readonly databaseversion: string | null
  readonly date: string | null
  readonly memo: string | null
  readonly about: string | null
  /** Who codes in the original, on that machine. */
  readonly codername: string | null
}

export function projectRow(db: ProjectDatabase): ProjectRow {
  const columns = ['databaseversion', 'date', 'memo', 'about', 'codername'].map((column) =>
    db.has('project', column) ? `CAST(${column} AS TEXT) AS ${column}` : `NULL AS ${column}`,
  )
  const row = db.get<ProjectRow>(`SELECT ${columns.join(', ')} FROM main.project LIMIT 1`)
  return row ?? { databaseversion: null, date: null, memo: null, about: null, codername: null }
}
