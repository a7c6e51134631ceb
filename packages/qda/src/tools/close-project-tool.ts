import { z } from 'zod'
import { dryRun, requestId } from './common-input.js'
import { freeTool, type QdaTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

export function closeProjectTool({ desk, resources }: ToolParts): QdaTool {
  return freeTool({
    name: 'close_project',
    title: 'Close the project',
    description: 'Closes the project of this session; other sessions keep it open. With none open, nothing happens.',
    input: z.object({ dry_run: dryRun, request_id: requestId }),
    data: z.object({
      closed: z.boolean(),
      project_name: z.string().optional(),
      message: z.string().optional(),
      dry_run: z.literal(true).optional(),
    }),
    isFlat: true,
    marks: { readOnlyHint: false },
    answer: async ({ dry_run: isDryRun }, { session }) => {
      const project = isDryRun ? desk.projectOf(session) : await desk.close(session)
      if (project !== undefined && !isDryRun) resources.moved(session)
      const dry = isDryRun && { dry_run: true as const }
      return project === undefined
        ? { closed: false, message: 'No project was open', ...dry }
        : { closed: !isDryRun, project_name: project.name, ...dry }
    },
  })
}
