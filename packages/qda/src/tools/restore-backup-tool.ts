import { z } from 'zod'
import { backupFolder } from '../format/backups.js'
import { restoreBackup } from '../format/restore-backup.js'
import { type FileTool, operationTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

export function restoreBackupTool({ config, clock }: Pick<ToolParts, 'config' | 'clock'>): FileTool {
  return operationTool({
    name: 'restore_backup',
    title: 'Put a backup back',
    description:
      'Puts the project back to what one of list_backups holds, for all sessions that have it open. What it is now is backed up before. A person decides on it.',
    input: z.object({ name: z.string().max(300).describe('Of list_backups') }),
    data: z.object({
      restored: z.string().describe('The backup'),
      saved_as: z.string().nullable().describe('The backup of what was there before; null in a dry run'),
    }),
    marks: { destructiveHint: true, idempotentHint: true },
    level: 'T4',
    changesProject: true,
    backsUpItself: true,
    prepare: ({ name }, { project }) => backupFolder(project, name),
    operate: async ({ name }, { project }, _, isDryRun) => {
      if (isDryRun) return { restored: name, saved_as: null }
      const savedAs = await restoreBackup(project.backupSource, name, { keep: config.backups, clock })
      return { restored: name, saved_as: savedAs }
    },
  })
}
