import type { ProjectDatabase } from './project-database.js'

/** Coders whose codings the project hides: agents do not read them. */
export function hiddenCoders(db: ProjectDatabase): readonly string[] {
  if (!db.has('coder_names', 'visibility')) return []
  return db
    .all<{ readonly name: string }>('SELECT name FROM main.coder_names WHERE visibility = 0')
    .map(({ name }) => name)
}

/** A condition on rows of a coding table: those of coders that are not hidden. `alias`: of the table in the query. */
export function visible(db: ProjectDatabase, alias: string): string {
  if (!db.has('coder_names', 'visibility')) return '1'
  return `(${alias}.owner IS NULL OR ${alias}.owner NOT IN (SELECT name FROM main.coder_names WHERE visibility = 0))`
}

/** Who has coded text, and who is listed; hidden ones, too. */
export function knownCoders(db: ProjectDatabase): readonly string[] {
  const listed = db.has('coder_names') ? 'UNION SELECT name FROM main.coder_names' : ''
  return db
    .all<{ readonly name: string }>(
      `SELECT name FROM (SELECT DISTINCT owner AS name FROM main.code_text ${listed})
       WHERE typeof(name) = 'text' AND name <> '' ORDER BY name`,
    )
    .map(({ name }) => name)
}
