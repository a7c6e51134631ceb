import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { requireChangeSet, undoChangeSet } from '../changes/undo.js'
import { undoRowsListedMax } from '../limits.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function undoChangeSetTool(): WriteTool {
  return rowsTool({
    name: 'undo_change_set',
    title: 'Take a change back',
    description:
      'Takes a change set back: list_changes shows them. What was changed again since is left as it is, and listed. An undo is a change set itself, so undoing it does the change again. Of another actor’s changes a person decides.',
    input: z.object({
      change_set_id: z.string().min(1).max(100).describe('Of the answer to a write, or from list_changes'),
    }),
    data: z.object({
      undone_change_set_id: z.string(),
      undone: z.int().describe('Rows and files'),
      skipped: z
        .array(z.object({ table: z.string(), row_id: z.union([z.int(), z.string()]), reason: z.string() }))
        .describe(`The first ${undoRowsListedMax}`),
      skipped_count: z.int(),
      id_map: z
        .array(
          z.object({
            table: z.string(),
            old_id: z.union([z.int(), z.string()]),
            new_id: z.union([z.int(), z.string()]),
          }),
        )
        .describe(`The first ${undoRowsListedMax} rows that came back under other ids`),
      id_map_count: z.int(),
    }),
    marks: { destructiveHint: true, idempotentHint: false },
    prepare: ({ change_set_id: id }, { project }) => requireChangeSet(project.db, id),
    basis: (_, __, { undone_by }) => undone_by,
    level: (_, { actor }, { actor: whose }) => (actor.name === whose ? 'T2' : 'T4'),
    describe: (_, __, { tool, actor, summary, created_at }) => ({
      message: `Take back ${tool} of ${actor}${summary === null ? '' : `: ${summary}`}`,
      changed_at: utcText(created_at),
    }),
    apply: (writer, { change_set_id: id }) => {
      const { tool } = requireChangeSet(writer.db, id)
      const { undone, skipped, id_map } = undoChangeSet(writer, id)
      writer.undoes = id
      writer.summary = `Undo of ${tool}`
      return {
        undone_change_set_id: id,
        undone,
        skipped: skipped.slice(0, undoRowsListedMax),
        skipped_count: skipped.length,
        id_map: id_map.slice(0, undoRowsListedMax),
        id_map_count: id_map.length,
      }
    },
  })
}
