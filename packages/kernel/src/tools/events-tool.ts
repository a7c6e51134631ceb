import { ToolError, type ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import { toolErrorOf } from '../kernel/module-failure.js'
import {
  eventPatternsMax,
  eventReplyBytesMax,
  eventsKeptMax,
  eventWaitSMax,
  listLimitMax,
  queueRetryAfterMs,
  waitingCallsPerOwnerMax,
} from '../limits.js'
import type { Events } from '../session/events.js'
import { eventPattern } from '../session/trigger.js'
import type { Attendance } from './attendance.js'

const eventsInput = z.object({
  cursor: z.string().max(200).nullish().describe('Of an earlier reply: what came after it. Absent: the newest events.'),
  types: z
    .array(z.string().max(200))
    .max(eventPatternsMax)
    .nullish()
    .describe('Patterns of types, * for any characters, e.g. job.*; absent: all.'),
  timeout_s: z
    .number()
    .min(0)
    .max(eventWaitSMax)
    .nullish()
    .describe('If there is none yet, wait this long for the first; absent: do not wait.'),
  limit: z.int().min(1).max(listLimitMax).nullish().describe('At most so many events; absent: 100.'),
})

const eventsOutput = z.object({
  events: z
    .array(z.object({ cursor: z.string(), type: z.string(), data: z.unknown(), time: z.string() }))
    .readonly()
    .describe('Oldest first.'),
  cursor: z.string().describe('Give it to go on where this reply ends.'),
  has_more: z.boolean(),
  gap: z.boolean().describe('Events after your cursor are lost: too many came, or the worker was restarted.'),
})

export const eventsSpec = {
  title: 'Events',
  description: `Get what happened to your sessions and runs since a cursor, or wait for it. The newest ${eventsKeptMax} are kept in memory; a reply holds ${eventReplyBytesMax / 1024} KiB.`,
  input: eventsInput,
  output: eventsOutput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof eventsInput, typeof eventsOutput>

export async function readEvents(
  input: z.output<typeof eventsInput>,
  owner: string,
  events: Events,
  signal: AbortSignal,
  attendance: Attendance,
) {
  const query = { cursor: input.cursor ?? undefined, types: parsed(input.types), limit: input.limit ?? 100 }
  try {
    if (!input.timeout_s) return events.read(owner, query)
    const until = AbortSignal.any([signal, AbortSignal.timeout(input.timeout_s * 1000)])
    const leave = attendance.enter(owner)
    if (!leave) throw tooMany()
    return await events.wait(owner, query, until).finally(leave)
  } catch (error) {
    throw toolErrorOf(error)
  }
}

function tooMany(): ToolError {
  const message = `You have ${waitingCallsPerOwnerMax} calls that wait. Let some end first, or ask without timeout_s.`
  return new ToolError('overloaded', message, { retryable: true, retryAfterMs: queueRetryAfterMs })
}

function parsed(types: readonly string[] | null | undefined): readonly string[] | undefined {
  try {
    return types?.map(eventPattern)
  } catch (error) {
    throw toolErrorOf(error)
  }
}
