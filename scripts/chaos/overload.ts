import { setTimeout as delay } from 'node:timers/promises'
import { now } from '../hub-process.js'
import { agentTokens } from './agent-tokens.js'
import { checkCalls } from './check-calls.js'
import { Crowd, type CrowdOptions, type CrowdRecord } from './crowd.js'
import { type Point, trendOf } from './linear-trend.js'
import { MemoryWatch } from './memory-watch.js'
import { goodputOf, latencyGoal, medianOf, refusalsOf, type Span, windowsOf } from './overload-figures.js'
import { type Check, checksOf, holds, none, type Play, type Scenario, type Settings, within } from './scenario.js'
import { Stage } from './stage.js'
import { summarize } from './summary.js'

/**
 * By a timer, so that the replicas' credits are the limit and not the machine: 2 × 4 calls of 40 ms are 200 a second at
 * most. Ten times that costs the hub a quarter of a core and the generator a seventh, which two cores have.
 */
const replicas = 2
const concurrency = 4
const workMs = 40
const capacity = (replicas * concurrency * 1_000) / workMs
/** As many as fill the hub's queue of a service, each with its own share of it, and more. */
const agents = 8
const politeRate = 5

/** Until a rate is steady. */
const warmUpMs = 1_000
/** Of the time of the overload: how long the peak is looked for, and half the load offered before and afterwards. */
const peakShare = 0.25
const halfLoadShare = 0.5
const windows = 6
const lookEveryMs = 250
/** What waits in the queue when nobody asks any more is worked off first. */
const emptyWithinMs = 30_000
const settleMs = 20_000

const goodputShareGoal = 0.9
const refusalGoalMs = 50
const politeShareGoal = 0.99
/** Of what the hub holds, over the second half of the overload: the first fills the queue and the heap. */
const growthShareGoal = 0.05

/** Ten times of what two replicas can do, and one agent among the crowd that asks for little. */
export const overload: Scenario = {
  name: 'overload',
  summary: `ten times what 2 replicas can do (${capacity} calls/s), by ${agents} agents; one more asks for ${politeRate} calls/s`,
  seconds: 30,
  rate: capacity * 10,
  play,
}

async function play({ seconds, rate, say }: Settings): Promise<Play> {
  await using stage = await Stage.open({ replicas, concurrency })
  const [peakMs, halfLoadMs] = [seconds * 1_000 * peakShare, seconds * 1_000 * halfLoadShare]
  const tokens = await agentTokens(stage.hub, 'crowd', agents)
  await offered(stage, { name: 'warm', tokens, pace: { kind: 'in_flight', inFlight: 4 } }, warmUpMs)
  say('what the replicas do at most')
  const closed = { kind: 'in_flight', inFlight: replicas * concurrency + 2 } as const
  const peak = await offered(stage, { name: 'peak', tokens, pace: closed }, peakMs)
  const peakGoodput = goodputOf(peak.calls, steady(peak.span))
  say('half of that')
  const half = { kind: 'rate', rate: peakGoodput / 2 } as const
  const before = await offered(stage, { name: 'before', tokens, pace: half }, halfLoadMs)
  say(`${rate} calls/s for ${seconds} s`)
  const crush = await overloaded(stage, tokens, rate, seconds)
  say('half load again')
  const emptyMs = await emptied(stage)
  using watch = new MemoryWatch(stage.hub.pid, lookEveryMs)
  const after = await offered(stage, { name: 'after', tokens, pace: half }, halfLoadMs)

  const goodput = goodputOf(crush.calls, steady(crush.span))
  const refusals = refusalsOf(crush.calls)
  const evidence = {
    calls: [peak, before, crush, after].flatMap(({ calls }) => calls).concat(crush.polite),
    runs: stage.runs().filter(({ canary }) => !canary.startsWith('warm-')),
  }
  const windowsBefore = windowsOf(before.calls, steady(before.span), windows)
  const windowsAfter = windowsOf(after.calls, steady(after.span), windows)
  return {
    checks: [
      atLeast('what was offered, of what the replicas can do', crush.calls.length / seconds / peakGoodput, 9.5, 'time'),
      ...checksOf(checkCalls(evidence, { allowedFailures: ['overloaded'] })),
      atLeast('goodput in the overload, of the peak', goodput / peakGoodput, goodputShareGoal, 'time'),
      none(
        'failures that are not overloaded with a retryAfterMs',
        refusals.improper.length,
        examplesOf(refusals.improper),
      ),
      within('p99 of refusals', refusals.ms.p99, refusalGoalMs),
      atLeast('results of the polite agent, of its calls', resultShare(crush.polite), politeShareGoal),
      growth(crush.memory, watch.points),
      ...(['p50', 'p99'] as const).map((of) =>
        within(
          `${of} at half load afterwards, of the median window`,
          medianOf(windowsAfter, of),
          latencyGoal(windowsBefore, of),
        ),
      ),
    ],
    figures: {
      capacity,
      peakGoodput,
      goodput,
      offered: crush.calls.length / seconds,
      refusals: { count: refusals.count, ms: refusals.ms },
      accepted: summarize(crush.calls),
      polite: summarize(crush.polite),
      emptyMs,
      windowsBefore,
      windowsAfter,
      hubMebibytes: { overload: mebibytes(crush.memory), after: mebibytes(watch.points) },
      hubCpuMs: crush.hubCpuMs,
      generator: crush.report,
    },
  }
}

async function offered(stage: Stage, options: Pick<CrowdOptions, 'name' | 'tokens' | 'pace'>, ms: number) {
  const crowd = await Crowd.begin(stage.hub, { workMs, settleMs, ...options })
  await delay(ms)
  const { calls, endedAt, report } = await crowd.end()
  return { calls, report, span: { from: crowd.beganAt, to: endedAt } }
}

async function overloaded(stage: Stage, tokens: readonly string[], rate: number, seconds: number) {
  const own = await agentTokens(stage.hub, 'polite', 1)
  using watch = new MemoryWatch(stage.hub.pid, lookEveryMs)
  const { cpuMs } = stage.hub
  const options = { name: 'polite', tokens: own, workMs, settleMs, pace: { kind: 'rate', rate: politeRate } } as const
  const [polite, crush] = await Promise.all([
    Crowd.begin(stage.hub, options).then(async (crowd) => {
      await delay(seconds * 1_000)
      return crowd.end()
    }),
    offered(stage, { name: 'crush', tokens, pace: { kind: 'rate', rate } }, seconds * 1_000),
  ])
  const memory = watch.points.filter(({ at }) => at < crush.span.to)
  return { ...crush, memory, polite: polite.calls, hubCpuMs: stage.hub.cpuMs - cpuMs }
}

/** How long the queue took to be empty, in ms, after the last call was asked. */
async function emptied(stage: Stage): Promise<number> {
  const startedAt = now()
  for (;;) {
    const { snapshot } = await stage.view()
    if (snapshot.calls.length === 0) return now() - startedAt
    if (now() - startedAt > emptyWithinMs) throw new Error(`${snapshot.calls.length} calls are left at the hub`)
    await delay(lookEveryMs)
  }
}

const steady = ({ from, to }: Span): Span => ({ from: from + Math.min(warmUpMs, (to - from) / 4), to })

function atLeast(what: string, share: number, goal: number, about: Check['about'] = 'correctness'): Check {
  return { what, goal: `≥ ${goal}`, measured: share.toFixed(3), isMet: share >= goal, about }
}

const resultShare = (calls: readonly CrowdRecord[]): number =>
  calls.filter(({ outcome }) => outcome === 'result').length / calls.length

/** What the hub held in the second half of the overload does not rise, and it needs no more afterwards. */
function growth(overload: readonly Point[], after: readonly Point[]): Check {
  const half = overload.slice(Math.floor(overload.length / 2))
  const { perHour } = trendOf(half, (half.at(-1)!.at - half[0]!.at) / 10)
  const grown = (perHour * (half.at(-1)!.at - half[0]!.at)) / 3_600_000
  const peak = Math.max(...half.map(({ value }) => value))
  const later = Math.max(...after.map(({ value }) => value))
  const isFlat = grown <= peak * growthShareGoal && later <= peak * (1 + growthShareGoal)
  const inMebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1)
  const measured = `${inMebibytes(grown)} MiB of ${inMebibytes(peak)}, at most ${inMebibytes(later)} afterwards`
  return {
    ...holds('the hub’s memory is flat in the second half of the overload, and after it', isFlat, measured),
    about: 'time',
  }
}

function mebibytes(points: readonly Point[]) {
  const values = points.map(({ value }) => Math.round(value / 2 ** 20))
  return { first: values[0], highest: Math.max(...values), last: values.at(-1) }
}

const examplesOf = (calls: readonly CrowdRecord[]): string[] =>
  calls
    .slice(0, 3)
    .map(({ canary, outcome, retryAfterMs = 'none' }) => `${canary}: ${outcome}, retryAfterMs ${retryAfterMs}`)
