import { builtInWorker } from './built-in-workers.js'
import { type ConfigFile, readConfigFile, sectionOf } from './config-file.js'
import type { Environment } from './environment.js'
import { UsageError } from './usage-error.js'

/** The file with one worker's section, without loading the hub. @throws UsageError that names every problem. */
export async function loadSection(environment: Environment, worker: string): Promise<ConfigFile> {
  const file = await readConfigFile(environment)
  refuse(file.problem === undefined ? await sectionProblems(file, worker) : [file.problem])
  return file
}

export async function sectionProblems(file: ConfigFile, worker: string): Promise<readonly string[]> {
  const problems = await builtInWorker(worker).checkConfig(sectionOf(file, worker))
  return problems.map((problem) => `${sourceOf(problem, file)}: ${problem}`)
}

/** A problem begins with the key that it is about, which a variable may have given: alone, or with its whole section. */
function sourceOf(problem: string, { fileName, isAbsent, overrides }: ConfigFile): string {
  const [key = ''] = problem.split(':')
  const steps = key.replace(/\[\d+\]/g, '').split('.')
  const ways = steps.map((_, index) => steps.slice(0, steps.length - index).join('.'))
  const variable = ways.map((way) => overrides?.get(way)).find((name) => name !== undefined)
  return variable ?? (isAbsent ? 'the environment' : fileName)
}

/** @throws UsageError if there are any. */
export function refuse(problems: readonly string[]): void {
  const [first, ...others] = problems
  if (first === undefined) return
  throw new UsageError(
    others.length === 0
      ? `The configuration is not usable: ${first}`
      : `The configuration is not usable:\n  ${problems.join('\n  ')}`,
  )
}
