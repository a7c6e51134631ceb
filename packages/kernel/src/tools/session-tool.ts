import { ToolError, type ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import { memoryOf } from '../isolation/memory.js'
import type { Agent } from '../kernel/agent.js'
import type { Kernel } from '../kernel/kernel.js'
import { namesListedMax, recentHistoryMax } from '../limits.js'
import type { SessionRecords, SessionRow } from '../records/records.js'
import { kernelField } from './run-schemas.js'

const sessionInput = z.object({
  session_id: z.string().max(200).nullish().describe('A session of yours; absent: the current one.'),
  kernel: kernelField,
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
  active_rules: z.array(rule),
  markers: z.array(z.object({ name: z.string(), beat: z.number() })),
  recent_history: z
    .array(z.object({ action: z.string(), success: z.boolean(), timestamp: z.string() }))
    .describe(`What was run, newest first, at most ${recentHistoryMax}.`),
  transport_state: z.enum(['stopped', 'playing', 'paused']),
  current_beat: z.number(),
  kernel: z.object({
    state: z.enum(['absent', 'idle', 'busy', 'dead']),
    name: z.string().nullable(),
    runtime: z.string().nullable(),
    isolation: z.string().nullable(),
    epoch: z.int().nullable(),
    running_run: z.int().nullable(),
    queue_length: z.int(),
    memory_bytes: z.int().nullable(),
    last_death: z.string().nullable(),
  }),
  names: z.array(z.string()).describe(`Names that runs have bound, newest first, at most ${namesListedMax}.`),
  names_total: z.int(),
})

export const sessionSpec = {
  title: 'Session state',
  description:
    'Get current session state including rules, markers, and history, and the state of its kernel. Never starts Python; works while a cell runs.',
  input: sessionInput,
  output: sessionOutput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof sessionInput, typeof sessionOutput>

export async function readSession(
  sessionId: string | null | undefined,
  agent: Agent,
  records: SessionRecords,
  kernel: Kernel,
) {
  const session = await findSession(sessionId, agent, records, kernel.key)
  const history = await records.recentHistory(session.id)
  const names = [...kernel.names].reverse()
  return {
    session_id: session.id,
    session_name: session.name,
    vibe: session.vibe,
    tempo_bpm: session.bpm,
    active_rules: [],
    markers: [],
    recent_history: history.map(({ action, success, createdAt }) => ({
      action,
      success,
      timestamp: new Date(createdAt).toISOString(),
    })),
    transport_state: 'stopped' as const,
    current_beat: 0,
    kernel: await describeKernel(kernel),
    names: names.slice(0, namesListedMax).map((name) => name.slice(0, 80)),
    names_total: names.length,
  }
}

async function findSession(
  id: string | null | undefined,
  agent: Agent,
  records: SessionRecords,
  key: string,
): Promise<SessionRow> {
  if (id === null || id === undefined) return records.currentSession(agent.owner, key)
  const session = await records.findSession(agent.owner, id)
  if (!session)
    throw new ToolError('not_found', `You have no session "${id}". Without session_id you get the current one.`)
  return session
}

async function describeKernel(kernel: Kernel) {
  return {
    state: kernel.state,
    name: kernel.name,
    runtime: kernel.runtime?.description ?? null,
    isolation: kernel.runtime?.isolation.description ?? null,
    epoch: kernel.epoch,
    running_run: kernel.active?.id ?? null,
    queue_length: kernel.queueLength,
    memory_bytes: kernel.runtime ? await memoryOf(kernel.runtime.pid) : null,
    last_death: kernel.lastDeath?.slice(0, 1000) ?? null,
  }
}
