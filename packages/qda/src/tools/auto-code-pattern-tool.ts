import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { autoCodingsMax } from '../limits.js'
import { requireCode } from '../project/codes.js'
import { hitData } from '../project/search-hit.js'
import { chosenSources } from '../project/search-sources.js'
import { readCursor, writeCursor } from '../project/segments-cursor.js'
import { TimeSlices } from '../project/time-slices.js'
import { type FoundPassages, findPassages } from './auto-code-matches.js'
import { PassageCoder, requireSameText } from './auto-code-passages.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'
import { caseSensitiveInput, matchInput, pageCursor, patternInput, sourceIdsInput } from './search-input.js'
import type { ToolParts } from './tool-parts.js'

const input = z.object({
  code_id: id('Code ID'),
  pattern: patternInput,
  match: matchInput,
  case_sensitive: caseSensitiveInput,
  scope: z.enum(['all', 'first', 'last']).default('all').describe('Which matches of each source'),
  extend: z.enum(['match', 'sentence', 'line', 'paragraph']).default('match').describe('What is coded around a match'),
  source_ids: sourceIdsInput,
  exclude: z
    .array(z.int().min(0))
    .max(autoCodingsMax)
    .optional()
    .describe('Matches to leave out, by their index in the preview; then give its preview_token, too'),
  cursor: pageCursor,
})

const data = z.object({
  code_id: z.int(),
  total_matches: z.int(),
  already_coded: z.int().optional().describe('By you, with this code'),
  sources: z.array(z.object({ source_id: z.int(), source_name: z.string(), matches: z.int() })).optional(),
  matches: z
    .array(hitData.extend({ index: z.int() }))
    .optional()
    .describe('A page of them'),
  next_cursor: z.string().nullable().optional(),
  batch_id: z.string().nullable().optional().describe('The change_set_id'),
  coded: z.int().optional(),
  skipped_existing: z.int().optional(),
  excluded: z.int().optional(),
})

export function autoCodePatternTool({ patterns, clock }: Pick<ToolParts, 'patterns' | 'clock'>): WriteTool {
  return rowsTool({
    name: 'auto_code_pattern',
    title: 'Code what matches a pattern',
    description:
      'Codes every match of a text, word or regular expression, or the sentence, line or paragraph around it. Without confirm it shows the matches; then call again with confirm: true, and with exclude for those that do not fit. undo_change_set takes a batch back.',
    input,
    data,
    isFlat: true,
    marks: { destructiveHint: false, idempotentHint: true },
    choices: ['exclude', 'cursor'],
    prepare: (given, { project: { db }, actor, context: { signal } }) => {
      requireCode(db, given.code_id)
      return findPassages(
        db,
        patterns,
        {
          pattern: given.pattern,
          match: given.match,
          caseSensitive: given.case_sensitive,
          scope: given.scope,
          extend: given.extend,
          sources: chosenSources(db, { sourceIds: given.source_ids }),
          codeId: given.code_id,
          coder: actor.coder,
          from: given.cursor === undefined ? 0 : readCursor(given.cursor, 1)[0]!,
          signal,
        },
        new TimeSlices(clock, signal),
      )
    },
    preview: ({ code_id }, _, { total, alreadyCoded, sources, shown }) => {
      const next = (shown.at(-1)?.index ?? total) + 1
      return {
        code_id,
        total_matches: total,
        already_coded: alreadyCoded,
        sources: sources.map(({ id, name, passages }) => ({
          source_id: id,
          source_name: name,
          matches: passages.length,
        })),
        matches: [...shown],
        next_cursor: next < total ? writeCursor([next]) : null,
      }
    },
    basis: (_, __, { sources }) => sources.map(({ id, textHash }) => [id, textHash]),
    apply: (writer, { code_id, exclude = [] }, _, found) => {
      const { name } = requireCode(writer.db, code_id)
      const excluded = excludedOf(exclude, found)
      const coder = new PassageCoder(writer)
      let first = 0
      for (const source of found.sources) {
        const offset = first
        const wanted = source.passages.filter((_, index) => !excluded.has(offset + index))
        coder.code(code_id, source.id, requireSameText(writer.db, source), wanted)
        first += source.passages.length
      }
      writer.summary = `${coder.coded} passages coded with '${name}' by a pattern`
      return {
        code_id,
        total_matches: found.total,
        batch_id: writer.changeSetId,
        coded: coder.coded,
        skipped_existing: coder.skipped,
        excluded: excluded.size,
      }
    },
  })
}

function excludedOf(exclude: readonly number[], { total }: FoundPassages): ReadonlySet<number> {
  const unknown = exclude.find((index) => index >= total)
  if (unknown === undefined) return new Set(exclude)
  throw new QdaFailure(
    'INVALID_ARGUMENT',
    `There is no match ${unknown} to exclude: ${total} were found, numbered from 0. Call without confirm to see them`,
    { details: { path: 'exclude', total_matches: total } },
  )
}
