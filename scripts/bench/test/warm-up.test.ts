import { expect, it } from 'vitest'
import { Latencies } from '../client/latencies.js'
import { warmUpCalls, warmUpMs, warmUpWindowsMax, windowMs } from '../limits.js'
import { scenarios } from '../scenarios.js'
import type { Scene } from '../subjects/scene.js'
import type { RunningSubject, Subject } from '../subjects/subject.js'
import { Entrant } from '../windows/entrant.js'
import { runScenario } from '../windows/run-scenario.js'

/** One that answers so many calls in each window, and the windows that it was asked for, in ms. */
function entrantWith(calls: number) {
  const asked: number[] = []
  const window = async ({ ms }: { readonly ms: number }) => {
    asked.push(ms)
    return { calls, elapsedMs: ms, latencies: new Latencies().pack(), clientCpuMs: 1 }
  }
  const running = { client: { window, pid: process.pid }, hub: process.pid, processes: [process.pid] }
  const start = async () => running as unknown as RunningSubject
  const subject: Subject = { name: 'socket', title: 'socket', way: 'lines', start }
  return { asked, entrant: new Entrant(subject, {} as Scene) }
}

const scenario = scenarios.find(({ name }) => name === 'throughput-128')!
const extent = { rounds: 1, quick: false, pin: false }
/** One that does not count, and the round. */
const rounds = [windowMs, windowMs]

it('a subject is warm after as many calls, however long they take', async () => {
  const { asked, entrant } = entrantWith(warmUpCalls / 2)
  await runScenario(scenario, [entrant], extent)
  expect(asked).toEqual([warmUpMs, warmUpMs, ...rounds])
})

it('one that is warm is warmed up once for each scenario', async () => {
  const { asked, entrant } = entrantWith(warmUpCalls)
  await runScenario(scenario, [entrant], extent)
  await runScenario(scenario, [entrant], extent)
  expect(asked).toEqual([warmUpMs, ...rounds, warmUpMs, ...rounds])
})

it('nobody waits for a slow one for ever', async () => {
  const { asked, entrant } = entrantWith(1)
  await runScenario(scenario, [entrant], extent)
  expect(asked).toEqual([...Array<number>(warmUpWindowsMax).fill(warmUpMs), ...rounds])
})
