import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { pageLengthDefault, pageLengthMax } from '../limits.js'
import { requireSource } from '../project/sources.js'
import { perText } from '../text/per-text.js'
import { textHash } from '../text/text-hash.js'
import { id } from './common-input.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function readSourceContentTool(): QdaTool {
  return readTool({
    name: 'read_source_content',
    title: 'Read a source',
    description:
      'Reads a page of a source’s text. Positions count Unicode code points from 0, the end excluded, as everywhere here. While has_more is true, the next page starts at end_pos.',
    input: z.object({
      source_id: id('Of list_sources'),
      start_pos: z.int().default(0),
      end_pos: z.int().optional().describe('Default: the end of the text, as far as max_length goes'),
      max_length: z
        .int()
        .min(0)
        .max(pageLengthMax)
        .default(pageLengthDefault)
        .describe(`0: ${pageLengthDefault}; at most ${pageLengthMax}`),
    }),
    data: z.object({
      source_id: z.int(),
      source_name: z.string(),
      content: z.string(),
      start_pos: z.int(),
      end_pos: z.int(),
      total_length: z.int(),
      has_more: z.boolean(),
      text_hash: z.string().describe('Of the whole text: shows that it has not changed'),
    }),
    read: ({ source_id, start_pos, end_pos, max_length }, { project: { db, texts } }) => {
      const { name } = requireSource(db, source_id)
      const text = texts.get(source_id)!
      const total = text.length
      const end = Math.min(end_pos ?? total, start_pos + (max_length || pageLengthDefault), total)
      if (start_pos < 0 || start_pos > total || end < start_pos)
        throw new QdaFailure(
          'INVALID_POSITION',
          `Position [${start_pos}:${end_pos ?? ''}] invalid for source of length ${total}`,
          { details: { source_id, start_pos, end_pos: end_pos ?? null, total_length: total } },
        )
      return {
        source_id,
        source_name: name,
        content: text.slice(start_pos, end),
        start_pos,
        end_pos: end,
        total_length: total,
        has_more: end < total,
        text_hash: hashOf(text),
      }
    },
  })
}

/** A long text is read page by page. */
const hashOf = perText(textHash)
