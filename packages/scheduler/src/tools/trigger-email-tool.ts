import { z } from 'zod'
import { firstSendMs, longTextMax, subjectSuffixMax } from '../limits.js'
import { type SentTrigger, sendTrigger, type TriggerParts } from '../triggers/send-trigger.js'
import { changing, type Reply, type SchedulerTool } from './scheduler-tool.js'
import { textInput } from './text-input.js'

// Tag and suffix are read by hand: a control character at their ends must be seen before anything is trimmed.
const input = z.strictObject({
  tag: z.string().describe('Tag of the group that shall work, without brackets; case does not matter'),
  subject_suffix: z
    .string()
    .default('Agent Trigger')
    .describe('What stands behind the tag in the subject')
    .meta({ minLength: 1, maxLength: subjectSuffixMax }),
  body: textInput({ max: longTextMax }).describe("The target group's prompt"),
  idempotency_key: textInput({ max: 128 })
    .optional()
    .describe('A repeat with the same key and arguments within 24 h has no second effect'),
})

const output = z.strictObject({
  trigger_id: z.string(),
  tag: z.string(),
  target_group: z.string(),
  depth: z.int(),
  state: z.enum(['sent', 'queued']),
  warnings: z.array(z.string()),
})

type Output = z.output<typeof output>

export function triggerEmailTool(parts: TriggerParts): SchedulerTool {
  return changing({
    name: 'trigger_email',
    title: 'Trigger another group',
    description:
      'Starts work in another group: the body becomes the prompt of a run there. Any group may trigger any registered one, at most once a minute and not beyond the depth limit. Never use it in a loop, and never answer a trigger with a trigger to the same tag unless you were told to.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    access: 'group',
    timeoutMs: firstSendMs + 20_000,
    async change({ tag, subject_suffix: subjectSuffix, body }, actor, db) {
      const { group, triggerDepth: depth } = actor
      const sent = await sendTrigger(db, parts, { source: group.folder, depth, tag, subjectSuffix, body })
      return replyOf(sent, parts)
    },
    async afterwards(reply) {
      parts.scheduling.wake()
      return reply.value.state === 'sent' ? reply : firstAttempt(reply, parts)
    },
  })
}

function replyOf({ trigger, target, outboxId }: SentTrigger, { config }: TriggerParts): Reply<Output> {
  const warnings = [
    ...(target.runner === undefined ? [`The group ${target.folder} has no runner: the run will fail.`] : []),
    ...(trigger.depth >= config.max_trigger_depth
      ? [`The run is at the last depth (${trigger.depth}/${config.max_trigger_depth}): it can trigger nothing itself.`]
      : []),
  ]
  return inWords({
    trigger_id: trigger.id,
    tag: target.tag,
    target_group: target.folder,
    depth: trigger.depth,
    state: outboxId === undefined ? 'sent' : 'queued',
    warnings,
  })
}

async function firstAttempt(reply: Reply<Output>, { store, outbox }: TriggerParts): Promise<Reply<Output>> {
  const { value } = reply
  const { outbox_id: outboxId } = await store.db
    .selectFrom('triggers')
    .select('outbox_id')
    .where('id', '=', value.trigger_id)
    .executeTakeFirstOrThrow()
  if (outboxId === null) return reply
  const state = await outbox.sendNow(outboxId, firstSendMs)
  if (state !== 'dead') return inWords({ ...value, state })
  const warning = 'The mail server refused the mail for good: an operator has to look at it and call requeue_message.'
  const refused = { ...value, warnings: [...value.warnings, warning] }
  return { value: refused, text: `Trigger ${value.trigger_id} to ${value.target_group}: not sent. ${warning}` }
}

function inWords(value: Output): Reply<Output> {
  const { trigger_id: id, target_group: group, state, depth, warnings } = value
  const what = state === 'sent' ? 'sent' : 'queued, its mail goes out as soon as the server takes it'
  return { value, text: [`Trigger ${id} to ${group}: ${what} (depth ${depth}).`, ...warnings].join(' ') }
}
