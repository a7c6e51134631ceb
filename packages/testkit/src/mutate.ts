#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { mutants } from './mutants.js'
import { type MutantFate, runMutants } from './mutation-run.js'

/** Whether the simulation finds what it is for: `npm run simulate:mutants -- --seeds 400 --jobs 2`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '400' },
      jobs: { type: 'string', default: '2' },
      /** Only those whose name contains it. */
      only: { type: 'string', default: '' },
    },
  })
  const chosen = mutants.filter(({ name }) => name.includes(values.only))
  const fates = await runMutants(chosen, { seeds: Number(values.seeds), jobs: Number(values.jobs) }, tell)
  const found = fates.filter(({ foundAfter }) => foundAfter !== undefined)
  const survived = fates.filter(({ mutant, foundAfter }) => foundAfter === undefined && mutant.equivalent === undefined)
  print(`${fates.length} mutants, ${found.length} found, ${survived.length} that should have been were not`)
  process.exitCode = survived.length === 0 ? 0 : 1
}

function tell({ mutant, foundAfter, message }: MutantFate): void {
  if (foundAfter !== undefined) print(`found after ${foundAfter} seeds: ${mutant.name}\n    ${message}`)
  else if (mutant.equivalent !== undefined) print(`not found, as expected: ${mutant.name}\n    ${mutant.equivalent}`)
  else print(`NOT FOUND: ${mutant.name}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main()
