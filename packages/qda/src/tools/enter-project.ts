import { z } from 'zod'
import type { ProjectPath } from '../format/project-path.js'
import type { OpenProject } from '../project/open-project.js'
import { rememberProject } from '../records/projects.js'
import type { Call } from './qda-tool.js'
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

/** QualCoder has no lock from this version of its format on. */
const lockless = 17
const reopenThere =
  'If the project is open in QualCoder 4, what is written here shows there only after it is opened again.'

export function openedProject({ name, path, db, schemaVersion, whyReadOnly, warnings }: OpenProject) {
  const isShared = whyReadOnly === undefined && schemaVersion !== null && schemaVersion >= lockless
  return {
    project_name: name,
    project_path: path,
    source_count: db.value('SELECT count(*) FROM main.source') ?? 0,
    schema_version: schemaVersion,
    read_only: whyReadOnly !== undefined,
    read_only_reason: whyReadOnly?.message ?? null,
    warnings: [...warnings, ...(isShared ? [reopenThere] : [])],
  }
}

/** The session has this project open from now on, and the worker remembers it. */
export async function enterProject(
  { desk, store, clock, effects, resources, log }: ToolParts,
  { session, context }: Pick<Call, 'session' | 'context'>,
  place: ProjectPath,
): Promise<{ readonly project: OpenProject; readonly isNew: boolean }> {
  const opened = await desk.open(session, place)
  if (context.signal.aborted) {
    // The session may have ended while the project opened: nobody would close it any more.
    await desk.close(session)
    throw context.signal.reason
  }
  const { project, isNew } = opened
  if (!isNew) return opened
  resources.moved(session)
  const { path, uid, name } = project
  if (uid === null) return opened
  try {
    await rememberProject(store.db, { path, uid, name }, clock.now())
  } catch (error) {
    // It is open all the same; the next one who opens it tries again.
    log.error({ err: error, project: path }, "the index of projects can't be written")
  }
  await effects.mirror(project)
  return opened
}
