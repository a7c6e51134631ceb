import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { listBackups } from '../format/backups.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function listBackupsTool(): QdaTool {
  return readTool({
    name: 'list_backups',
    title: 'Backups of the project',
    description:
      'Copies of the project that were made before sessions first wrote to it, newest first. restore_backup puts one back.',
    input: z.object({}),
    data: z.object({
      backups: z.array(z.object({ name: z.string(), created_at: z.string().describe('UTC'), bytes: z.int() })),
    }),
    read: (_, { project }) => ({
      backups: listBackups(project).map(({ name, createdAt, bytes }) => ({
        name,
        created_at: utcText(createdAt),
        bytes,
      })),
    }),
  })
}
