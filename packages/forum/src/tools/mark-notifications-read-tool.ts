import { z } from 'zod'
import { requireUser } from '../identity/forum-user.js'
import { idAt, type JsonRecord, textAt, truthAt } from '../json/read-json.js'
import { requireRecords } from '../json/require-records.js'
import { notificationsPerPage } from '../limits.js'
import { writeInput } from '../writes/write-shape.js'
import { id } from './common-input.js'
import { writeTool } from './forum-tool.js'
import { unexpectedAnswer } from './unexpected-answer.js'

export const markNotificationsReadTool = () =>
  writeTool({
    name: 'discourse_mark_notifications_read',
    title: 'Mark notifications as read',
    description:
      'Marks one notification as read, or without an id all that the user of the key has. What is new is in ' +
      'discourse_get_inbox, which shows each notification once whether it is marked or not.',
    input: writeInput({ notification_id: id('The notification; absent: all of them').optional() }),
    output: z.strictObject({ marked: z.boolean() }),
    marks: { destructiveHint: false, idempotentHint: true },
    async prepare(_, call) {
      requireUser(call, 'Notifications')
    },
    request: ({ notification_id }) => ({
      method: 'PUT',
      path: '/notifications/mark-read.json',
      json: notification_id === undefined ? {} : { id: notification_id },
    }),
    effect(answer) {
      if (textAt(answer, 'success') !== 'OK') throw unexpectedAnswer('that the notifications are marked')
      return { output: { marked: true } }
    },
    lookFirst: 'see with discourse_get_inbox whether they are read; to mark them once more does no harm.',
    async find({ notification_id }, { client, scope }, sentAt) {
      const query = [
        ['limit', notificationsPerPage],
        ['offset', 0],
        ...(notification_id === undefined ? [['filter', 'unread'] as const] : []),
      ] as const
      const rows = requireRecords(
        await client.get('/notifications.json', query, scope),
        'notifications',
        '/notifications.json',
      )
      const isMarked =
        notification_id === undefined
          ? // Those that came later are another matter.
            rows.every((row) => isRead(row) || Date.parse(textAt(row, 'created_at') ?? '') > sentAt)
          : rows.some((row) => idAt(row, 'id') === notification_id && isRead(row))
      return isMarked ? { marked: true } : undefined
    },
  })

function isRead(row: JsonRecord): boolean {
  return truthAt(row, 'read') === true
}
