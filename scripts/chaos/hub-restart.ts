import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HubProcess, now } from '../hub-process.js'
import { checkCalls } from './check-calls.js'
import { FacadeAgent } from './facade-agent.js'
import { readHub } from './hub-control.js'
import { type PatientAgent, type Way, ways } from './patient-agent.js'
import { quietPort } from './quiet-port.js'
import * as figures from './restart-figures.js'
import { readJournals } from './run-journal.js'
import { checksOf, comesAbout, holds, none, type Play, type Scenario, type Settings, within } from './scenario.js'
import { SdkAgent } from './sdk-agent.js'
import { SocketAgent } from './socket-agent.js'
import { spreadOf } from './spread.js'
import { type PatientCall, SteadyAsking } from './steady-asking.js'

const services = ['alpha', 'beta', 'gamma', 'delta'] as const
const workersPerService = 2
const workers = services.length * workersPerService
const agentsPerWay = 2
/** From one restart to the next. */
const roundMs = 6_000
/** Within a round: load before the hub is killed, and how long there is none. */
const loadedMs = 1_500
const awayMs = 300
/** At least, with everybody back, however slowly they came. */
const backMs = 2_000
const workMs = [5, 150] as const
/** Longer than the slowest client waits by itself. */
const settleMs = 12_000
const pollMs = 20
const firstCanary = 'first'

const signInGoalMs = 2_000
/** Until then a shim may not have heard that its hub is gone, and have passed on to nobody what it was asked. */
const noticeGoalMs = 250

/** What a shim may say of what it had when the hub was killed. */
const allowedAtShims: ReadonlySet<string> = new Set(['result', 'outcome_unknown'])

/** The hub dies under load, and is started again by somebody else; agents and workers are left to themselves. */
export const hubRestart: Scenario = {
  name: 'hub-restart',
  summary: `the hub is killed (SIGKILL) every ${roundMs / 1_000} s under ${workers} workers of ${services.length} services and ${ways.length * agentsPerWay} agents, and started again after ${awayMs} ms`,
  seconds: 30,
  rate: 200,
  play,
}

async function play({ seconds, rate, say }: Settings): Promise<Play> {
  await using hub = await HubProcess.start()
  await moveTo(hub, await quietPort())
  await Promise.all(services.flatMap((service) => placesOf(service).map((label) => startWorker(hub, service, label))))
  const asking: SteadyAsking[] = []
  const everyMs = (1_000 * ways.length * agentsPerWay) / rate
  const opened = await openAgents(hub)
  for (const [place, agent] of opened.entries()) {
    const tools = services.map((service) => `${service}_record`)
    asking.push(new SteadyAsking(agent, { name: `${agent.way}-${place % agentsPerWay}`, everyMs, tools, workMs }))
  }
  const restarts: figures.Restart[] = []
  for (let round = 0; round < Math.max(1, Math.floor((seconds * 1_000) / roundMs)); round += 1) {
    const beganAt = now()
    await delay(loadedMs)
    restarts.push(await restart(hub))
    await delay(Math.max(backMs, beganAt + roundMs - now()))
    say(`${restarts.length} restarts`)
  }
  for (const each of asking) each.stop()
  const settledBy = now() + settleMs
  while (asking.some(({ open }) => open > 0) && now() < settledBy) await delay(pollMs)
  const calls = asking.flatMap((each) => each.calls).toSorted((one, other) => one.sentAt - other.sentAt)
  const judged = await judge(hub, calls, restarts, opened)
  await Promise.all(opened.map((agent) => agent[Symbol.asyncDispose]()))
  return judged
}

async function judge(
  hub: HubProcess,
  calls: readonly PatientCall[],
  restarts: readonly figures.Restart[],
  agents: readonly PatientAgent[],
): Promise<Play> {
  const shims = calls.filter(({ way }) => way.startsWith('stdio'))
  const cut = figures.inFlight(shims, restarts)
  const doubles = agents.reduce((sum, { doubleAnswers }) => sum + doubleAnswers, 0)
  const untrue = cut.filter(({ outcome = '' }) => !allowedAtShims.has(outcome))
  const waited = figures.askedInBetween(shims, restarts)
  const unlucky = waited.filter(({ outcome = '' }) => !allowedAtShims.has(outcome))
  const afterwards = figures.askedAfterwards(calls, restarts)
  const runs = readJournals(hub.directory).filter(({ canary }) => canary !== firstCanary)
  const evidence = { calls, runs }
  // How calls may fail depends on the way to the hub, and on when: below.
  const findings = checkCalls(evidence, { allowedFailures: [] }).filter(({ what }) => !what.startsWith('failed calls'))
  const { hub: running } = await readHub(hub.socket)
  return {
    checks: [
      none(
        'workers that did not sign in again',
        restarts.reduce((sum, each) => sum + each.workers - each.joinedAt.length, 0),
      ),
      within(
        'slowest sign-in after the start of the new hub',
        Math.max(...restarts.flatMap(figures.signInMs)),
        signInGoalMs,
      ),
      holds('the hub that answers is the one that was started, none of a shim', running.pid === hub.pid),
      ...checksOf(findings),
      comesAbout('requests were in flight at shims', cut.length > 0, `${cut.length}`),
      none('second answers to a request', doubles),
      none(
        'in flight at shims: neither a result nor outcome_unknown',
        untrue.length,
        untrue.slice(0, 3).map(figures.describe),
      ),
      none(
        'asked of shims without a hub: neither a result nor outcome_unknown',
        unlucky.length,
        unlucky.slice(0, 3).map(figures.describe),
      ),
      within(
        'latest question that ended as outcome_unknown, after the kill',
        figures.latestUnknownMs(waited, restarts),
        noticeGoalMs,
      ),
      ...figures.failuresByWay(afterwards, ways),
      ...ways.map((way) => {
        const answered = afterwards.filter((call) => call.way === way && call.outcome === 'result').length
        return holds(`${way}: results when all were back`, answered > 0, `${answered}`)
      }),
    ],
    figures: {
      calls: calls.length,
      restarts: restarts.map((each) => ({
        upMs: each.upAt - each.startedAt,
        signInMs: spreadOf(figures.signInMs(each)),
        signInAfterUpMs: spreadOf(each.joinedAt.map((at) => at - each.upAt)),
      })),
      inFlight: Object.fromEntries(ways.map((way) => [way, outcomesOf(ofWay(figures.inFlight(calls, restarts), way))])),
      inBetween: Object.fromEntries(
        ways.map((way) => [way, outcomesOf(ofWay(figures.askedInBetween(calls, restarts), way))]),
      ),
      firstResultMs: Object.fromEntries(
        ways.map((way) => {
          const names = [...new Set(ofWay(calls, way).map(({ agent }) => agent))]
          return [way, spreadOf(figures.firstResultMs(calls, restarts, names))]
        }),
      ),
      answerOfCutMs: spreadOf(
        cut.flatMap(({ outcome, settledAt }) => {
          const kill = restarts.findLast(({ killedAt }) => killedAt < settledAt!)
          return outcome === 'outcome_unknown' && kill !== undefined ? [settledAt! - kill.killedAt] : []
        }),
      ),
    },
  }
}

/** Before anybody knows the hub. */
async function moveTo(hub: HubProcess, port: number): Promise<void> {
  await hub.kill()
  hub.url = `http://127.0.0.1:${port}/mcp`
  await hub.restart()
}

const placesOf = (service: string) => Array.from({ length: workersPerService }, (_, place) => `${service}-${place}`)

async function startWorker(hub: HubProcess, service: string, label: string): Promise<void> {
  const program = fileURLToPath(new URL('./service-program.js', import.meta.url))
  await hub.worker(program, [service, label, hub.directory])
}

/** Each has had an answer when this resolves: a shim that has never met a hub would start one by itself. */
async function openAgents(hub: HubProcess): Promise<PatientAgent[]> {
  const agents = await Promise.all(
    ways.flatMap((way) => Array.from({ length: agentsPerWay }, () => openAgent(way, hub))),
  )
  await Promise.all(agents.map((agent) => agent.ask(`${services[0]}_record`, { canary: firstCanary, workMs: 0 })))
  return agents
}

async function openAgent(way: Way, hub: HubProcess): Promise<PatientAgent> {
  switch (way) {
    case 'http_legacy':
    case 'http_modern':
    case 'stdio_legacy':
    case 'stdio_modern':
      return SdkAgent.open(way, hub)
    case 'facade':
      return new FacadeAgent(hub.url)
    case 'socket_legacy':
      return SocketAgent.open(hub.socket, 'legacy')
    case 'socket_modern':
      return SocketAgent.open(hub.socket, 'modern')
    default:
      return way satisfies never
  }
}

async function restart(hub: HubProcess): Promise<figures.Restart> {
  const killedAt = now()
  await hub.kill()
  await delay(awayMs)
  const startedAt = now()
  await hub.restart()
  const upAt = now()
  return { killedAt, startedAt, upAt, workers, joinedAt: await signIns(hub, startedAt + 2 * signInGoalMs) }
}

/** When each worker was signed in; of those that are there by the end. */
async function signIns(hub: HubProcess, endsAt: number): Promise<number[]> {
  for (;;) {
    const { snapshot } = await readHub(hub.socket)
    const joined = snapshot.workers.map(({ joinedAt }) => joinedAt)
    if (joined.length >= workers || now() > endsAt) return joined
    await delay(pollMs)
  }
}

const ofWay = (calls: readonly PatientCall[], way: Way) => calls.filter((call) => call.way === way)

function outcomesOf(calls: readonly PatientCall[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome = 'no answer' } of calls) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
