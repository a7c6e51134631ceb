import { z } from 'zod'
import type { ProjectPath } from '../format/project-path.js'
import type { OpenProject } from '../project/open-project.js'
import { rememberProject } from '../records/projects.js'
import type { ToolParts } from './tool-parts.js'

/** What is told of a project that was opened. */
export const openedData = {
  project_name: z.string(),
  project_path: z.string(),
  source_count: z.int(),
  schema_version: z.int().nullable(),
  read_only: z.boolean(),
  read_only_reason: z.string().nullable(),
  warnings: z.array(z.string()),
}

export function openedProject({ name, path, db, schemaVersion, whyReadOnly, warnings }: OpenProject) {
  return {
    project_name: name,
    project_path: path,
    source_count: db.value('SELECT count(*) FROM main.source') ?? 0,
    schema_version: schemaVersion,
    read_only: whyReadOnly !== undefined,
    read_only_reason: whyReadOnly?.message ?? null,
    warnings: [...warnings],
  }
}

/** The session has this project open from now on, and the worker remembers it. */
export async function enterProject(
  { desk, store, clock, effects, resources }: ToolParts,
  session: string,
  place: ProjectPath,
): Promise<{ readonly project: OpenProject; readonly isNew: boolean }> {
  const opened = await desk.open(session, place)
  const { project, isNew } = opened
  if (!isNew) return opened
  resources.moved(session)
  if (project.uid !== null) {
    await rememberProject(store.db, { path: project.path, uid: project.uid, name: project.name }, clock.now())
    await effects.mirror(project)
  }
  return opened
}
