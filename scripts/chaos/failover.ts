import { setTimeout as delay } from 'node:timers/promises'
import { now } from '../hub-process.js'
import { checkCalls, type Evidence, failureDelays } from './check-calls.js'
import { usageOf } from './process-usage.js'
import { type Check, checksOf, holds, onTime, type Play, type Scenario, type Settings, within } from './scenario.js'
import { spreadOf } from './spread.js'
import { Stage } from './stage.js'
import { summarize } from './summary.js'

const killEveryMs = 1_000
const failureGoalMs = 100

/** One replica dies each second and is back at once. */
export const failover: Scenario = {
  name: 'failover',
  summary: 'one of 4 replicas is killed (SIGKILL) each second and started again at once',
  seconds: 60,
  rate: 1_000,
  play,
}

async function play({ seconds, rate, say }: Settings): Promise<Play> {
  await using stage = await Stage.open()
  const load = await stage.offer({ rate })
  const before = usageOf(stage.hub.pid)
  await killInTurn(stage, load.beganAt, seconds, say)
  const after = usageOf(stage.hub.pid)
  const { calls, report } = await load.end()
  const evidence = { calls, runs: stage.runs() }
  const delays = spreadOf(failureDelays(evidence, stage.faults))
  return {
    checks: [
      holds('the load is what was asked for', calls.length >= rate * seconds * 0.95, `${calls.length} calls`),
      ...checksOf(checkCalls(evidence, { allowedFailures: ['outcome_unknown'] })),
      holds('every failure has a fault that caused it', Number.isFinite(delays.max)),
      within('the slowest failure after its kill', delays.max, failureGoalMs),
      often(stage.faults.length, seconds),
      onTime(report),
    ],
    figures: {
      ...summarize(calls),
      kills: stage.faults.length,
      failureMs: delays,
      ranAgain: ranAgain(evidence),
      hubCpuMs: after.cpuMs - before.cpuMs,
      generator: report,
    },
  }
}

/** Each at its second; but three are there at any time, so that on a slow machine it is later rather than worse. */
async function killInTurn(stage: Stage, beganAt: number, seconds: number, say: Settings['say']): Promise<void> {
  const endsAt = beganAt + seconds * 1_000
  for (let turn = 0; ; turn += 1) {
    const killAt = Math.max(now(), beganAt + (turn + 0.5) * killEveryMs)
    if (killAt >= endsAt) break
    await delay(killAt - now())
    const place = turn % stage.replicas.length
    await stage.kill(place)
    await stage.start(place)
    say(`${turn + 1} killed and back`)
  }
  await delay(Math.max(0, endsAt - now()))
}

function often(kills: number, seconds: number): Check {
  const goal = Math.floor((seconds * 1_000) / killEveryMs)
  return { what: 'kills', goal: `${goal}`, measured: `${kills}`, isMet: kills >= goal, about: 'time' }
}

/** Calls that were begun by one replica and handed over to another. */
function ranAgain({ runs }: Evidence): number {
  return runs.length - new Set(runs.map(({ canary }) => canary)).size
}
