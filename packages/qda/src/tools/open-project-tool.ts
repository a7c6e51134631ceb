import { z } from 'zod'
import { projectAt } from '../format/project-path.js'
import type { OpenProject } from '../project/open-project.js'
import { rememberProject } from '../records/projects.js'
import { dryRun, requestId } from './common-input.js'
import { freeTool, type QdaTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

export function openProjectTool({ config, store, clock, desk, effects }: ToolParts): QdaTool {
  return freeTool({
    name: 'open_project',
    title: 'Open a project',
    description:
      'Opens a QualCoder project, in place of the one that this session has open. If that fails, the session keeps what it had. Other sessions may have the same project open.',
    input: z.object({
      path: z.string().min(1).describe('Absolute path of the .qda folder, or of the data.qda in it'),
      dry_run: dryRun,
      request_id: requestId,
    }),
    data: z.object({
      project_name: z.string(),
      project_path: z.string(),
      source_count: z.int(),
      schema_version: z.int().nullable(),
      read_only: z.boolean(),
      read_only_reason: z.string().nullable(),
      warnings: z.array(z.string()),
      already_open: z.literal(true).optional(),
      dry_run: z.literal(true).optional(),
    }),
    isFlat: true,
    marks: { readOnlyHint: false },
    answer: async ({ path, dry_run: isDryRun }, { session }) => {
      const place = await projectAt(path, config.roots)
      if (isDryRun) return desk.use(place, (project) => ({ ...told(project), dry_run: true as const }))
      const { project, isNew } = await desk.open(session, place)
      if (isNew && project.uid !== null) {
        await rememberProject(store.db, { path: project.path, uid: project.uid, name: project.name }, clock.now())
        await effects.mirror(project)
      }
      return { ...told(project), ...(!isNew && { already_open: true as const }) }
    },
  })
}

function told(project: OpenProject) {
  const { name, path, db, schemaVersion, whyReadOnly, warnings } = project
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
