import { z } from 'zod'
import { argsBytesMax, cronLengthMax, jitterMsMax, longTextMax, taskNameMax } from '../limits.js'
import { textInput } from '../tools/text-input.js'

/** What a caller can say about a task. Each tool adds which of it is required, and the defaults. */
export const taskParameters = {
  prompt: textInput({ max: longTextMax }).describe('What the agent should do when the task runs.'),
  schedule_type: z.enum(['cron', 'interval', 'once']),
  schedule_value: textInput({ min: 0, max: cronLengthMax }).describe(
    'cron: five fields, "0 9 * * 1-5". interval: whole milliseconds, "3600000". once: local time without Z or offset, "2026-02-01T15:30:00".',
  ),
  context_mode: z
    .enum(['group', 'isolated'])
    .describe(
      "group: goes on in the group's conversation. isolated: a fresh session; put all it must know into the prompt.",
    ),
  timezone: textInput({ max: 64 }).describe(
    'IANA name of the zone in which schedule_value is meant, "Europe/Paris"; absent: the zone of the group, else of this system.',
  ),
  name: textInput({ max: taskNameMax })
    .refine((name) => !/\p{Cc}/u.test(name), 'must be one line without control characters')
    .describe('Unique in the group.'),
  missed: z
    .enum(['latest', 'skip', 'all'])
    .describe('Which runs are made up for after a time when nothing ran here: the latest, none, or all (at most 24).'),
  overlap: z
    .enum(['skip', 'queue_one', 'cancel_running', 'allow'])
    .describe('What becomes of a run that is due while the one before still runs.'),
  jitter_ms: z
    .int()
    .min(0)
    .max(jitterMsMax)
    .describe('Spreads starts: each is delayed by up to this. At most half the time between two fires, and one hour.'),
  allow_past: z.boolean().describe('once only: a time that has passed is not refused, the task runs now.'),
  expect: z
    .enum(['any', 'output', 'message'])
    .describe('What a run must leave behind, else its outcome is "empty": nothing, a final text, or a send_message.'),
  deliver: z
    .enum(['none', 'log', 'digest', 'notify'])
    .describe('What becomes of the final text of a run. none: it is only kept with the run; use send_message.'),
  tool: textInput({ max: 128 }).describe(
    'Calls this tool instead of starting an agent; prompt is then its description. Tools that change tasks are refused.',
  ),
  args: z
    .record(z.string(), z.unknown())
    .refine(
      (args) => Buffer.byteLength(JSON.stringify(args)) <= argsBytesMax,
      `must be at most ${argsBytesMax.toLocaleString('en')} bytes of JSON`,
    )
    .describe('Arguments for tool.'),
}
