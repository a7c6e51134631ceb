import { z } from 'zod'
import { allJournals } from '../project/journals.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function listJournalsTool(): QdaTool {
  return readTool({
    name: 'list_journals',
    title: 'Journals',
    description: 'The project’s journal entries, by name. read_journal reads one.',
    input: z.object({}),
    data: z.object({
      journals: z.array(
        z.object({
          id: z.int(),
          name: z.string(),
          owner: z.string().nullable(),
          created_at: z.string().nullable(),
          total_length: z.int().describe('In code points'),
        }),
      ),
    }),
    read: (_, { project: { db } }) => ({ journals: [...allJournals(db)] }),
  })
}
