import type { Sight } from '../chaos/hub-watch.js'
import type { CallRecord } from '../chaos/records.js'
import { type Check, comesAbout, holds, within } from '../chaos/scenario.js'
import { untouched } from './bad-link.js'
import type { Trouble } from './troubles.js'

/** One trouble as it went. Times are UTC ms. */
export interface Course {
  readonly trouble: Trouble
  readonly from: number
  readonly to: number
}

/** Two heartbeats after the last message, which may have come just now, up to the next quarter of one, and the time of a look. */
const suspectMsMax = 2_400
/** Without the hub's acknowledgements the worker's TCP still sends for a while: one more heartbeat gets through. */
const lastHeardMsMax = 1_000
/** A heartbeat of ZMTP is due, then its timeout passes. */
const lostMsMax = 4_500
/** The worker gives its socket up after 3 s without a connection; what its new one begins is answered at once. */
const servingMsMax = 5_000

/** What must hold of one trouble, and how long it took. */
export function courseChecks(course: Course, sights: readonly Sight[], calls: readonly CallRecord[]): Check[] {
  const { trouble, to } = course
  const { suspectMs, lostMs } = timesOf(course, sights)
  // TCP may pause for so long between its tries that the connection is first found lost, when all is well again.
  const againMsMax = trouble.signIn === 'either' ? lostMsMax + servingMsMax : servingMsMax
  const checks = [within(`${trouble.name}: serves again when it is over`, servingMs(calls, to), againMsMax)]
  const quietMsMax = suspectMsMax + (trouble.back === untouched ? lastHeardMsMax : 0)
  switch (trouble.signIn) {
    case 'stays':
      return [...checks, holds(`${trouble.name}: stays signed in`, lostMs === undefined)]
    case 'ends':
      return [
        ...checks,
        within(`${trouble.name}: suspect`, suspectMs ?? Number.POSITIVE_INFINITY, quietMsMax),
        within(`${trouble.name}: found lost`, lostMs ?? Number.POSITIVE_INFINITY, lostMsMax),
      ]
    case 'either':
      return [
        ...checks,
        comesAbout(
          `${trouble.name}: some calls get through`,
          resultsOf(course, calls) > 0,
          `${resultsOf(course, calls)}`,
        ),
      ]
    default:
      return trouble.signIn satisfies never
  }
}

/** For the record. */
export function courseFigures(course: Course, sights: readonly Sight[], calls: readonly CallRecord[]) {
  const asked = calls.filter(({ sentAt }) => sentAt >= course.from && sentAt < course.to)
  const outcomes: Record<string, number> = {}
  for (const { outcome = 'none' } of asked) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  const took = asked
    .flatMap(({ sentAt, answeredAt }) => (answeredAt === undefined ? [] : [answeredAt - sentAt]))
    .sort((a, b) => a - b)
  const at = (share: number) => Math.round(took[Math.floor(took.length * share)] ?? 0)
  const times = timesOf(course, sights)
  return {
    name: course.trouble.name,
    ...times,
    servingMs: Math.round(servingMs(calls, course.to)),
    outcomes,
    p50: at(0.5),
    p99: at(0.99),
  }
}

/** From the beginning of the trouble, as the hub showed it. */
function timesOf({ from, to }: Course, sights: readonly Sight[]) {
  const before = sights.findLast(({ at }) => at <= from)?.workers[0]
  const during = sights.filter(({ at }) => at > from && at <= to)
  const after = (sight: Sight | undefined) => (sight === undefined ? undefined : Math.round(sight.at - from))
  return {
    suspectMs: after(during.find(({ workers }) => workers[0]?.state === 'suspect')),
    lostMs: after(during.find(({ workers }) => workers[0]?.joinedAt !== before?.joinedAt)),
  }
}

/** Until the first result of a call that was asked afterwards. */
function servingMs(calls: readonly CallRecord[], since: number): number {
  const answers = calls.filter(({ sentAt, outcome }) => sentAt >= since && outcome === 'result')
  return Math.min(...answers.map(({ answeredAt }) => answeredAt!)) - since
}

function resultsOf({ from, to }: Course, calls: readonly CallRecord[]): number {
  return calls.filter(({ sentAt, outcome }) => sentAt >= from && sentAt < to && outcome === 'result').length
}
