import { agentTokens } from '../chaos/agent-tokens.js'
import { type Caller, callInTurn } from './call-lanes.js'
import type { CallLines } from './call-lines.js'
import { cpuLabel, measureGrowth, rowsOf, type Subject, seriesOf, staysFlat } from './growth.js'
import { HttpSession } from './http-session.js'
import { memoryRow } from './memory-row.js'
import type { Experiment, Outcome, ScaleSettings } from './scale-experiment.js'
import { type ScaleStage, sayText } from './scale-stage.js'
import { ScaleStages } from './scale-stages.js'

const counts = [1, 10, 100, 500, 2_000]
const quickCounts = [1, 20]

export const scaleSessions: Experiment = {
  name: 'sessions',
  summary: 'calls beside 1 to 2,000 open agents on mcp.sock',
  play: (settings) => play('mcp.sock', openSockets, settings),
}

export const scaleHttpSessions: Experiment = {
  name: 'http-sessions',
  summary: 'calls beside 1 to 2,000 open sessions over HTTP',
  play: (settings) => play('HTTP', openHttp, settings),
}

type Way = 'mcp.sock' | 'HTTP'

/** How many could be opened, and why no more. */
interface Crowd {
  readonly callers: readonly Caller[]
  readonly stopped?: string
}

async function play(
  way: Way,
  open: (stage: ScaleStage, count: number) => Promise<Crowd>,
  settings: ScaleSettings,
): Promise<Outcome> {
  await using stages = new ScaleStages()
  const subjects: Subject[] = []
  const heaps: [count: number, bytes: number][] = []
  const notes: string[] = []
  for (const wanted of settings.isQuick ? quickCounts : counts) {
    settings.say(`sessions: a hub with ${wanted}, ${way}`)
    const stage = await stages.open({ workers: 2, toolsPerWorker: 1 })
    const { callers, stopped } = await open(stage, wanted)
    if (stopped !== undefined) notes.push(`${way}: ${callers.length} of ${wanted} sessions: ${stopped}`)
    heaps.push([callers.length, (await stage.probe.ask('heap')).heapBytes])
    subjects.push(...subjectsOf(stage, callers))
  }
  settings.say(`sessions: calls, ${way}`)
  const growth = await measureGrowth(subjects, settings)
  return {
    rows: [...rowsOf(growth), memoryRow('session', heaps)],
    checks: [staysFlat(growth, 'one of them calls', `sessions on ${way}`)],
    charts: {
      [`scale-sessions-${way === 'HTTP' ? 'http' : 'socket'}`]: {
        title: `A call beside more and more sessions, ${way}`,
        x: { label: 'sessions', log: true },
        y: { label: `${cpuLabel}, one in flight` },
        series: seriesOf(growth),
      },
    },
    notes,
  }
}

/** One call at a time of each: a session that has several open is another question. */
function subjectsOf({ probe }: ScaleStage, callers: readonly Caller[]): Subject[] {
  const ways = { 'one of them calls': callers.slice(0, 1), 'all call in turn': callers }
  return Object.entries(ways).map(([series, used]) => ({
    series,
    count: callers.length,
    probe,
    inFlight: 1,
    run: (inFlight, isOver) => callInTurn(used, inFlight, isOver),
  }))
}

async function openSockets(stage: ScaleStage, count: number): Promise<Crowd> {
  const agents: CallLines[] = []
  const text = [sayText(0, 0)]
  const callers = () => agents.map((agent) => ({ call: () => agent.burst(text) }))
  while (agents.length < count) {
    try {
      agents.push(await stage.agent())
    } catch (error) {
      return { callers: callers(), stopped: (error as Error).message }
    }
  }
  return { callers: callers() }
}

/** With tokens of as many principals as there must be, since each has a quarter of the places. */
async function openHttp(stage: ScaleStage, count: number): Promise<Crowd> {
  const tokens = await agentTokens(stage.hub, 'crowd', Math.ceil(count / sessionsPerPrincipal))
  const sessions: HttpSession[] = []
  for (let index = 0; index < count; index += 1) {
    sessions.push(await HttpSession.open(stage.hub.url, tokens[index % tokens.length]!, sayText(0, 0)))
  }
  // Whoever comes too late takes the place of who was silent longest.
  const isOpen = await Promise.all(sessions.map((session) => session.isOpen()))
  const callers = sessions.filter((_, index) => isOpen[index])
  const stopped = 'older ones made room for newer ones (legacySessionsMax)'
  return callers.length === count ? { callers } : { callers, stopped }
}

const sessionsPerPrincipal = 250
