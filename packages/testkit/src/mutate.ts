#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { mutants } from './mutants.js'
import { type MutantFate, runMutants } from './mutation-run.js'

/** Whether the simulation finds what it is for: `npm run simulate:mutants -- --seeds 40 --jobs 2`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '40' },
      jobs: { type: 'string', default: '2' },
      /** Only those whose name contains it. */
      only: { type: 'string', default: '' },
    },
  })
  const chosen = mutants.filter(({ name }) => name.includes(values.only))
  const fates = await runMutants(chosen, { seeds: Number(values.seeds), jobs: Number(values.jobs) }, tell)
  const found = fates.filter(isFound)
  const survived = fates.filter((fate) => !isFound(fate) && fate.mutant.equivalent === undefined)
  print(`${fates.length} mutants, ${found.length} found, ${survived.length} that should have been were not`)
  process.exitCode = survived.length === 0 ? 0 : 1
}

/** By the check that is there for it, where it says which one that is. */
function isFound({ mutant, foundAfter, message }: MutantFate): boolean {
  return foundAfter !== undefined && (mutant.found?.test(message) ?? true)
}

function tell(fate: MutantFate): void {
  const { mutant, foundAfter, message } = fate
  if (foundAfter !== undefined && !isFound(fate)) print(`FOUND BY ANOTHER CHECK: ${mutant.name}\n    ${message}`)
  else if (foundAfter !== undefined) print(`found after ${foundAfter} seeds: ${mutant.name}\n    ${message}`)
  else if (mutant.equivalent !== undefined) print(`not found, as expected: ${mutant.name}\n    ${mutant.equivalent}`)
  else print(`NOT FOUND: ${mutant.name}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main()
