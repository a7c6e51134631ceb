#!/usr/bin/env node
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { readCommandLine, wholeNumber } from './command-line.js'
import { isProvocation, provoke } from './provocation.js'
import { type SeedRange, SeedTally, type SeedTallyData } from './seed-tally.js'
import { simulate } from './simulation.js'

const usage = `Usage: npm run simulate -- [--seeds N] [--from SEED] [--jobs N] [--first] [--trace] [--provoke NAME]

Hub and workers over a simulated link with faults; each seed is another history, always the same one.

  --seeds N    how many seeds (default: 1000)
  --from SEED  the first of them (default: 1)
  --jobs N     processes beside each other (default: 1)
  --first      ends at the first seed that fails
  --trace      prints every step; with one job
  --provoke    what all seeds are to be like: a name of provocation.ts

Ends with 1 when a seed fails. Examples:
  npm run simulate -- --seeds 10000 --jobs 2
  npm run simulate -- --seeds 1 --from 42 --trace`

/** Many seeds, outside the tests. */
async function main(): Promise<void> {
  if (process.send !== undefined) return serve()
  const values = readCommandLine(usage, {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    provoke: { type: 'string', default: '' },
  })
  const jobs = wholeNumber('jobs', values.jobs)
  const wished = values.provoke
  if (wished !== '' && !isProvocation(wished)) throw new Error(`there is no provocation "${wished}"`)
  const range: SeedRange = {
    from: wholeNumber('from', values.from),
    count: wholeNumber('seeds', values.seeds),
    stopsAtFailure: values.first,
    provocation: wished === '' ? undefined : wished,
  }
  const startedAt = performance.now()
  const tally = jobs > 1 ? await runShared(range, jobs) : runRange(range, values.trace)
  const seconds = (performance.now() - startedAt) / 1_000
  for (const { seed, profile, message } of tally.failures) {
    print(`seed ${seed} (${profile}): ${message}`)
    const like = wished === '' ? '' : ` --provoke ${wished}`
    print(`  replay: npm run simulate -- --seeds 1 --from ${seed}${like} --trace`)
  }
  const { seeds } = tally
  print(
    `${seeds} seeds in ${seconds.toFixed(1)} s, ${(seeds / seconds).toFixed(1)} seeds/s, ${tally.failures.length} failed`,
  )
  print(tally.lines().join('\n'))
  process.exitCode = tally.failures.length === 0 ? 0 : 1
}

function runRange({ from, count, stopsAtFailure, provocation }: SeedRange, traces: boolean): SeedTally {
  const tally = new SeedTally()
  const wish = provocation === undefined ? {} : provoke(provocation)
  for (let seed = from; seed < from + count; seed++) {
    const report = simulate({ seed, ...wish, ...(traces ? { onLine: print } : {}) })
    tally.add(report)
    if (report.failure === undefined) continue
    if (count === 1 && !traces) for (const line of report.failure.lines) print(line)
    if (stopsAtFailure) break
  }
  return tally
}

/** Seeds that one process takes at a time: seeds take very different times, so that fixed halves would end apart. */
const portion = 25

/** Processes of their own take one portion after the other. */
async function runShared({ from, count, ...how }: SeedRange, jobs: number): Promise<SeedTally> {
  const tally = new SeedTally()
  const portions: SeedRange[] = []
  for (let done = 0; done < count; done += portion) {
    portions.push({ from: from + done, count: Math.min(portion, count - done), ...how })
  }
  await Promise.all(Array.from({ length: jobs }, () => drive(portions, tally)))
  return tally
}

function drive(portions: SeedRange[], tally: SeedTally): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url))
  return new Promise((resolve, reject) => {
    const next = () => {
      const range = portions.shift()
      if (range === undefined) child.disconnect()
      else child.send(range)
    }
    child.on('message', (data) => {
      tally.merge(data as SeedTallyData)
      next()
    })
    child.on('error', reject)
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a simulating process ended with ${code}`))))
    next()
  })
}

/** The other end of {@link drive}. */
function serve(): void {
  process.on('message', (range) => process.send?.(runRange(range as SeedRange, false).data))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main()
