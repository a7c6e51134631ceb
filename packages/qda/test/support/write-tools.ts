import { z } from 'zod'
import { QdaFailure } from '../../src/failure.js'
import type { ProjectDatabase } from '../../src/project/project-database.js'
import { closeProjectTool } from '../../src/tools/close-project-tool.js'
import { id } from '../../src/tools/common-input.js'
import { approveSuggestionTool, rejectSuggestionTool } from '../../src/tools/decision-tools.js'
import { getSuggestionTool } from '../../src/tools/get-suggestion-tool.js'
import { listBackupsTool } from '../../src/tools/list-backups-tool.js'
import { listChangesTool } from '../../src/tools/list-changes-tool.js'
import { listPendingTool } from '../../src/tools/list-pending-tool.js'
import { listSuggestionsTool } from '../../src/tools/list-suggestions-tool.js'
import { openProjectTool } from '../../src/tools/open-project-tool.js'
import { Answer, operationTool, type QdaTool, readTool, rowsTool } from '../../src/tools/qda-tool.js'
import { restoreBackupTool } from '../../src/tools/restore-backup-tool.js'
import type { ToolParts } from '../../src/tools/tool-parts.js'
import { undoChangeSetTool } from '../../src/tools/undo-change-set-tool.js'
import { withdrawSuggestionTool } from '../../src/tools/withdraw-suggestion-tool.js'

/** What the tests of writes hold in their hands. */
export interface WriteRig {
  /** A write waits here after it was prepared. */
  gate: Promise<void>
  /** Runs inside the transaction of each write, before the row is there. */
  inTransaction: () => void
  /** What operations did. */
  readonly done: string[]
}

/** The tools around writes, and some small ones whose names those of real tools lend. */
export function writeTools(rig: WriteRig): (parts: ToolParts) => readonly QdaTool[] {
  return (parts) => [
    openProjectTool(parts),
    closeProjectTool(parts),
    listPendingTool(),
    getSuggestionTool(),
    withdrawSuggestionTool(parts),
    listSuggestionsTool(parts),
    approveSuggestionTool(parts),
    rejectSuggestionTool(parts),
    listChangesTool(),
    undoChangeSetTool(),
    listBackupsTool(),
    restoreBackupTool(parts),
    addJournal(rig),
    deleteJournal(),
    listJournals(),
    exportFile(rig),
  ]
}

export function newRig(): WriteRig {
  return { gate: Promise.resolve(), inTransaction: () => {}, done: [] }
}

/** Writes one row, and owner and date with it. */
function addJournal(rig: WriteRig): QdaTool {
  return rowsTool({
    name: 'add_journal',
    title: 'Add',
    description: 'Adds a journal.',
    input: z.object({ name: z.string(), content: z.string().default(''), start_pos: z.int().default(0) }),
    data: z.object({ journal_id: z.int(), name: z.string() }),
    isFlat: true,
    marks: { destructiveHint: false, idempotentHint: true },
    prepare: () => rig.gate,
    apply: (writer, { name, content }) => {
      rig.inTransaction()
      const key = writer.insert('journal', { name, jentry: content, owner: writer.coder(), date: writer.act.date })
      return { journal_id: Number(key), name }
    },
  })
}

/** Shows first what it would do. */
function deleteJournal(): QdaTool {
  return rowsTool({
    name: 'delete_code',
    title: 'Delete',
    description: 'Deletes a journal.',
    input: z.object({ journal_id: id('Of list_journals') }),
    data: z.object({ deleted: z.literal(true), journal_id: z.int(), name: z.string() }),
    isFlat: true,
    level: 'T3',
    marks: { destructiveHint: true, idempotentHint: true },
    prepare: ({ journal_id }, { project }) => nameOf(project.db, journal_id),
    preview: ({ journal_id }, _, name) => ({ journal_id, name, message: `This will delete '${name}'` }),
    apply: (writer, { journal_id }) => {
      const name = nameOf(writer.db, journal_id)
      writer.delete('journal', journal_id)
      return { deleted: true as const, journal_id, name }
    },
  })
}

function nameOf(db: ProjectDatabase, journalId: number): string {
  const name = db.value<string>('SELECT name FROM main.journal WHERE jid = ?', journalId)
  if (name === undefined) throw new QdaFailure('JOURNAL_NOT_FOUND', `Journal ${journalId} not found`)
  return name
}

function listJournals(): QdaTool {
  return readTool({
    name: 'list_journals',
    title: 'List',
    description: 'Lists journals.',
    input: z.object({}),
    data: z.array(z.string()),
    beside: { total_count: z.int() },
    read: (_, { project: { db } }) => {
      const names = db.all<{ name: string }>('SELECT name FROM main.journal ORDER BY jid').map(({ name }) => name)
      return new Answer(names, { total_count: names.length })
    },
  })
}

/** Does something outside of the project. */
function exportFile({ done }: WriteRig): QdaTool {
  return operationTool({
    name: 'export_qdc',
    title: 'Export',
    description: 'Exports.',
    input: z.object({ path: z.string() }),
    data: z.object({ path: z.string(), count: z.int() }),
    marks: { destructiveHint: true, idempotentHint: true },
    changesProject: false,
    basis: (_, { project: { db } }) => db.value('SELECT count(*) FROM main.journal') ?? 0,
    operate: async ({ path }, _, __, isDryRun) => {
      if (!isDryRun) done.push(path)
      return { path, count: done.length }
    },
  })
}
