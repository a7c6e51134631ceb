import { z } from 'zod'
import type { Scheduling } from '../engine/scheduling.js'
import type { Foundation } from '../foundation.js'
import { firstSendMs, idempotencyKeyMax, longTextMax } from '../limits.js'
import type { Outbox } from '../mail/outbox.js'
import type { Messages } from '../messages/messages.js'
import { changing, type Reply, type SchedulerTool } from './scheduler-tool.js'
import { textInput } from './text-input.js'

const input = z.strictObject({
  text: textInput({ max: longTextMax }).describe(
    'What to tell the user. Text inside <internal>…</internal> is stored, but never mailed.',
  ),
  priority: z
    .enum(['notify', 'digest', 'log'])
    .default('digest')
    .describe('notify: a mail at once. digest: part of the next digest mail. log: activity log only, no mail.'),
  idempotency_key: textInput({ max: idempotencyKeyMax })
    .optional()
    .describe('A repeat with this key within 24 hours sends nothing again and gets the first reply.'),
})

const output = z.object({
  message_id: z.string(),
  priority: z.enum(['notify', 'digest', 'log']),
  state: z
    .enum(['sent', 'queued', 'batched', 'logged', 'held'])
    .describe('queued: the mail will be tried again. held: mail is not configured; it goes out once it is.'),
  warnings: z.array(z.string()),
})

type SendMessageOutput = z.output<typeof output>

export function sendMessageTool(
  foundation: Foundation,
  messages: Messages,
  outbox: Outbox,
  scheduling: Pick<Scheduling, 'wake'>,
): SchedulerTool {
  return changing({
    name: 'send_message',
    title: 'Send a message',
    description:
      'Tell the user something. The output of a scheduled task is not sent by itself: use this. Priority notify for what ' +
      'needs an answer or can not wait, digest (the default) for progress, log for "nothing new".',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    access: 'group',
    async change({ text, priority }, actor, db) {
      const { group, run, triggerDepth } = actor
      const posted = await messages.post(db, {
        group: group.folder,
        ...(run !== undefined && { runId: run.id }),
        depth: triggerDepth,
        priority,
        text,
      })
      const state = posted.state === 'review' ? 'queued' : posted.state
      return replyOf({ message_id: posted.messageId, priority, state, warnings: [...posted.warnings] })
    },
    async afterwards(reply) {
      // There may be a review to run.
      scheduling.wake()
      const outboxId = await mailOf(foundation, reply.value)
      return outboxId === undefined ? reply : firstAttempt(reply.value, outbox, outboxId)
    },
  })
}

/** What has a mail of its own: neither a digest's message, nor one that is reviewed first. */
async function mailOf({ store }: Foundation, { message_id, state }: SendMessageOutput): Promise<string | undefined> {
  if (state !== 'queued') return undefined
  const row = await store.db.selectFrom('messages').select('outbox_id').where('id', '=', message_id).executeTakeFirst()
  return row?.outbox_id ?? undefined
}

async function firstAttempt(
  value: SendMessageOutput,
  outbox: Outbox,
  outboxId: string,
): Promise<Reply<SendMessageOutput>> {
  const state = await outbox.sendNow(outboxId, firstSendMs)
  if (state !== 'dead') return replyOf({ ...value, state })
  const warning = refusedWarning(value.message_id)
  return {
    value: { ...value, warnings: [...value.warnings, warning] },
    text: `Not sent (${value.message_id}). ${warning}`,
  }
}

function refusedWarning(messageId: string): string {
  return `The mail server refused this mail. It is kept; an operator can send it again with requeue_message ${messageId}.`
}

function replyOf(value: SendMessageOutput): Reply<SendMessageOutput> {
  return { value, text: [`${says[value.state]} (${value.message_id})`, ...value.warnings].join(' ') }
}

const says: { readonly [State in SendMessageOutput['state']]: string } = {
  sent: 'Sent.',
  queued: 'Queued: the mail goes out as soon as it can.',
  batched: 'Kept for the next digest.',
  logged: 'Logged.',
  held: 'Held.',
}
