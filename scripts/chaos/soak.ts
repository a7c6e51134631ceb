import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { now } from '../hub-process.js'
import { HttpCaller } from './caller.js'
import { checkCalls } from './check-calls.js'
import { visitHttp } from './http-visitor.js'
import { checksOf, holds, none, type Play, type Scenario, type Settings } from './scenario.js'
import { isBack, kept, leftovers, type Sample, sampleOf, trendChecks, trends } from './soak-samples.js'
import { spreadOf } from './spread.js'
import { Stage } from './stage.js'
import { summarize } from './summary.js'
import { noVisits, type Visits, visit } from './visitor.js'

const sampleEveryS = 5
const killEveryS = 15
const drainEveryS = 40
/** Of the visitors, a new one each second. */
const stayMs = [500, 6_000] as const
/** Connections without a request are kept for a minute, sessions whose agent left for ten seconds. */
const backWithinMs = 90_000
const backPollMs = 500
const firstCanary = 'first'

/** Half an hour of everyday life, and what is left of it at the hub. */
export const soak: Scenario = {
  name: 'soak',
  summary: `mixed load; an agent comes and goes each second, a worker is killed every ${killEveryS} s and one drained every ${drainEveryS} s`,
  seconds: 1_800,
  rate: 200,
  play,
}

async function play({ seconds, rate, say }: Settings): Promise<Play> {
  await using stage = await Stage.open()
  await stage.hub.worker(fileURLToPath(new URL('./soak-program.js', import.meta.url)))
  const take = () => sampleOf(stage.hub.pid, stage.hub.socket)
  await comeByHttp(stage)
  const start = await take()
  const load = await stage.offer({ rate, httpEvery: 4 })
  const visits = noVisits()
  const guests: Promise<void>[] = []
  const samples: Sample[] = []
  let faults: Promise<void> = Promise.resolve()
  for (let second = 1; second <= seconds; second += 1) {
    await delay(Math.max(0, load.beganAt + second * 1_000 - now()))
    guests.push(guest(stage, second, visits))
    faults = faults.then(() => disturb(stage, second))
    if (second % sampleEveryS === 0) samples.push(await take())
    say(`${second} of ${seconds} s, ${Math.round((samples.at(-1)?.residentBytes ?? 0) / 2 ** 20)} MiB`)
  }
  await Promise.all([faults, ...guests])
  const { calls, report } = await load.end()
  const end = await untilBack(start, take)
  const course = trends(samples)
  const evidence = { calls, runs: stage.runs().filter(({ canary }) => canary !== firstCanary) }
  return {
    checks: [
      holds('the load is what was asked for', calls.length >= rate * seconds * 0.95, `${calls.length} calls`),
      ...checksOf(checkCalls(evidence, { allowedFailures: ['outcome_unknown'] })),
      none('visits that went wrong', visits.failures.length, visits.failures.slice(0, 3)),
      ...(['progress', 'updates', 'listChanges', 'cancelled', 'abandoned'] as const).map((what) =>
        holds(`visitors met with ${what}`, visits[what] > 0, `${visits[what]}`),
      ),
      ...leftovers(start, end),
      ...trendChecks(course),
    ],
    figures: {
      ...summarize(calls),
      visits: { ...visits, failures: visits.failures.length },
      kills: stage.faults.length,
      ...course,
      residentMebibytes: spreadOf(samples.map(({ residentBytes }) => residentBytes / 2 ** 20)),
      generator: report,
      samples: columnsOf([start, ...samples, end]),
    },
  }
}

/** Who comes by HTTP without a session shares one that outlives the soak: it is there from the start. */
async function comeByHttp(stage: Stage): Promise<void> {
  const caller = new HttpCaller(stage.hub.url)
  await caller.call('read', { canary: firstCanary, workMs: 0 })
  caller.close()
  // The hub has heard of the end of that connection before it answers this.
  await stage.view()
}

/** Every third by HTTP; of the others each generation in turn, and every other one leaves in the middle of a call. */
function guest({ hub }: Stage, serial: number, visits: Visits): Promise<void> {
  const [least, most] = stayMs
  const stay = least + ((serial * 7919) % (most - least))
  if (serial % 3 === 0) return visitHttp(hub.url, stay, visits)
  const era = serial % 2 === 0 ? 'legacy' : 'modern'
  return visit({ socket: hub.socket, era, stayMs: stay, leavesEarly: serial % 4 < 2 }, visits)
}

async function disturb(stage: Stage, second: number): Promise<void> {
  const place = Math.floor(second / sampleEveryS) % stage.replicas.length
  if (second % drainEveryS === 0) await stage.drain(place)
  else if (second % killEveryS === 0) await stage.kill(place)
  else return
  await stage.start(place)
}

async function untilBack(start: Sample, take: () => Promise<Sample>): Promise<Sample> {
  const endsAt = now() + backWithinMs
  for (;;) {
    const sample = await take()
    if (isBack(start, sample) || now() > endsAt) return sample
    await delay(backPollMs)
  }
}

/** Many samples in few words. */
function columnsOf(samples: readonly Sample[]) {
  const columns = ['at', 'residentBytes', 'heapUsedBytes', ...kept] as const
  return { columns, rows: samples.map((sample) => columns.map((column) => Math.round(sample[column]))) }
}
