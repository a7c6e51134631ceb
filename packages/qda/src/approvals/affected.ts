import { randomUUID } from 'node:crypto'
import { hashOfJson } from '@callboard/worker/canonical-json'
import { Writer } from '../changes/writer.js'
import { localTime } from '../format/local-time.js'
import type { Arguments, ProjectCall, WriteTool } from '../tools/qda-tool.js'

export interface Tried {
  /** What `apply` gave. */
  readonly returned: unknown
  /** Of the rows that it changed, as they were, and of what it goes by. */
  readonly affectedHash: string
}

/** Does it and takes it back, within a transaction that runs. Throws what `apply` throws. */
export function tryOut(tool: WriteTool, input: Arguments, call: ProjectCall, prepared: unknown): Tried {
  const { db } = call.project
  db.connection.exec('SAVEPOINT try_out')
  try {
    const writer = writerOf(tool.name, call)
    const returned = tool.apply(writer, input, call, prepared)
    return { returned, affectedHash: affectedHashOf(writer, tool, input, call, prepared) }
  } finally {
    db.connection.exec('ROLLBACK TO try_out; RELEASE try_out')
    // What it has read meanwhile may have been written by itself.
    call.project.texts.clear()
  }
}

/** To be asked once the writer's work is done. */
export function affectedHashOf(
  writer: Writer,
  tool: WriteTool,
  input: Arguments,
  call: ProjectCall,
  prepared: unknown,
): string {
  const before = writer.db.all(
    // Where files wait differs each time; which ones they are, the rows say.
    "SELECT tbl, row_key, before FROM side.change WHERE set_id = ? AND before IS NOT NULL AND tbl <> 'file' ORDER BY n",
    writer.act.changeSetId,
  )
  return hashOfJson({ before, basis: tool.basis?.(input, call, prepared) ?? null })
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
