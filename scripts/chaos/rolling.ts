import { setTimeout as delay } from 'node:timers/promises'
import { now } from '../hub-process.js'
import { checkCalls } from './check-calls.js'
import { checksOf, holds, none, onTime, type Play, type Scenario, type Settings } from './scenario.js'
import { Stage } from './stage.js'
import { summarize } from './summary.js'

const rounds = 2

/** All replicas leave in good order, one after the other. */
export const rolling: Scenario = {
  name: 'rolling',
  summary: 'all 4 replicas are restarted in turn, twice: by a drain at the hub or by SIGTERM',
  seconds: 30,
  rate: 1_000,
  play,
}

async function play({ seconds, rate, say }: Settings): Promise<Play> {
  await using stage = await Stage.open()
  const load = await stage.offer({ rate })
  const leaveMs = await restartInTurn(stage, load.beganAt, seconds, say)
  const offeredMs = now() - load.beganAt
  const { calls, report } = await load.end()
  const failed = calls.filter(({ outcome }) => outcome !== 'result').length
  return {
    checks: [
      holds(
        'the load is what was asked for',
        calls.length >= (rate * offeredMs * 0.95) / 1_000,
        `${calls.length} calls`,
      ),
      none('failed calls', failed),
      ...checksOf(checkCalls({ calls, runs: stage.runs() }, { allowedFailures: [] })),
      onTime(report),
    ],
    figures: { ...summarize(calls), restarts: leaveMs.length, leaveMs, generator: report },
  }
}

/** How long each took to leave, in ms. It takes longer than asked for where replicas need longer to start. */
async function restartInTurn(stage: Stage, beganAt: number, seconds: number, say: Settings['say']): Promise<number[]> {
  const places = stage.replicas.length
  const turns = rounds * places
  const leaveMs: number[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    await delay(Math.max(0, beganAt + ((turn + 0.5) * seconds * 1_000) / turns - now()))
    const startedAt = now()
    await leave(stage, turn % places, Math.floor(turn / places))
    leaveMs.push(Math.round(now() - startedAt))
    await stage.start(turn % places)
    say(`${turn + 1} of ${turns} restarted`)
  }
  await delay(Math.max(0, beganAt + seconds * 1_000 - now()))
  return leaveMs
}

/** Each place in either way: in the second round in the other one. */
function leave(stage: Stage, place: number, round: number): Promise<void> {
  return (place + round) % 2 === 0 ? stage.drain(place) : stage.terminate(place)
}
