import { z } from 'zod'
import { projectRow } from '../project/project-row.js'
import { allMeta } from '../project/source-meta.js'
import { allSources, sourceType } from '../project/sources.js'
import type { ProjectDesk } from '../sessions/project-desk.js'
import { freeTool, type QdaTool } from './qda-tool.js'

const closed = {
  project_open: false,
  project_name: null,
  project_path: null,
  source_count: 0,
  sources: [],
  case_count: 0,
  cases: [],
  coder_name: null,
  schema_version: null,
  read_only: null,
  pending_count: 0,
}

export function getProjectContextTool(desk: ProjectDesk): QdaTool {
  return freeTool({
    name: 'get_project_context',
    title: 'What is open',
    description:
      'The project that this session has open, with its sources and cases. With none open: project_open is false; open_project or create_project opens one.',
    input: z.object({}),
    data: z.object({
      project_open: z.boolean(),
      project_name: z.string().nullable(),
      project_path: z.string().nullable(),
      source_count: z.int(),
      sources: z.array(
        z.object({
          id: z.int(),
          name: z.string(),
          type: z.string(),
          status: z.string(),
          folder_id: z.int().nullable(),
        }),
      ),
      case_count: z.int(),
      cases: z.array(z.object({ id: z.int(), name: z.string() })),
      coder_name: z.string().nullable().describe('Who codes in QualCoder itself; what you code has a name of its own'),
      schema_version: z.int().nullable(),
      read_only: z.boolean().nullable(),
      pending_count: z.int().describe('Your suggestions that wait for a person'),
    }),
    answer: (_, { session, actor }) =>
      desk.useOwn(session, (project) => {
        if (project === undefined) return closed
        project.refresh()
        const { db, name, path, schemaVersion, whyReadOnly } = project
        const meta = allMeta(db)
        const sources = allSources(db).map((source) => {
          const { status, folder_id } = meta(source)
          return { id: source.id, name: source.name, type: sourceType(source.mediapath), status, folder_id }
        })
        const cases = db.all<{ id: number; name: string }>(
          "SELECT caseid AS id, coalesce(name, '') AS name FROM main.cases ORDER BY name, caseid",
        )
        const pending = db.value(
          "SELECT count(*) FROM side.suggestion WHERE status = 'pending' AND actor = ?",
          actor.name,
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
          schema_version: schemaVersion,
          read_only: whyReadOnly !== undefined,
          pending_count: pending ?? 0,
        }
      }),
  })
}
