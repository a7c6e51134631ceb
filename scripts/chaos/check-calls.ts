import { type CallRecord, type Fault, isRepeatable, type RunRecord } from './records.js'

/** All that is known of a run of the program. */
export interface Evidence {
  readonly calls: readonly CallRecord[]
  readonly runs: readonly RunRecord[]
}

/** One promise, and who broke it. */
export interface Finding {
  readonly what: string
  readonly count: number
  /** The first few, in words. */
  readonly examples: readonly string[]
}

export interface CallRules {
  /** Outcomes that calls without a hint may have; none other but `result`. */
  readonly allowedFailures: readonly string[]
}

/** Codes that say: the call had no effect, and will have none. */
const notRun: ReadonlySet<string> = new Set([
  'unavailable',
  'overloaded',
  'rate_limited',
  'deadlock',
  'depth_exceeded',
  'not_found',
  'forbidden',
  'request_too_large',
])

const examplesMax = 3

/** Holds what agents saw against what replicas did. A finding without a count is a promise that was kept. */
export function checkCalls(evidence: Evidence, { allowedFailures }: CallRules): Finding[] {
  const runsOf = new Map<string, RunRecord[]>()
  for (const run of evidence.runs) runsOf.set(run.canary, [...(runsOf.get(run.canary) ?? []), run])
  const allowed = new Set(allowedFailures)
  const find = (what: string, isBroken: (call: CallRecord, runs: readonly RunRecord[]) => boolean): Finding => {
    const broken = evidence.calls.filter((call) => isBroken(call, runsOf.get(call.canary) ?? []))
    const examples = broken.slice(0, examplesMax).map((call) => describe(call, runsOf.get(call.canary) ?? []))
    return { what, count: broken.length, examples }
  }
  return [
    find('calls without exactly one answer', ({ answers }) => answers !== 1),
    find('answers that belong to another call', ({ foreign }) => foreign > 0),
    find('calls without a hint that ran twice', ({ kind }, runs) => !isRepeatable(kind) && runs.length > 1),
    find('results of what did not run to its end', isUnfounded),
    find('calls said not to have run that did', ({ outcome = '' }, runs) => notRun.has(outcome) && runs.length > 0),
    find('failed calls that may be repeated', ({ kind, outcome }) => isRepeatable(kind) && isFailure(outcome)),
    find(`failed calls without a hint, other than ${allowedFailures.join(', ') || 'none'}`, ({ kind, outcome }) => {
      return !isRepeatable(kind) && isFailure(outcome) && !allowed.has(outcome)
    }),
    // Whose deadline has passed was answered with that.
    find('calls that began after their answer', ({ answeredAt = Number.POSITIVE_INFINITY }, runs) => {
      return runs.some(({ startedAt }) => startedAt > answeredAt)
    }),
    strangers(evidence),
  ]
}

/** How long failures took from the fault that caused them, in ms. A failure that no fault explains took infinitely long. */
export function failureDelays({ calls, runs }: Evidence, faults: readonly Fault[]): number[] {
  const processOf = new Map(runs.map(({ canary, process }) => [canary, process]))
  return calls.flatMap((call) => {
    if (call.answeredAt === undefined || !isFailure(call.outcome)) return []
    const earlier = faults.filter(({ at }) => at <= call.answeredAt!)
    const cause = causeOf(call, processOf.get(call.canary), earlier)
    return [cause === undefined ? Number.POSITIVE_INFINITY : call.answeredAt - cause.at]
  })
}

/** Of a call that never began nobody knows who held it: the oldest fault that it can well be, so as not to flatter. */
function causeOf({ sentAt }: CallRecord, process: string | undefined, earlier: readonly Fault[]): Fault | undefined {
  if (process !== undefined) return earlier.findLast((fault) => fault.process === process)
  return earlier.find(({ at }) => at >= sentAt - noticeMs) ?? earlier.at(-1)
}

/** Within it the hub may hand over calls to a process that was killed, because nobody told it yet; on a slow machine later too. */
const noticeMs = 50

const isFailure = (outcome: string | undefined): outcome is string => outcome !== undefined && outcome !== 'result'

function isUnfounded({ outcome, process }: CallRecord, runs: readonly RunRecord[]): boolean {
  return outcome === 'result' && !runs.some((run) => run.process === process && run.endedAt !== undefined)
}

/** Runs of what nobody asked for. */
function strangers({ calls, runs }: Evidence): Finding {
  const asked = new Set(calls.map(({ canary }) => canary))
  const strange = runs.filter(({ canary }) => !asked.has(canary))
  const examples = strange.slice(0, examplesMax).map((run) => `${run.kind} ${run.canary} on ${run.process}`)
  return { what: 'executions that nobody asked for', count: strange.length, examples }
}

function describe(call: CallRecord, runs: readonly RunRecord[]): string {
  const { canary, kind, sentAt, answeredAt, answers, outcome = 'no answer' } = call
  const after = (at: number | undefined) => (at === undefined ? 'never' : `+${(at - sentAt).toFixed(1)} ms`)
  const ran = runs.map((run) => `ran on ${run.process} from ${after(run.startedAt)} to ${after(run.endedAt)}`)
  return [`${kind} ${canary}: ${outcome} at ${after(answeredAt)} (${answers} answers)`, ...ran].join(', ')
}
