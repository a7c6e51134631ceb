import { z } from 'zod'
import { ForumFailure } from '../failure/forum-failure.js'
import { idAt, type JsonRecord, listAt, recordAt, textAt } from '../json/read-json.js'
import { writeInput } from '../writes/write-shape.js'
import { id, tagList, topicTitle } from './common-input.js'
import { conflictHint } from './edit-conflict.js'
import { type ToolCall, writeTool } from './forum-tool.js'
import { isSameTitle } from './posts/same-text.js'
import { tagsForVersion } from './tags-for-version.js'
import { tagNames } from './topics/tag-names.js'
import { slugOf, titleOf } from './topics/topic-row.js'
import { unexpectedAnswer } from './unexpected-answer.js'

const fields = ['title', 'category_id', 'tags'] as const

/** What is to be changed. */
interface Changes {
  readonly title?: string | undefined
  readonly category_id?: number | undefined
  readonly tags?: readonly string[] | undefined
}

export const updateTopicTool = () =>
  writeTool({
    name: 'discourse_update_topic',
    title: 'Change a topic',
    description:
      'Changes the title, the category or the tags of a topic; what is absent stays. tags replaces all of them, [] takes them ' +
      'away. Give original_title and original_tags as you have read them: then the forum refuses the change with `conflict` ' +
      'where somebody was faster.',
    input: writeInput({
      topic_id: id('The topic'),
      title: topicTitle.optional(),
      category_id: id('The new category').optional(),
      tags: tagList.describe('All tags that it is to have').optional(),
      original_title: topicTitle.describe('The title as you have read it').optional(),
      original_tags: z.array(z.string().min(1)).max(100).describe('The tags as you have read them').optional(),
    }),
    output: z.strictObject({
      topic_id: z.int(),
      updated_fields: z.array(z.enum(fields)),
      topic: z.strictObject({
        id: z.int(),
        title: z.string(),
        slug: z.string(),
        category_id: z.int().nullable(),
        tags: z.array(z.string()).nullable().describe('null: the forum did not tell'),
      }),
    }),
    marks: { destructiveHint: true, idempotentHint: false },
    setsValue: true,
    async prepare(input, call) {
      if (fieldsOf(input).length === 0) throw nothingToChange()
      const { tags, original_tags } = input
      return {
        ...(tags !== undefined && { tags: await tagsForVersion(tags, call) }),
        ...(original_tags !== undefined && { original_tags: await tagsForVersion(original_tags, call) }),
      }
    },
    request: ({ topic_id, title, category_id, original_title }, _, tags) => ({
      method: 'PUT',
      path: `/t/-/${topic_id}.json`,
      json: {
        ...(title !== undefined && { title }),
        ...(category_id !== undefined && { category_id }),
        ...(original_title !== undefined && { original_title }),
        ...tags,
      },
    }),
    async effect(answer, input, call) {
      const basic = recordAt(answer, 'basic_topic')
      const { topic_id } = input
      if (idAt(basic, 'id') !== topic_id) throw unexpectedAnswer('the changed topic')
      // The answer has no category and no tags; what can't be read now has happened all the same.
      const topic = await readTopic(topic_id, call).catch(() => ({ tags: input.tags, category_id: input.category_id }))
      return { output: viewOf({ ...basic, ...topic }, input) }
    },
    refused: (failure) =>
      conflictHint(failure, 'Read the topic again with discourse_read_topic, and change what is there now.'),
    lookFirst: 'read the topic with discourse_read_topic.',
    async find(input, call) {
      const topic = await readTopic(input.topic_id, call)
      return isChanged(topic, input) ? viewOf(topic, input) : undefined
    },
  })

async function readTopic(topicId: number, { client, scope }: ToolCall): Promise<JsonRecord> {
  const topic = (await client.get(`/t/${topicId}.json`, [], scope)) as JsonRecord
  if (idAt(topic, 'id') !== topicId) throw unexpectedAnswer('the topic')
  return topic
}

function isChanged(topic: JsonRecord, { title, category_id, tags }: Changes): boolean {
  return (
    (title === undefined || isSameTitle(textAt(topic, 'title'), title)) &&
    (category_id === undefined || idAt(topic, 'category_id') === category_id) &&
    (tags === undefined || comparable(tagNames(listAt(topic, 'tags'))) === comparable(tags))
  )
}

function comparable(tags: readonly string[]): string {
  return JSON.stringify([...new Set(tags.map((tag) => tag.toLowerCase()))].sort())
}

function viewOf(topic: JsonRecord, input: Changes & { readonly topic_id: number }) {
  const { topic_id } = input
  return {
    topic_id,
    updated_fields: fieldsOf(input),
    topic: {
      id: topic_id,
      title: titleOf(topic),
      slug: slugOf(topic, topic_id),
      category_id: idAt(topic, 'category_id') ?? null,
      tags: Array.isArray(topic['tags']) ? tagNames(topic['tags']) : null,
    },
  }
}

function fieldsOf(input: Changes) {
  return fields.filter((field) => input[field] !== undefined)
}

function nothingToChange(): ForumFailure {
  const message = 'Nothing is to be changed: give title, category_id or tags.'
  return new ForumFailure('invalid_arguments', message, {
    issues: fields.map((path) => ({ path, message: 'one of these is required' })),
  })
}
