import { z } from 'zod'
import { projectAt } from '../format/project-path.js'
import { pathLengthMax } from '../limits.js'
import { dryRun, requestId } from './common-input.js'
import { enterProject, openedData, openedProject } from './enter-project.js'
import { freeTool, type QdaTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

export function openProjectTool(parts: ToolParts): QdaTool {
  const { config, desk } = parts
  return freeTool({
    name: 'open_project',
    title: 'Open a project',
    description:
      'Opens a QualCoder project, in place of the one that this session has open. If that fails, the session keeps what it had. Other sessions may have the same project open.',
    input: z.object({
      path: z.string().min(1).max(pathLengthMax).describe('Absolute path of the .qda folder, or of the data.qda in it'),
      dry_run: dryRun,
      request_id: requestId,
    }),
    data: z.object({
      ...openedData,
      already_open: z.literal(true).optional(),
      dry_run: z.literal(true).optional(),
    }),
    isFlat: true,
    marks: { readOnlyHint: false },
    answer: async ({ path, dry_run: isDryRun }, call) => {
      const place = await projectAt(path, config.roots)
      if (isDryRun) return desk.use(place, (project) => ({ ...openedProject(project), dry_run: true as const }))
      const { project, isNew } = await enterProject(parts, call, place)
      return { ...openedProject(project), ...(!isNew && { already_open: true as const }) }
    },
  })
}
