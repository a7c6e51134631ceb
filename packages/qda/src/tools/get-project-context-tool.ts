import { z } from 'zod'
import { projectContext } from '../project/project-context.js'
import type { ProjectDesk } from '../sessions/project-desk.js'
import { freeTool, type QdaTool } from './qda-tool.js'

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
      coders: z.array(z.string()).describe('Whose codings there are, and you: for coder_agreement'),
      schema_version: z.int().nullable(),
      read_only: z.boolean().nullable(),
      pending_count: z.int().describe('Your suggestions that wait for a person'),
    }),
    answer: (_, { session, actor }) => desk.useOwn(session, (project) => projectContext(project, actor.name)),
  })
}
