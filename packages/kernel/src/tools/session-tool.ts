import { ToolError, type ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import { memoryOf } from '../isolation/memory.js'
import type { Agent } from '../kernel/agent.js'
import type { Kernel } from '../kernel/kernel.js'
import { toolErrorOf } from '../kernel/module-failure.js'
import {
  namesListedMax,
  recentHistoryMax,
  sessionNameBytesMax,
  sessionReplyBytesMax,
  sessionTextBytesMax,
} from '../limits.js'
import type { House } from '../open-house.js'
import type { SessionRecord } from '../records/session-records.js'
import type { Sessions } from '../session/open-sessions.js'
import { changesSince, summarize } from '../session/session-summary.js'
import { shortJsonText } from '../short-text.js'
import { kernelField } from './run-schemas.js'
import { withinBytes } from './within-bytes.js'

const sessionInput = z.object({
  session_id: z.string().max(200).nullish().describe('A session of yours; absent: the current one.'),
  kernel: kernelField,
  since: z
    .string()
    .max(200)
    .nullish()
    .describe('The cursor of an earlier reply: lists that are as they were then stay empty, and unchanged names them.'),
})

const rule = z.object({
  id: z.string(),
  trigger: z.string(),
  action: z.string(),
  priority: z.string(),
  enabled: z.boolean(),
  fired_count: z.int(),
})

const sessionOutput = z.object({
  session_id: z.string(),
  session_name: z.string(),
  vibe: z.string().nullable(),
  tempo_bpm: z.number(),
  active_rules: z
    .array(rule)
    .readonly()
    .describe('Every rule that has not finished, disabled ones too, by creation; as many as fit.'),
  rules_total: z.int(),
  markers: z
    .array(z.object({ name: z.string(), beat: z.number() }))
    .readonly()
    .describe('By beat; as many as fit.'),
  markers_total: z.int(),
  recent_history: z
    .array(z.object({ action: z.string(), success: z.boolean(), timestamp: z.string() }))
    .readonly()
    .describe(`What was run, newest first, at most ${recentHistoryMax}.`),
  transport_state: z.enum(['stopped', 'playing', 'paused']),
  current_beat: z.number(),
  kernel: z.object({
    state: z.enum(['absent', 'idle', 'busy', 'dead']),
    name: z.string().nullable(),
    runtime: z.string().nullable(),
    isolation: z.string().describe('What is between the code and the machine.'),
    limits_refused: z.array(z.string()).readonly().describe('Limits that this system does not hold for this kernel.'),
    epoch: z.int().nullable(),
    running_run: z.int().nullable(),
    queue_length: z.int(),
    memory_bytes: z.int().nullable(),
    last_death: z.string().nullable(),
  }),
  names: z.array(z.string()).describe(`Names that runs have bound, newest first, at most ${namesListedMax}.`),
  names_total: z.int(),
  last_error: z.string().nullable().describe('Last line of the last error of a run of this kernel.'),
  notices: z.array(z.string()).readonly().describe('Newest first; they come with the next run as well.'),
  cursor: z.string().describe('Give it as since.'),
  unchanged: z.array(z.string()).readonly().describe('Lists left out, because they are as they were at since.'),
})

export const sessionSpec = {
  title: 'Session state',
  description:
    'Get current session state including rules, markers, and history, and the state of its kernel. Never starts Python; works while a cell runs.',
  input: sessionInput,
  output: sessionOutput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof sessionInput, typeof sessionOutput>

export async function readSession(input: z.output<typeof sessionInput>, agent: Agent, house: House, kernel: Kernel) {
  const { sessions } = house
  const record = await findSession(input.session_id, agent, sessions, kernel)
  const summary = await summarize(record, sessions.service.live(record.id), sessions.contents, sessions.clocks)
  const newest = [...kernel.names].reverse()
  const { active_rules, markers, recent_history } = summary
  const lists = { active_rules, markers, recent_history, names: newest.slice(0, namesListedMax).map(shortName) }
  const { cursor, unchanged } = changesSince({ session_id: record.id, ...lists }, input.since)
  // Of another session nothing is as it was.
  const left = unchanged.includes('session_id') ? unchanged.filter((name) => name in lists) : []
  const leftOut = Object.fromEntries(left.map((name) => [name, []])) as Partial<typeof lists>
  const reply = {
    ...summary,
    session_name: shortName(summary.session_name),
    vibe: shortened(summary.vibe),
    kernel: await describeKernel(kernel, house),
    last_error: shortened(kernel.lastError),
    names_total: newest.length,
    cursor,
    unchanged: left,
  }
  const notices = kernel.notices.map((notice) => shortJsonText(notice, sessionTextBytesMax)).reverse()
  return withinBytes(sessionReplyBytesMax, reply, { ...lists, ...leftOut, notices })
}

async function findSession(
  id: string | null | undefined,
  agent: Agent,
  { service, records }: Sessions,
  kernel: Kernel,
): Promise<SessionRecord> {
  if (id === null || id === undefined) {
    return service.current(kernel).catch((error: unknown) => Promise.reject(toolErrorOf(error)))
  }
  const session = await records.readable(agent.owner, id)
  if (session) return session
  throw new ToolError('not_found', `You have no session "${id}". Without session_id you get the current one.`)
}

async function describeKernel(kernel: Kernel, house: House) {
  return {
    state: kernel.state,
    name: kernel.name === null ? null : shortName(kernel.name),
    runtime: shortened(kernel.runtime?.description ?? null),
    isolation: shortJsonText(kernel.runtime?.isolation.description ?? (await house.isolation()), sessionTextBytesMax),
    limits_refused: kernel.runtime?.isolation.limitsRefused ?? [],
    epoch: kernel.epoch,
    running_run: kernel.active?.id ?? null,
    queue_length: kernel.queueLength,
    memory_bytes: kernel.runtime ? await memoryOf(kernel.runtime.pid) : null,
    last_death: shortened(kernel.lastDeath),
  }
}

function shortened(text: string | null): string | null {
  return text === null ? null : shortJsonText(text, sessionTextBytesMax)
}

function shortName(name: string): string {
  return shortJsonText(name, sessionNameBytesMax)
}
