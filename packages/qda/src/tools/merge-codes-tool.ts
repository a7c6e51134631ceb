import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { CodeGraph } from '../project/code-graph.js'
import { codingsByOwner, requireCode } from '../project/codes.js'
import { mergeCodes } from '../project/merge-codes.js'
import { countMerge } from '../project/merge-codings.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function mergeCodesTool(): WriteTool {
  return rowsTool({
    name: 'merge_codes',
    title: 'Merge two codes',
    description:
      'Makes one code part of another: its segments, sub-codes and memo go to the target, and the code itself goes. Where both are on one passage, one segment keeps both memos. Without confirm it only counts.',
    input: z.object({ source_code_id: id('The code that goes'), target_code_id: id('The code that stays') }),
    data: z.object({
      source_code_id: z.int(),
      target_code_id: z.int(),
      source_name: z.string(),
      target_name: z.string(),
      segments_moved: z.int().optional(),
      duplicates_merged: z.int().optional(),
      segments_to_move: z.int().optional(),
      duplicates: z.int().optional().describe('Where the target has a segment of the same coder already'),
      by_owner: z.record(z.string(), z.int()).optional().describe('How many of them all each coder made'),
      subcodes: z
        .array(z.object({ id: z.int(), name: z.string() }))
        .optional()
        .describe('Which would be below the target'),
    }),
    isFlat: true,
    level: 'T3',
    marks: { destructiveHint: true, idempotentHint: true },
    prepare: ({ source_code_id, target_code_id }, { project }) =>
      void concerned(project.db, source_code_id, target_code_id),
    preview: ({ source_code_id, target_code_id }, { project: { db } }) => {
      const { source, target, subcodes } = concerned(db, source_code_id, target_code_id)
      const { moved, duplicates } = countMerge(db, source.id, target.id)
      return {
        source_code_id,
        target_code_id,
        source_name: source.name,
        target_name: target.name,
        segments_to_move: moved,
        duplicates,
        by_owner: codingsByOwner(db, [source.id]),
        subcodes: subcodes.map(({ id, name }) => ({ id, name })),
        message: `This will merge code '${source.name}' into '${target.name}': ${moved} coded segment(s) move, ${duplicates} are there already`,
      }
    },
    apply: (writer, { source_code_id, target_code_id }) => {
      const { source, target, subcodes } = concerned(writer.db, source_code_id, target_code_id)
      const { moved, duplicates } = mergeCodes(writer, source, target, subcodes)
      writer.summary = `Merged code '${source.name}' into '${target.name}'`
      return {
        source_code_id,
        target_code_id,
        source_name: source.name,
        target_name: target.name,
        segments_moved: moved,
        duplicates_merged: duplicates,
      }
    },
  })
}

function concerned(db: ProjectDatabase, sourceId: number, targetId: number) {
  const source = requireCode(db, sourceId)
  const target = requireCode(db, targetId)
  if (sourceId === targetId)
    throw new QdaFailure('CODES_NOT_MERGED/SAME_CODE', `Code ${sourceId} can't be merged with itself`)
  const graph = new CodeGraph(db)
  if (graph.isCodeWithin(targetId, sourceId))
    throw new QdaFailure(
      'CODES_NOT_MERGED/CYCLE',
      `'${target.name}' lies below '${source.name}', whose sub-codes would come below themselves`,
      { suggestions: [`Merge '${target.name}' into '${source.name}', or move it with update_code first.`] },
    )
  return { source, target, subcodes: graph.children(sourceId) }
}
