import { z } from 'zod'
import { ForumFailure } from '../failure/forum-failure.js'
import { textAt } from '../json/read-json.js'
import { writeInput } from '../writes/write-shape.js'
import { draftKey, id, tagList, textOf, topicTitle } from './common-input.js'
import type { StoredDraft } from './drafts/draft-data.js'
import { readDraft } from './drafts/read-draft.js'
import { writeTool } from './forum-tool.js'

const actions = ['createTopic', 'reply', 'edit', 'privateMessage'] as const

const input = writeInput({
  draft_key: draftKey,
  reply: textOf(1, 50_000, 'The text, in Markdown'),
  title: topicTitle.optional(),
  category_id: id('The category, of a new topic').optional(),
  tags: tagList.optional(),
  sequence: z.int().min(0).default(0).describe('The one that discourse_get_draft gave; 0 for a new draft'),
  action: z.enum(actions).optional().describe('What the text is for; none: what the key says'),
})

export const saveDraftTool = () =>
  writeTool({
    name: 'discourse_save_draft',
    title: 'Save a draft',
    description:
      'Saves a draft of the user of the key, in place of what is stored under the key; nobody else sees it. Give the sequence that ' +
      'discourse_get_draft gave: with another one it is a conflict, and current_sequence is the right one.',
    input,
    output: z.strictObject({ draft_key: z.string(), sequence: z.int(), saved: z.boolean() }),
    marks: { destructiveHint: true, idempotentHint: false },
    request: (given) => ({
      method: 'POST',
      path: '/drafts.json',
      json: { draft_key: given.draft_key, data: JSON.stringify(dataOf(given)), sequence: given.sequence },
    }),
    async effect(_, given, call) {
      const stored = await readDraft(given.draft_key, call)
      if (isOurs(stored, given.reply)) return { output: viewOf(given.draft_key, stored) }
      throw notStored(stored)
    },
    async refused(failure, { draft_key }, call) {
      if (failure.code === 'conflict') return failure.with(await currentSequence(draft_key, call))
      // Of those whom it does not let in, the forum tells the type of the error.
      const isFull = failure.code === 'forbidden' && failure.details.error_type === undefined
      return isFull ? failure.with({ hint: 'The user may have too many drafts: delete some first.' }) : failure
    },
    lookFirst: 'read it with discourse_get_draft.',
    async find({ draft_key, reply }, call) {
      const stored = await readDraft(draft_key, call)
      return isOurs(stored, reply) ? viewOf(draft_key, stored) : undefined
    },
  })

/** As the forum's editor keeps it. */
function dataOf({ draft_key, reply, title, category_id, tags, action }: z.output<typeof input>) {
  const topicId = /^topic_(\d+)$/.exec(draft_key)?.[1]
  return {
    reply,
    action: action ?? actionOf(draft_key),
    title,
    categoryId: category_id,
    tags,
    topic_id: topicId === undefined ? undefined : Number(topicId),
  }
}

function actionOf(key: string): (typeof actions)[number] | undefined {
  // Newer forums put a time behind it, so that there can be several.
  if (/^new_topic(_|$)/.test(key)) return 'createTopic'
  if (/^new_private_message(_|$)/.test(key)) return 'privateMessage'
  return /^topic_\d+$/.test(key) ? 'reply' : undefined
}

function isOurs({ data }: StoredDraft, reply: string): boolean {
  return textAt(data, 'reply') === reply
}

function viewOf(key: string, { sequence }: StoredDraft) {
  return { draft_key: key, sequence, saved: true }
}

function notStored({ data, sequence }: StoredDraft): ForumFailure {
  const why =
    data === undefined
      ? 'Forums keep no drafts of bot users such as system: use the key of a person.'
      : 'Another text is stored there: read it with discourse_get_draft before you save again.'
  return new ForumFailure('not_stored', `The forum said that it saved the draft, and did not. ${why}`, {
    outcome: 'rejected',
    ...(data !== undefined && { current_sequence: sequence }),
  })
}

async function currentSequence(key: string, call: Parameters<typeof readDraft>[1]) {
  return { current_sequence: (await readDraft(key, call)).sequence }
}
