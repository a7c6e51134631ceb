import { randomUUID } from 'node:crypto'
import { hashOfJson } from '@callboard/worker/canonical-json'
import { Writer } from '../changes/writer.js'
import { localTime } from '../format/local-time.js'
import type { Arguments, FileTool, ProjectCall, WriteTool } from '../tools/qda-tool.js'

/** A write that was asked for, and all that was prepared for it. */
export interface Asked<Tool extends WriteTool | FileTool = WriteTool | FileTool> {
  readonly tool: Tool
  readonly input: Arguments
  readonly call: ProjectCall
  readonly prepared: unknown
}

export interface Tried {
  /** What the tool gave. */
  readonly returned: unknown
  readonly affectedHash: string
}

/** Does it and takes it back, within a transaction that runs. Throws what the tool throws. */
export function tryOut(asked: Asked<WriteTool>): Tried {
  const { tool, input, call, prepared } = asked
  const { connection } = call.project.db
  connection.exec('SAVEPOINT try_out')
  try {
    const writer = writerOf(tool.name, call)
    writer.isTrial = true
    const returned = tool.apply(writer, input, call, prepared)
    return { returned, affectedHash: affectedHashOf(asked, writer) }
  } finally {
    // A disk that is full has ended the transaction already.
    if (connection.inTransaction) connection.exec('ROLLBACK TO try_out; RELEASE try_out')
    // What it has read meanwhile may have been written by itself.
    call.project.texts.clear()
  }
}

/**
 * Of the rows that a write has changed or deleted, as they were, and of what else the tool goes by. New rows are not in it: their
 * ids and dates are others each time, and what they follow from is what the tool names as its basis.
 */
export function affectedHashOf({ tool, input, call, prepared }: Asked, writer?: Writer): string {
  const before = writer?.db.all(
    // Where files wait differs each time; which ones they are, the rows say.
    "SELECT tbl, row_key, before FROM side.change WHERE set_id = ? AND before IS NOT NULL AND tbl <> 'file' ORDER BY n",
    writer.act.changeSetId,
  )
  return hashOfJson({ before: before ?? [], basis: tool.basis?.(input, call, prepared) ?? null })
}

export function writerOf(tool: string, { actor, now, project }: ProjectCall): Writer {
  return new Writer(project.db, {
    changeSetId: randomUUID(),
    tool,
    actor: actor.name,
    coder: actor.coder,
    now,
    date: localTime(now),
  })
}
