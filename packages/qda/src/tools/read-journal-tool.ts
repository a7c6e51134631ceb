import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { pageLengthDefault, pageLengthMax } from '../limits.js'
import { requireJournal } from '../project/journals.js'
import { textHash } from '../text/text-hash.js'
import { TextIndex } from '../text/text-index.js'
import { id } from './common-input.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function readJournalTool(): QdaTool {
  return readTool({
    name: 'read_journal',
    title: 'Read a journal',
    description:
      'Reads a page of a journal entry. Positions count Unicode code points from 0. While has_more is true, the next page starts at end_pos.',
    input: z.object({
      journal_id: id('Of list_journals'),
      start_pos: z.int().default(0),
      max_length: z
        .int()
        .min(0)
        .max(pageLengthMax)
        .default(pageLengthDefault)
        .describe(`0: ${pageLengthDefault}; at most ${pageLengthMax}`),
    }),
    data: z.object({
      journal_id: z.int(),
      name: z.string(),
      content: z.string(),
      start_pos: z.int(),
      end_pos: z.int(),
      total_length: z.int(),
      has_more: z.boolean(),
      text_hash: z.string(),
    }),
    read: ({ journal_id, start_pos, max_length }, { project: { db } }) => {
      const { name, content } = requireJournal(db, journal_id)
      const text = new TextIndex(content)
      const total = text.length
      if (start_pos < 0 || start_pos > total)
        throw new QdaFailure('INVALID_POSITION', `Position ${start_pos} invalid for journal of length ${total}`, {
          details: { journal_id, start_pos, total_length: total },
        })
      const end = Math.min(start_pos + (max_length || pageLengthDefault), total)
      return {
        journal_id,
        name,
        content: text.slice(start_pos, end),
        start_pos,
        end_pos: end,
        total_length: total,
        has_more: end < total,
        text_hash: textHash(content),
      }
    },
  })
}
