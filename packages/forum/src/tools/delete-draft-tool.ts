import { z } from 'zod'
import { ForumFailure } from '../failure/forum-failure.js'
import { pathPart } from '../http/request-url.js'
import { writeInput } from '../writes/write-shape.js'
import { draftKey } from './common-input.js'
import { readDraft } from './drafts/read-draft.js'
import { writeTool } from './forum-tool.js'

export const deleteDraftTool = () =>
  writeTool({
    name: 'discourse_delete_draft',
    title: 'Delete a draft',
    description:
      'Deletes a draft of the user of the key; deleted means that there is none now. With another sequence than the stored one it is ' +
      'a conflict, and current_sequence is the right one.',
    input: writeInput({
      draft_key: draftKey,
      sequence: z.int().min(0).describe('The one that discourse_get_draft gave'),
    }),
    output: z.strictObject({ draft_key: z.string(), deleted: z.boolean() }),
    marks: { destructiveHint: true, idempotentHint: false },
    request: ({ draft_key, sequence }, { selection }) => ({
      method: 'DELETE',
      path: `/drafts/${pathPart(draft_key)}.json`,
      // An admin key has to say whose draft it is.
      query: [['sequence', sequence], ...ownerOf(selection.credential.username)],
    }),
    async effect(_, { draft_key }, call) {
      const { data, sequence } = await readDraft(draft_key, call)
      if (data === undefined) return { output: { draft_key, deleted: true } }
      throw new ForumFailure(
        'conflict',
        `The draft is still there: its sequence is ${sequence}. Read it with discourse_get_draft before you delete it with that one.`,
        { outcome: 'rejected', current_sequence: sequence },
      )
    },
    lookFirst: 'read it with discourse_get_draft.',
    async find({ draft_key }, call) {
      const { data } = await readDraft(draft_key, call)
      return data === undefined ? { draft_key, deleted: true } : undefined
    },
  })

function ownerOf(username: string | undefined): readonly (readonly ['username', string])[] {
  return username === undefined ? [] : [['username', username]]
}
