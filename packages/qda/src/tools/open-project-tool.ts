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
    answer: async ({ path, dry_run: isDryRun }, { session }) => {
      const place = await projectAt(path, config.roots)
      if (isDryRun) return desk.use(place, (project) => ({ ...openedProject(project), dry_run: true as const }))
      const { project, isNew } = await enterProject(parts, session, place)
      const opened = openedProject(project)
      return isNew
        ? { ...opened, warnings: [...opened.warnings, ...openElsewhere(opened)] }
        : { ...opened, already_open: true as const }
    },
  })
}

/** QualCoder 3 shows by a lock that it has a project open; of its successor nobody can tell. */
function openElsewhere({ schema_version: version, read_only: isReadOnly }: ReturnType<typeof openedProject>) {
  if (version === null || version < firstWithoutLock || isReadOnly) return []
  return ['A window of QualCoder 4 that has this project open shows what you change only after it opens it again.']
}

const firstWithoutLock = 15
