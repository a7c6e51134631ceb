#!/usr/bin/env node
import { readCommandLine, wholeNumber } from './command-line.js'
import { mutants } from './mutants.js'
import { type MutantFate, runMutants } from './mutation-run.js'

const usage = `Usage: npm run simulate:mutants -- [--seeds N] [--jobs N] [--only TEXT]

Changes one line of the built broker or worker session at a time, and counts the seeds until the simulation finds it.

  --seeds N    how many seeds each is given (default: 40)
  --jobs N     mutants beside each other (default: 2)
  --only TEXT  those whose name contains it

Ends with 1 when one is not found that should be. Example:
  npm run simulate:mutants -- --only credit`

/** Whether the simulation finds what it is for. */
async function main(): Promise<void> {
  const values = readCommandLine(usage, {
    seeds: { type: 'string', default: '40' },
    jobs: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
  })
  const options = { seeds: wholeNumber('seeds', values.seeds), jobs: wholeNumber('jobs', values.jobs) }
  const chosen = mutants.filter(({ name }) => name.includes(values.only))
  const fates = await runMutants(chosen, options, tell)
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
