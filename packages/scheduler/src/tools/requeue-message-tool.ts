import { z } from 'zod'
import { recordActivity } from '../activity/record-activity.js'
import type { Foundation } from '../foundation.js'
import { mailIdMax } from '../limits.js'
import { findMail } from '../mail/find-mail.js'
import type { OutboxDelivery } from '../mail/outbox-delivery.js'
import { refusal } from '../refusal.js'
import { changing, type SchedulerTool } from './scheduler-tool.js'
import { textInput } from './text-input.js'

const input = z.strictObject({
  message_id: textInput({ max: mailIdMax }).describe(
    'Of a message (msg_…), a trigger (trg_…), a mail as the activity log names it (out_…), or a Message-ID.',
  ),
})

const output = z.object({
  message_id: z.string(),
  state: z.enum(['pending', 'sending', 'sent', 'dead']),
  changed: z.boolean(),
})

export function requeueMessageTool(
  { clock }: Foundation,
  delivery: Pick<OutboxDelivery, 'requeue' | 'wake'>,
): SchedulerTool {
  return changing({
    name: 'requeue_message',
    title: 'Send a dead mail again',
    description: 'Give a mail that was given up, of a message, a digest or a trigger, a fresh series of attempts.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    access: 'operator',
    async change({ message_id }, actor, db) {
      const now = clock.now()
      const mail = await findMail(db, message_id)
      if (mail === undefined) throw refusal('NOT_FOUND', `There is no mail of ${message_id}.`)
      if (mail.state === 'dead' && mail.expires_at !== null && mail.expires_at <= now) {
        throw refusal('CONFLICT', `The trigger of ${message_id} has expired: nobody would accept it. Trigger anew.`)
      }
      const changed = await delivery.requeue(db, mail.id)
      if (!changed) return replyOf(message_id, mail.state, false)
      await recordActivity(db, {
        at: now,
        type: 'message_queued',
        summary: `Queued again: ${mail.subject}`,
        details: { outbox_id: mail.id, by: actor.principal },
      })
      return replyOf(message_id, 'pending', true)
    },
    async afterwards(reply) {
      delivery.wake()
      return reply
    },
  })
}

function replyOf(message_id: string, state: z.output<typeof output>['state'], changed: boolean) {
  const text = changed ? `${message_id} is queued again.` : `${message_id} is not dead but ${state}: nothing to do.`
  return { value: { message_id, state, changed }, text }
}
