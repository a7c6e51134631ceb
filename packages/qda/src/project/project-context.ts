import { coderNamesListedMax } from '../limits.js'
import { hiddenCoders, knownCoders } from './coders.js'
import type { OpenProject } from './open-project.js'
import { projectRow } from './project-row.js'
import { allMeta } from './source-meta.js'
import { allSources, sourceType } from './sources.js'

const closed = {
  project_open: false,
  project_name: null,
  project_path: null,
  source_count: 0,
  sources: [],
  case_count: 0,
  cases: [],
  coder_name: null,
  coders: [],
  schema_version: null,
  read_only: null,
  pending_count: 0,
}

/** What somebody who comes to a project should know of it; `actor`: whose suggestions are counted. */
export function projectContext(project: OpenProject | undefined, actor: string) {
  if (project === undefined) return closed
  project.refresh()
  const { db, name, path, schemaVersion, whyReadOnly } = project
  const sources = sourcesIn(project)
  const cases = db.all<{ id: number; name: string }>(
    "SELECT caseid AS id, coalesce(CAST(name AS TEXT), '') AS name FROM main.cases ORDER BY name, caseid",
  )
  return {
    project_open: true,
    project_name: name,
    project_path: path,
    source_count: sources.length,
    sources,
    case_count: cases.length,
    cases: [...cases],
    coder_name: projectRow(db).codername || null,
    coders: codersIn(project),
    schema_version: schemaVersion,
    read_only: whyReadOnly !== undefined,
    pending_count: db.value("SELECT count(*) FROM side.suggestion WHERE status = 'pending' AND actor = ?", actor) ?? 0,
  }
}

function codersIn({ db }: OpenProject): string[] {
  const hidden = hiddenCoders(db)
  return knownCoders(db)
    .filter((name) => !hidden.includes(name))
    .slice(0, coderNamesListedMax)
}

function sourcesIn({ db }: OpenProject) {
  const meta = allMeta(db)
  return allSources(db).map((source) => {
    const { status, folder_id } = meta(source)
    return { id: source.id, name: source.name, type: sourceType(source.mediapath), status, folder_id }
  })
}
