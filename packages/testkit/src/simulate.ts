#!/usr/bin/env node
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isProvocation, provoke } from './provocation.js'
import { type SeedRange, SeedTally, type SeedTallyData } from './seed-tally.js'
import { simulate } from './simulation.js'

/** Many seeds, outside the tests: `npm run simulate -- --seeds 10000 --jobs 2`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '1' },
      trace: { type: 'boolean', default: false },
      /** Ends at the first seed that fails. */
      first: { type: 'boolean', default: false },
      /** What all seeds are to be like: a name in provocation.ts. */
      provoke: { type: 'string', default: '' },
    },
  })
  const wished = values.provoke
  if (wished !== '' && !isProvocation(wished)) throw new Error(`there is no provocation "${wished}"`)
  const range: SeedRange = {
    from: Number(values.from),
    count: Number(values.seeds),
    stopsAtFailure: values.first,
    provocation: wished === '' ? undefined : wished,
  }
  if (process.send !== undefined) return serve()
  const startedAt = performance.now()
  const jobs = Number(values.jobs)
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
