import { z } from 'zod'
import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { storedCodeName } from '../project/code-names.js'
import { addCode, allCodes, findCodeNamed, requireCode } from '../project/codes.js'
import type { Importance } from '../project/coding-meta.js'
import { insertCoding } from '../project/codings.js'
import { loadCoded } from '../project/codings-of-code.js'
import { leastUsedColor } from '../project/colors.js'
import type { OpenProject } from '../project/open-project.js'
import { requireSource } from '../project/sources.js'
import { codeBasis, textBasis } from '../project/text-basis.js'
import { textHash } from '../text/text-hash.js'
import { placeByPosition } from './batch/place-operation.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

/** What an approved item of suggest_codings does. */
export function applySuggestedCodingTool(): WriteTool {
  return rowsTool({
    name: 'apply_suggested_coding',
    title: 'Code a passage as it was suggested',
    description: 'Codes a passage, with a new code if need be.',
    input: z.object({
      source_id: id('Source ID'),
      code_id: id('Code ID').optional(),
      new_code: z.string().optional().describe('Name of a code that is made if there is none'),
      start_position: z.int(),
      end_position: z.int(),
      quote: z.string().describe('What stands there; for people'),
      text_hash: z.string(),
      memo: z.string().optional(),
      importance: z.int().min(0).max(3).optional(),
      confidence: z.number().optional().describe('From 0 to 1; for people'),
    }),
    data: z.object({
      segment_id: z.int(),
      created: z.boolean(),
      code_id: z.int(),
      code_created: z.boolean(),
      source_id: z.int(),
      start_position: z.int(),
      end_position: z.int(),
      selected_text: z.string(),
    }),
    marks: { destructiveHint: false, idempotentHint: true },
    basis: ({ source_id, code_id }, { project }) => ({
      ...textBasis(project, source_id),
      code: code_id === undefined ? null : codeBasis(project, code_id),
    }),
    apply: (writer, input, { project }) => {
      const { source_id, start_position: start, end_position: end, memo } = input
      requireSource(project.db, source_id)
      const index = textAsSuggested(project, source_id, input.text_hash)
      placeByPosition(index, { start, end, fuzzy: false })
      const code = codeFor(writer, input.code_id, input.new_code)
      const place = { codeId: code.id, sourceId: source_id, coder: writer.act.coder }
      const same = loadCoded(project.db, index, place).same(start, end)
      const text = index.slice(start, end)
      const importance = input.importance as Importance | undefined
      const coding = { cid: code.id, fid: source_id, start, end, text, memo, importance }
      writer.summary = 'Coded a passage as suggested'
      return {
        segment_id: same ?? insertCoding(writer, coding),
        created: same === undefined,
        code_id: code.id,
        code_created: code.isNew,
        source_id,
        start_position: start,
        end_position: end,
        selected_text: text,
      }
    },
  })
}

function textAsSuggested({ texts }: OpenProject, sourceId: number, hash: string) {
  const index = texts.get(sourceId)!
  if (textHash(index.text) === hash) return index
  throw new QdaFailure('TEXT_CHANGED', 'The text of the source is another one since this was suggested')
}

/** The code itself, or the one of that name, or a new one. */
function codeFor(writer: Writer, codeId: number | undefined, newCode = '') {
  if (codeId !== undefined) return { id: requireCode(writer.db, codeId).id, isNew: false }
  const name = storedCodeName(newCode, 'CODE_NOT_CREATED/INVALID_NAME')
  const same = findCodeNamed(writer.db, name)
  if (same !== undefined) return { id: same.id, isNew: false }
  return { id: addCode(writer, { name, color: leastUsedColor(allCodes(writer.db)) }), isNew: true }
}
