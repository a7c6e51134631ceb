// npm run link: a worker in another network namespace, signed in by key over a link that delays, reorders, loses, and is cut.
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SocketCaller } from '../chaos/caller.js'
import { checkCalls } from '../chaos/check-calls.js'
import { readHub } from '../chaos/hub-control.js'
import { HubWatch } from '../chaos/hub-watch.js'
import type { CallRecord, RunRecord } from '../chaos/records.js'
import { tableOf } from '../chaos/report.js'
import { readJournals } from '../chaos/run-journal.js'
import { type Check, checksOf, none } from '../chaos/scenario.js'
import { HubProcess, now } from '../hub-process.js'
import { BadLink, untouched } from './bad-link.js'
import { type Course, courseChecks, courseFigures } from './course.js'
import { LinkLoad } from './link-load.js'
import { revocationChecks } from './revocation.js'
import { troubles } from './troubles.js'
import { WorkerKey } from './worker-key.js'

const seed = Number(process.argv[2] ?? 7)
if (!Number.isSafeInteger(seed)) {
  process.stderr.write('npm run link, or with another seed: npm run link -- 8\n')
  process.exit(2)
}
const rate = 300
const callers = 3
const lookEveryMs = 20
/** Of a tool: longer than any trouble lasts. */
const timeoutMs = '12000'
const port = 8_766
const replicaProgram = fileURLToPath(new URL('../chaos/replica-program.js', import.meta.url))
/** Ends that say themselves that the call may still run, and so are no answer that it has to keep to. */
const uncertain: ReadonlySet<string> = new Set(['outcome_unknown', 'deadline_exceeded'])
const truthful = ['outcome_unknown', 'deadline_exceeded', 'unavailable', 'overloaded']
/** How wrong a worker may be about the hub's clock over such a link, and what a call needs to start. */
const lateMsMax = 250

using link = await openLink()
if (link !== undefined) {
  const checks = await play(link)
  const missed = checks.filter(({ isMet }) => !isMet).length
  process.stdout.write(`link: ${checks.length - missed} passed, ${missed} failed\n`)
  process.exitCode = missed > 0 ? 1 : 0
}

async function openLink(): Promise<BadLink | undefined> {
  const opened = await BadLink.open(seed)
  if (typeof opened !== 'string') return opened
  process.stdout.write(`link: skipped, as this machine gives no network namespaces with tun devices: ${opened}\n`)
  process.stdout.write('link: 0 passed, 0 failed\n')
  return undefined
}

async function play(link: BadLink): Promise<readonly Check[]> {
  const listen = `tcp://${link.near.address}:${port}`
  await using hub = await HubProcess.start([], { enter: link.near.enter, environment: { CALLBOARD_LISTEN: listen } })
  const key = await WorkerKey.authorize(hub, 'chaos')
  const worker = await hub.worker(replicaProgram, ['far', hub.directory, '128', timeoutMs], {
    enter: link.far.enter,
    environment: { ...key.environment, CALLBOARD_HUB: listen },
  })
  const watch = new HubWatch(() => readHub(hub.socket), lookEveryMs)
  const open = await Promise.all(Array.from({ length: callers }, () => SocketCaller.open(hub.socket, 'modern')))
  const load = new LinkLoad(open, rate)
  const courses: Course[] = []
  for (const trouble of troubles) {
    process.stderr.write(`  ${trouble.name}\n`)
    const from = now()
    await link.impair(trouble.there, trouble.back)
    await delay(trouble.forMs)
    const packets = await link.impair(untouched)
    courses.push({ trouble, from, to: now() })
    process.stderr.write(`    packets so far: ${JSON.stringify(packets)}\n`)
    await delay(trouble.restMs)
  }
  process.stderr.write('  the key is revoked\n')
  const revoked = await revocationChecks(hub, key, worker.child)
  const calls = await load.end()
  const sights = await watch.stop()
  for (const course of courses) process.stderr.write(`${JSON.stringify(courseFigures(course, sights, calls))}\n`)
  const checks = [
    ...callChecks(calls, readJournals(hub.directory)),
    ...courses.flatMap((course) => courseChecks(course, sights, calls)),
    ...revoked,
  ]
  process.stdout.write(`${tableOf({ checks, figures: {} }, { lenientTimes: false })}\n`)
  return checks
}

/** One end for each call, and a true one. */
function callChecks(calls: readonly CallRecord[], runs: readonly RunRecord[]): Check[] {
  const certain = calls.map((call) => {
    const { answeredAt, ...rest } = call
    return uncertain.has(call.outcome ?? '') || answeredAt === undefined ? rest : { ...rest, answeredAt }
  })
  // With one worker a call that may be repeated has nobody to be repeated at: it may fail as others do.
  const found = checkCalls({ calls: certain, runs }, { allowedFailures: truthful }).filter(
    ({ what }) => what !== 'failed calls that may be repeated',
  )
  const answeredAt = new Map(calls.map((call) => [call.canary, call]))
  const late = runs.filter(({ canary, startedAt }) => {
    const call = answeredAt.get(canary)
    return call?.outcome === 'deadline_exceeded' && startedAt > call.answeredAt! + lateMsMax
  })
  const strange = calls.filter(({ outcome = 'none' }) => outcome !== 'result' && !truthful.includes(outcome))
  return [
    ...checksOf(found),
    none('calls that began long after their deadline', late.length),
    none(
      `calls with an end other than a result, ${truthful.join(', ')}`,
      strange.length,
      strange.slice(0, 3).map((call) => JSON.stringify(call)),
    ),
  ]
}
