import { z } from 'zod'
import { recordActivity } from '../activity/record-activity.js'
import type { Foundation } from '../foundation.js'
import { mailIdMax } from '../limits.js'
import { withoutInternal } from '../messages/internal-text.js'
import { refusal } from '../refusal.js'
import { changing, type SchedulerTool } from './scheduler-tool.js'
import { textInput } from './text-input.js'

const input = z.strictObject({ message_id: textInput({ max: mailIdMax }).describe('As the review names it: msg_…') })

const output = z.object({ message_id: z.string(), state: z.literal('dropped'), changed: z.boolean() })

/** The admin group's word in a review. */
export function dropMessageTool({ clock }: Foundation): SchedulerTool {
  return changing({
    name: 'drop_message',
    title: 'Drop a message',
    description:
      'Keep a message that is being reviewed from being mailed. Left alone, it goes out when its review ends. For the admin group only.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    access: 'admin',
    async change({ message_id }, actor, db) {
      const message = await db
        .selectFrom('messages')
        .select(['state', 'group_folder', 'text'])
        .where('id', '=', message_id)
        .executeTakeFirst()
      if (message === undefined) throw refusal('NOT_FOUND', `There is no message ${message_id}.`)
      const { state } = message
      if (state === 'dropped') return replyOf(message_id, false)
      if (state !== 'review')
        throw refusal('CONFLICT', `${message_id} is ${state}: only a message in review can be dropped.`)
      await db
        .updateTable('messages')
        .set({ state: 'dropped', review_until: null })
        .where('id', '=', message_id)
        .execute()
      await recordActivity(db, {
        at: clock.now(),
        type: 'message_logged',
        group: message.group_folder,
        ...(actor.run !== undefined && { runId: actor.run.id }),
        summary: `Dropped in review: ${withoutInternal(message.text)}`,
        details: { message_id, dropped_by: actor.principal },
      })
      return replyOf(message_id, true)
    },
  })
}

function replyOf(message_id: string, changed: boolean) {
  const text = changed ? `${message_id} is dropped.` : `${message_id} was dropped before.`
  return { value: { message_id, state: 'dropped' as const, changed }, text }
}
