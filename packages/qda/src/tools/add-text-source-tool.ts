import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { originLengthMax, sourceNameLengthMax } from '../limits.js'
import { addEmptyAttributes } from '../project/attributes.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { setMeta } from '../project/source-meta.js'
import { requireSource, sourceNamed } from '../project/sources.js'
import { nameProblem } from '../text/name-problem.js'
import { normalizeContent } from '../text/normalize-content.js'
import { withPublicPart } from '../text/private-memo.js'
import { textHash } from '../text/text-hash.js'
import { TextIndex } from '../text/text-index.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function addTextSourceTool(): WriteTool {
  return rowsTool({
    name: 'add_text_source',
    title: 'Add a text',
    description:
      'Adds a text as a source of its own. Line ends become LF and a byte order mark goes; else it is kept as it is. Names are unique, whatever their case.',
    input: z.object({
      name: z.string().describe('1 to 255 characters, no / or \\'),
      content: z.string().min(1),
      memo: z.string().optional(),
      origin: z.string().max(originLengthMax).optional().describe('Where it comes from, e.g. "interview transcript"'),
    }),
    data: z.object({
      source_id: z.int(),
      name: z.string(),
      type: z.literal('text'),
      status: z.string(),
      file_size: z.int().describe('Bytes of UTF-8'),
      total_length: z.int().describe('Code points'),
      text_hash: z.string(),
      normalized: z.boolean().describe('Whether the stored text differs from what you gave'),
    }),
    isFlat: true,
    contentArguments: ['content'],
    marks: { destructiveHint: false, idempotentHint: true },
    prepare: ({ name, content, memo }) => {
      const { text, changed } = normalizeContent(content)
      const { length } = new TextIndex(text)
      return { name: wellFormed(name), memo: withPublicPart(null, memo ?? null), text, length, changed }
    },
    apply: (writer, { origin }, _, { name, memo, text, length, changed }) => {
      requireUnused(writer.db, name)
      const source_id = Number(
        writer.insert('source', {
          ...{ name, fulltext: text, mediapath: null, memo },
          ...{ owner: writer.coder(), date: writer.act.date, av_text_id: null, risid: null },
        }),
      )
      addEmptyAttributes(writer, 'file', source_id)
      if (origin !== undefined) setMeta(writer, requireSource(writer.db, source_id), { origin })
      writer.summary = `Added source '${name}'`
      return {
        source_id,
        name,
        type: 'text' as const,
        status: 'imported',
        file_size: Buffer.byteLength(text),
        total_length: length,
        text_hash: textHash(text),
        normalized: changed,
      }
    },
  })
}

function wellFormed(given: string): string {
  const problem = nameProblem(given, { lengthMax: sourceNameLengthMax, slashes: 'refused' })
  if (problem === undefined) return given.trim()
  throw new QdaFailure('SOURCE_NOT_ADDED/INVALID_NAME', `The name of a source ${problem}`)
}

function requireUnused(db: ProjectDatabase, name: string): void {
  const other = sourceNamed(db, name)
  if (other === undefined) return
  throw new QdaFailure('SOURCE_NOT_ADDED/DUPLICATE_NAME', `Source with name '${name}' already exists`, {
    details: { source_id: other },
    suggestions: ['Take another name.'],
  })
}
