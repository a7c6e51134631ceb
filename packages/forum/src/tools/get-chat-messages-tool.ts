import { z } from 'zod'
import type { ForumConfig } from '../config/forum-config.js'
import { ForumFailure } from '../failure/forum-failure.js'
import type { Query } from '../http/site-client.js'
import { cutText } from '../json/cut-text.js'
import { idAt, isRecord, type JsonRecord, recordAt, recordsAt, textAt, truthAt } from '../json/read-json.js'
import { chatMessagesMax } from '../limits.js'
import { id } from './common-input.js'
import { readTool } from './forum-tool.js'
import { unexpectedAnswer } from './unexpected-answer.js'
import { untrustedText } from './untrusted-text.js'
import { withHint } from './with-hint.js'

/** With seconds, or without. */
const time = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })])

const input = z.strictObject({
  channel_id: id('Id of the channel; discourse://chat/channels has them'),
  page_size: z.int().min(1).max(50).default(50).describe('How many messages at most'),
  target_message_id: id('Messages around this one, or on one side of it').optional(),
  direction: z
    .enum(['past', 'future'])
    .optional()
    .describe('The side of target_message_id: past for older messages, future for newer ones'),
  target_date: z
    .string()
    .refine((text) => time.safeParse(text).success, {
      error: 'must be a time with its offset, like 2026-03-02T12:00:00Z',
    })
    .meta({ format: 'date-time' })
    .optional()
    .describe('Messages around this time, like 2026-03-02T12:00:00Z; in place of target_message_id'),
})

/** Whether there are more on that side; null: the forum has not looked. */
const side = z.boolean().nullable()

const message = z.strictObject({
  id: z.int(),
  username: z.string().nullable(),
  created_at: z.string().nullable(),
  message: z.string(),
  /** Only where it is. */
  truncated: z.literal(true).optional(),
  edited: z.boolean(),
  thread_id: z.int().nullable(),
  in_reply_to_id: z.int().nullable(),
})

export const getChatMessagesTool = ({ config }: { readonly config: Pick<ForumConfig, 'maxReadLength'> }) =>
  readTool({
    name: 'discourse_get_chat_messages',
    title: 'Read a chat channel',
    description:
      'Reads messages of a chat channel, the oldest first; without a target the newest ones. Go on with target_message_id ' +
      '= id of the first message and direction past, or of the last one and future, while meta.can_load_more_past or ' +
      'can_load_more_future (null: not looked). Reading marks the channel as viewed by the user of the key. ' +
      `${untrustedText}`,
    input,
    output: z.strictObject({
      channel_id: z.int(),
      messages: z.array(message),
      meta: z.strictObject({
        returned: z.int(),
        can_load_more_past: side,
        can_load_more_future: side,
        target_message_id: z.int().nullable(),
      }),
    }),
    async read(asked, { client, scope }) {
      const { channel_id } = asked
      const path = `/chat/api/channels/${channel_id}/messages`
      const answer = await withHint('not_found', missing, client.get(path, queryOf(asked), scope))
      if (!isRecord(answer) || !Array.isArray(answer['messages'])) throw unexpectedAnswer('messages of the channel')
      const messages = recordsAt(answer, 'messages')
        // Around one of them a forum gives as many as it likes on both sides, whatever it was asked for.
        .slice(0, chatMessagesMax)
        .map((one) => messageOf(one, config.maxReadLength))
      const meta = recordAt(answer, 'meta')
      return {
        channel_id,
        messages,
        meta: {
          returned: messages.length,
          can_load_more_past: truthAt(meta, 'can_load_more_past') ?? null,
          can_load_more_future: truthAt(meta, 'can_load_more_future') ?? null,
          target_message_id: idAt(meta, 'target_message_id') ?? null,
        },
      }
    },
  })

const missing = 'There is no such channel, the user of the key may not see it, or this forum has no chat.'

function queryOf({ page_size, target_message_id, direction, target_date }: z.output<typeof input>): Query {
  if (target_message_id !== undefined && target_date !== undefined) throw twoTargets()
  return [
    ['page_size', page_size],
    ...(target_message_id === undefined ? [] : [['target_message_id', target_message_id] as const]),
    ...(direction === undefined ? [] : [['direction', direction] as const]),
    ...(target_date === undefined ? [] : [['target_date', target_date] as const]),
  ]
}

/** The forum would take one of them and say nothing of the other. */
function twoTargets(): ForumFailure {
  const message = 'cannot go with target_message_id: give one of them'
  return new ForumFailure('invalid_arguments', `target_date: ${message}`, {
    issues: [{ path: 'target_date', message }],
  })
}

function messageOf(given: JsonRecord, lengthMax: number): z.output<typeof message> {
  const messageId = idAt(given, 'id')
  if (messageId === undefined) throw unexpectedAnswer('the id of a message')
  const { text, isCut } = cutText(textAt(given, 'message') ?? '', lengthMax)
  return {
    id: messageId,
    username: textAt(recordAt(given, 'user'), 'username') ?? null,
    created_at: textAt(given, 'created_at') ?? null,
    message: text,
    ...(isCut && { truncated: true }),
    edited: truthAt(given, 'edited') ?? false,
    thread_id: idAt(given, 'thread_id') ?? null,
    in_reply_to_id: idAt(recordAt(given, 'in_reply_to'), 'id') ?? null,
  }
}
