import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { journalNameLengthMax } from '../limits.js'
import { addJournal, findJournalNamed } from '../project/journals.js'
import { nameProblem } from '../text/name-problem.js'
import { normalizeContent } from '../text/normalize-content.js'
import { TextIndex } from '../text/text-index.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function addJournalTool(): WriteTool {
  return rowsTool({
    name: 'add_journal',
    title: 'Write a journal entry',
    description:
      'Adds an entry to the project’s journals: what was decided, and why. No other entry may have its name.',
    input: z.object({
      name: z.string().describe('Up to 255 characters, without slashes'),
      content: z.string(),
    }),
    data: z.object({ journal_id: z.int(), name: z.string(), total_length: z.int() }),
    contentArguments: ['content'],
    marks: { destructiveHint: false, idempotentHint: true },
    apply: (writer, { name: given, content }) => {
      const problem = nameProblem(given, { lengthMax: journalNameLengthMax, slashes: 'refused' })
      if (problem !== undefined)
        throw new QdaFailure('JOURNAL_NOT_ADDED/INVALID_NAME', `The name ${problem}`, { details: { path: 'name' } })
      const name = given.trim()
      const { text } = normalizeContent(content)
      const same = findJournalNamed(writer.db, name)
      if (same !== undefined)
        throw new QdaFailure('JOURNAL_NOT_ADDED/DUPLICATE_NAME', `Journal with name '${name}' already exists`, {
          details: { journal_id: same.id },
        })
      const journalId = addJournal(writer, name, text)
      writer.summary = `Added journal '${name}'`
      return { journal_id: journalId, name, total_length: new TextIndex(text).length }
    },
  })
}
