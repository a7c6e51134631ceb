import { z } from 'zod'
import type { Writer } from '../changes/writer.js'
import { CodeGraph } from '../project/code-graph.js'
import { type CodeRow, codingsByOwner, requireCode } from '../project/codes.js'
import { type CodingKind, codingTables, dropCodingMeta } from '../project/coding-meta.js'
import { deleteGraphRowsOfCode } from '../project/graph-rows.js'
import { relinkTexts } from '../project/linked-texts.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { forgetRecentCodes } from '../project/recent-codes.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

const subcodesModes = ['move_up', 'delete'] as const

export function deleteCodeTool(): WriteTool {
  return rowsTool({
    name: 'delete_code',
    title: 'Delete a code',
    description:
      'Deletes a code with all its segments, those of other coders too. Its sub-codes move up to its place, or go as well with subcodes "delete". Without confirm it only shows what would go. To keep the segments, use merge_codes.',
    input: z.object({ code_id: id('Of list_codes'), subcodes: z.enum(subcodesModes).default('move_up') }),
    data: z.object({
      deleted: z.literal(true).optional(),
      code_id: z.int(),
      name: z.string(),
      segments_removed: z.int().optional(),
      subcodes_removed: z.int().optional(),
      segment_count: z.int().optional().describe('What would go, of all coders'),
      by_owner: z.record(z.string(), z.int()).optional().describe('How many of them each coder made'),
      subcodes: z
        .array(z.object({ id: z.int(), name: z.string() }))
        .optional()
        .describe('Which would move up or go, as the call has it'),
    }),
    isFlat: true,
    level: 'T3',
    marks: { destructiveHint: true, idempotentHint: true },
    prepare: ({ code_id }, { project }) => requireCode(project.db, code_id),
    preview: ({ code_id, subcodes: mode }, { project: { db } }) => {
      const { code, gone, subcodes } = concerned(db, code_id, mode)
      const byOwner = codingsByOwner(db, idsOf(gone))
      const count = sumOf(byOwner)
      return {
        code_id,
        name: code.name,
        segment_count: count,
        by_owner: byOwner,
        subcodes: subcodes.map(({ id, name }) => ({ id, name })),
        message: messageFor(code, gone, count),
      }
    },
    apply: (writer, { code_id, subcodes: mode }) => {
      const { code, gone, subcodes } = concerned(writer.db, code_id, mode)
      const removed = removeCodings(writer, idsOf(gone))
      if (mode === 'move_up') moveUp(writer, code, subcodes)
      forgetRecentCodes(writer, idsOf(gone))
      for (const { id } of gone.toReversed()) {
        deleteGraphRowsOfCode(writer, id)
        writer.delete('code_name', id)
      }
      writer.summary = messageFor(code, gone, removed).replace('This will delete', 'Deleted')
      return {
        deleted: true as const,
        code_id,
        name: code.name,
        segments_removed: removed,
        subcodes_removed: gone.length - 1,
      }
    },
  })
}

function concerned(db: ProjectDatabase, id: number, mode: (typeof subcodesModes)[number]) {
  const code = requireCode(db, id)
  const graph = new CodeGraph(db)
  switch (mode) {
    case 'move_up':
      return { code, gone: [code], subcodes: graph.children(id).filter((child) => child.id !== id) }
    case 'delete': {
      const subcodes = graph.branch(id)
      return { code, gone: [code, ...subcodes], subcodes }
    }
    default:
      return mode satisfies never
  }
}

function messageFor({ name }: CodeRow, gone: readonly CodeRow[], count: number): string {
  const below = gone.length === 1 ? '' : `, ${gone.length - 1} sub-code(s)`
  return `This will delete code '${name}'${below} and ${count} coded segment(s)`
}

function removeCodings(writer: Writer, codeIds: readonly number[]): number {
  let removed = 0
  for (const [kind, { table, key }] of Object.entries(codingTables)) {
    const codings = writer.db.all<{ readonly id: number }>(
      `SELECT ${key} AS id FROM main.${table} WHERE cid IN (SELECT value FROM json_each(?)) ORDER BY ${key}`,
      JSON.stringify(codeIds),
    )
    if (kind === 'av') relinkTexts(writer, new Map(codings.map(({ id }) => [id, null])))
    for (const { id } of codings) {
      dropCodingMeta(writer, kind as CodingKind, id)
      writer.delete(table, id)
    }
    removed += codings.length
  }
  return removed
}

/** To where the code is that goes; in a ring, to the top. */
function moveUp(writer: Writer, { id, category_id, parent_code_id }: CodeRow, subcodes: readonly CodeRow[]): void {
  const isRing = parent_code_id === id || subcodes.some((child) => child.id === parent_code_id)
  for (const child of subcodes)
    writer.update('code_name', child.id, { catid: category_id, supercid: isRing ? null : parent_code_id })
}

const idsOf = (codes: readonly CodeRow[]): readonly number[] => codes.map(({ id }) => id)

const sumOf = (counts: { readonly [owner: string]: number }): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
