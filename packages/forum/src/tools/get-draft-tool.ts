import { z } from 'zod'
import { pathPart } from '../http/request-url.js'
import { idAt, type JsonRecord, listAt, textAt } from '../json/read-json.js'
import { draftKeyLengthMax } from '../limits.js'
import { textOf } from './common-input.js'
import { storedDraftOf } from './drafts/draft-data.js'
import { readTool } from './forum-tool.js'
import { tagNames } from './topics/tag-names.js'
import { untrustedText } from './untrusted-text.js'

const data = z.strictObject({
  title: z.string().nullable(),
  reply: z.string().nullable(),
  category_id: z.int().nullable(),
  tags: z.array(z.string()),
  action: z.string().nullable(),
})

export const getDraftTool = () =>
  readTool({
    name: 'discourse_get_draft',
    title: 'Read a draft',
    description:
      'Reads one draft of the user of the key. sequence is the one to save or delete it with, also when found is false; ' +
      `sequence_matches tells whether it is the one that you gave. ${untrustedText}`,
    input: z.strictObject({
      draft_key: textOf(1, draftKeyLengthMax, 'new_topic, new_private_message, or topic_ and the id of the topic'),
      sequence: z.int().min(0).optional().describe('The one that you know, to be compared with the stored one'),
    }),
    output: z.strictObject({
      draft_key: z.string(),
      sequence: z.int(),
      sequence_matches: z.boolean().optional(),
      found: z.boolean(),
      data: data.nullable(),
    }),
    async read({ draft_key, sequence: known }, { client, scope }) {
      // The known sequence stays here: forums may fail over one that does not match.
      const answer = await client.get(`/drafts/${pathPart(draft_key)}.json`, [], scope)
      const { sequence, data } = storedDraftOf(answer)
      return {
        draft_key,
        sequence,
        ...(known !== undefined && { sequence_matches: known === sequence }),
        found: data !== undefined,
        data: data === undefined ? null : draftView(data),
      }
    },
  })

function draftView(draft: JsonRecord): z.output<typeof data> {
  return {
    title: textAt(draft, 'title') ?? null,
    reply: textAt(draft, 'reply') ?? null,
    category_id: idAt(draft, 'categoryId') ?? null,
    tags: tagNames(listAt(draft, 'tags')),
    action: textAt(draft, 'action') ?? null,
  }
}
