import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import type { ChangeSet } from '../changes/change-sets.js'
import { changeSetsListedMax } from '../limits.js'
import { id } from './common-input.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function listChangesTool(): QdaTool {
  return readTool({
    name: 'list_changes',
    title: 'What was changed',
    description:
      'Change sets of this project, newest first: what agents wrote, each of them undoable with undo_change_set.',
    input: z.object({
      limit: z.int().min(1).max(changeSetsListedMax).default(50),
      before_seq: id('next_before_seq of the page before').optional(),
      mine: z.boolean().default(false).describe('Only your own'),
    }),
    data: z.object({
      total_count: z.int(),
      changes: z.array(
        z.object({
          seq: z.int(),
          change_set_id: z.string(),
          tool: z.string(),
          actor: z.string(),
          coder: z.string().nullable(),
          created_at: z.string().describe('UTC'),
          summary: z.string().nullable(),
          rows: z.int(),
          undoes: z.string().nullable().describe('The change set that this one took back'),
          undone_by: z.string().nullable().describe('The change set that took this one back'),
        }),
      ),
      next_before_seq: z.int().nullable(),
    }),
    read: ({ limit, before_seq: before, mine }, { project: { db }, actor }) => {
      const whose = mine ? 's.actor = ?' : '1'
      const values = mine ? [actor.name] : []
      const rows = db.all<ChangeSetRow>(
        `SELECT s.seq, ${texts.map((column) => `CAST(s.${column} AS TEXT) AS ${column}`).join(', ')}, s.created_at,
           (SELECT count(*) FROM side.change AS c WHERE c.set_id = s.id) AS row_count
         FROM side.change_set AS s WHERE ${whose} AND s.seq < ?
         ORDER BY s.seq DESC LIMIT ?`,
        ...[...values, before ?? Number.MAX_SAFE_INTEGER, limit + 1],
      )
      const shown = rows.slice(0, limit)
      return {
        total_count: db.value(`SELECT count(*) FROM side.change_set AS s WHERE ${whose}`, ...values) ?? 0,
        changes: shown.map((row) => ({
          seq: row.seq,
          change_set_id: row.id,
          tool: row.tool,
          actor: row.actor,
          coder: row.owner,
          created_at: utcText(timeIn(row.created_at)),
          summary: row.summary,
          rows: row.row_count,
          undoes: row.undoes,
          undone_by: row.undone_by,
        })),
        next_before_seq: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null,
      }
    },
  })
}

const texts = ['id', 'tool', 'actor', 'owner', 'summary', 'undoes', 'undone_by'] as const

/** The history is in the project's folder, where anybody can have written it. */
const timeIn = (time: number): number => (Number.isInteger(time) && Math.abs(time) <= 8.64e15 ? time : 0)

interface ChangeSetRow extends ChangeSet {
  readonly row_count: number
}
