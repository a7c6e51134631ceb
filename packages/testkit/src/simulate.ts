#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { type SimulationReport, simulate } from './simulation.js'

/** Many seeds, outside the tests: `node packages/testkit/dist/simulate.js --seeds 10000 --from 1`. */
function main(): void {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      trace: { type: 'boolean', default: false },
    },
  })
  const count = Number(values.seeds)
  const first = Number(values.from)
  const startedAt = performance.now()
  let failures = 0
  const totals = new Map<string, number>()
  for (let seed = first; seed < first + count; seed++) {
    const report = simulate({ seed, ...(values.trace ? { onLine: print } : {}) })
    add(totals, report)
    if (report.failure === undefined) continue
    failures += 1
    print(`seed ${seed} (${report.profile}): ${report.failure.message}`)
    if (count === 1) for (const line of report.failure.lines) print(line)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  print(`${count} seeds in ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(1)} seeds/s, ${failures} failed`)
  print([...totals].map(([name, total]) => `${name} ${total}`).join(', '))
  process.exitCode = failures === 0 ? 0 : 1
}

function add(totals: Map<string, number>, { calls, virtualMs, outcomes }: SimulationReport): void {
  const sum = (name: string, value: number) => totals.set(name, (totals.get(name) ?? 0) + value)
  sum('turns', calls)
  sum('virtual hours', virtualMs / 3_600_000)
  for (const [name, value] of Object.entries(outcomes)) sum(name, value)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

main()
