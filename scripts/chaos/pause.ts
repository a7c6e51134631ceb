import { setTimeout as delay } from 'node:timers/promises'
import { now } from '../hub-process.js'
import { AskedCall } from './asked-call.js'
import { SocketCaller } from './caller.js'
import { checkCalls, type Evidence } from './check-calls.js'
import { HubWatch, type Sight } from './hub-watch.js'
import type { CallRecord, ToolKind } from './records.js'
import { checksOf, comesAbout, holds, onTime, type Play, type Scenario, type Settings, within } from './scenario.js'
import { Stage } from './stage.js'
import { summarize } from './summary.js'

/** As shares of the whole, 30 s: 6 s, which the hub takes for the loss of the connection, and 2.5 s, which it doesn't. */
const longPause = 1 / 5
const shortPause = 1 / 12
const burning = 1 / 3
const between = 1 / 15
const heartbeatMs = 1_000
const avoidedMs = 2 * heartbeatMs
/** Far beyond what any call takes that nobody holds up. */
const hangMs = 500
const lookEveryMs = 50
const kinds: readonly ToolKind[] = ['record', 'record_idempotent', 'record_brief', 'read']
/** A dozen for each replica. */
const burstCalls = 48

/** Replicas that stand still, and one that is busy. */
export const pause: Scenario = {
  name: 'pause',
  summary: 'replicas are stopped (SIGSTOP) and go on; another burns its CPU in a call and must not be taken for dead',
  seconds: 30,
  rate: 300,
  play,
}

async function play({ seconds, rate, say }: Settings): Promise<Play> {
  // So many credits that none is avoided for want of them.
  await using stage = await Stage.open({ concurrency: 64, timeoutMs: 60_000 })
  const load = await stage.offer({ rate, kinds, settleMs: 30_000 })
  const watch = new HubWatch(() => stage.view(), lookEveryMs)
  const share = (part: number) => part * seconds * 1_000
  const agent = await SocketCaller.open(stage.hub.socket, 'modern')
  const pauses: Pause[] = []
  const bursts: AskedCall[] = []
  for (const [place, part] of [longPause, shortPause].entries()) {
    await delay(share(between))
    say(`replica ${place} is stopped`)
    const paused = stopFor(stage, place, share(part))
    bursts.push(...burst(agent, place))
    pauses.push(await paused)
    say(`replica ${place} goes on`)
  }
  await delay(share(between))
  say('a replica burns')
  const burns = new AskedCall(agent, { canary: 'burn', kind: 'burn', workMs: share(burning) })
  await burns.settled
  await delay(Math.max(0, load.beganAt + share(1) - now()))
  const sights = await watch.stop()
  const { calls, report } = await load.end()
  await Promise.all(bursts.map(({ settled }) => settled))
  const burn = burns.record
  const evidence = { calls: [...calls, ...bursts.map(({ record }) => record), burn], runs: stage.runs() }
  const allowedFailures = ['outcome_unknown', 'deadline_exceeded']
  return {
    checks: [
      ...checksOf(checkCalls(evidence, { allowedFailures })),
      ...pauses.flatMap((each) => pauseChecks(each, evidence)),
      ...burnChecks(stage, burn, calls, sights),
      onTime(report),
    ],
    figures: {
      ...summarize(evidence.calls),
      pauses: pauses.map((each) => pauseFigures(each, evidence, sights)),
      handedToBurning: handedTo(burn.process, burn.sentAt, burn.answeredAt!, evidence).length,
      generator: report,
    },
  }
}

interface Pause {
  readonly process: string
  readonly instance: string
  readonly from: number
  readonly to: number
}

async function stopFor(stage: Stage, place: number, forMs: number): Promise<Pause> {
  const replica = stage.replicas[place]!
  const from = now()
  replica.signal('SIGSTOP')
  await delay(forMs)
  const to = now()
  replica.signal('SIGCONT')
  return { process: replica.label, instance: replica.instance, from, to }
}

/** As much as makes sure that a replica that was stopped this moment holds some, each kind of them. */
function burst(caller: SocketCaller, place: number): AskedCall[] {
  return Array.from({ length: burstCalls }, (_, index) => {
    return new AskedCall(caller, { canary: `burst-${place}-${index}`, kind: kinds[index % kinds.length]!, workMs: 50 })
  })
}

function pauseChecks(stopped: Pause, evidence: Evidence) {
  const lasted = `the pause of ${((stopped.to - stopped.from) / 1_000).toFixed(1)} s`
  const sentAt = new Map(evidence.calls.map((call) => [call.canary, call.sentAt]))
  const servedAt = evidence.runs
    .filter(({ process, canary }) => process === stopped.process && (sentAt.get(canary) ?? 0) > stopped.to)
    .map(({ startedAt }) => startedAt)
  const handed = handedTo(stopped.process, stopped.from, stopped.to, evidence)
  const last = Math.max(stopped.from, ...handed)
  return [
    // Else nothing could have been stale.
    comesAbout(`${lasted}: it held calls`, handed.length > 0, `${handed.length} calls`),
    comesAbout(`${lasted}: it serves again`, servedAt.length > 0, `${servedAt.length} calls`),
    within(`${lasted}: the last call handed to it`, last - stopped.from, avoidedMs),
  ]
}

/** When calls were sent that can only have gone there: they hang, or it runs them when it goes on. */
function handedTo(process: string | undefined, from: number, to: number, { calls, runs }: Evidence): number[] {
  const ranLate = new Set(
    runs.filter((run) => run.process === process && run.startedAt >= to).map(({ canary }) => canary),
  )
  return calls
    .filter(({ sentAt }) => sentAt > from && sentAt < to)
    .filter(({ canary, sentAt, answeredAt, outcome }) => {
      return ranLate.has(canary) || outcome !== 'result' || answeredAt! - sentAt > hangMs
    })
    .map(({ sentAt }) => sentAt)
}

function pauseFigures(stopped: Pause, evidence: Evidence, sights: readonly Sight[]) {
  const during = sights.filter(({ at }) => at > stopped.from && at < stopped.to)
  const find = (state: 'suspect' | undefined) =>
    during.find(({ workers }) => workers.find(({ instance }) => instance === stopped.instance)?.state === state)?.at
  const after = (at: number | undefined) => (at === undefined ? undefined : Math.round(at - stopped.from))
  return {
    ms: Math.round(stopped.to - stopped.from),
    suspectMs: after(find('suspect')),
    lostMs: after(find(undefined)),
    handed: handedTo(stopped.process, stopped.from, stopped.to, evidence).length,
  }
}

function burnChecks(stage: Stage, burn: CallRecord, calls: readonly CallRecord[], sights: readonly Sight[]) {
  const { instance } = stage.replicas.find(({ label }) => label === burn.process) ?? { instance: '' }
  const joined = sights
    .filter(({ at }) => at > burn.sentAt)
    .map(({ workers }) => workers.find((worker) => worker.instance === instance)?.joinedAt)
  const meanwhile = calls.filter(({ sentAt }) => sentAt > burn.sentAt + avoidedMs && sentAt < burn.answeredAt! - hangMs)
  const slow = meanwhile.filter(
    ({ sentAt, answeredAt, outcome }) => outcome !== 'result' || answeredAt! - sentAt > hangMs,
  )
  return [
    holds('the call that burns gets its result', burn.outcome === 'result', burn.outcome),
    holds('who burns stays signed in', joined[0] !== undefined && new Set(joined).size === 1),
    {
      what: 'calls held up beyond 2 heartbeats of burning',
      goal: '0',
      measured: `${slow.length} of ${meanwhile.length}`,
      isMet: slow.length === 0,
      about: 'time' as const,
    },
  ]
}
