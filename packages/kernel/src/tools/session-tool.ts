import { readFile } from 'node:fs/promises'
import { ToolError, type ToolSpec } from '@callboard/worker'
import type { Kernel } from '../kernel/kernel.js'
import { namesListedMax } from '../limits.js'
import type { Agent, KernelRecords, SessionRow } from '../records/records.js'
import { sessionInput, sessionOutput } from './schemas.js'

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
  records: KernelRecords,
  kernel: Kernel | undefined,
) {
  const session = await findSession(sessionId, agent, records)
  const history = await records.recentHistory(session.id)
  const names = [...(kernel?.names ?? [])].reverse()
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

async function findSession(id: string | null | undefined, agent: Agent, records: KernelRecords): Promise<SessionRow> {
  if (id === null || id === undefined) return records.currentSession(agent)
  const session = await records.findSession(agent.owner, id)
  if (!session)
    throw new ToolError('not_found', `You have no session "${id}". Without session_id you get the current one.`)
  return session
}

async function describeKernel(kernel: Kernel | undefined) {
  return {
    state: kernel?.state ?? ('absent' as const),
    runtime: kernel?.runtime?.description ?? null,
    isolation: kernel?.runtime?.isolation.description ?? null,
    epoch: kernel?.epoch ?? null,
    running_run: kernel?.runningRun ?? null,
    queue_length: kernel?.queueLength ?? 0,
    memory_bytes: kernel?.pid ? await residentBytes(kernel.pid) : null,
    last_death: kernel?.lastDeath?.slice(0, 1000) ?? null,
  }
}

/** Null where there is no /proc. */
async function residentBytes(pid: number): Promise<number | null> {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kibibytes === undefined ? null : Number(kibibytes) * 1024
  } catch {
    return null
  }
}
