import { builtInWorker } from './built-in-workers.js'
import { type ConfigFile, readConfigFile, sectionOf } from './config-file.js'
import type { Environment } from './environment.js'
import { UsageError } from './usage-error.js'
import { type GivenFlags, noFlags } from './worker-flags.js'

/** A worker's section from all its sources. */
export interface LoadedSection {
  readonly section: unknown
  /** Sentences for the worker's log. */
  readonly warnings: readonly string[]
  /** What the worker finds wrong when it starts, with where the key is from before it where it has more than one source. */
  located(problem: string): string
}

/** The file with one worker's section, without loading the hub. @throws UsageError that names every problem. */
export async function loadSection(
  environment: Environment,
  worker: string,
  flags: GivenFlags,
): Promise<LoadedSection & { readonly file: ConfigFile }> {
  const file = await readConfigFile(environment)
  const loaded = await settledSection(environment, file, worker, flags)
  refuse([
    ...flags.problems.map((problem) => `${problem}.`),
    ...(file.problem ? [file.problem] : []),
    ...loaded.problems,
  ])
  return { ...loaded, file }
}

export async function sectionProblems(
  environment: Environment,
  file: ConfigFile,
  worker: string,
): Promise<readonly string[]> {
  return (await settledSection(environment, file, worker, noFlags)).problems
}

async function settledSection(
  { variables }: Environment,
  file: ConfigFile,
  worker: string,
  flags: GivenFlags,
): Promise<LoadedSection & { readonly problems: readonly string[] }> {
  const { settle, checkConfig } = builtInWorker(worker)
  const home = variables['HOME'] || undefined
  if (settle === undefined) {
    const section = sectionOf(file, worker)
    const problems = (await checkConfig(section, home)).map((problem) => `${sourceOf(problem, file)}: ${problem}`)
    return { section, warnings: [], problems, located: (problem) => problem }
  }
  const { fileName, isAbsent, own, sections, overrides = new Map<string, string>() } = file
  const layers = {
    file: { section: sectionOf({ file: own }, worker), ...(isAbsent !== true && { path: fileName }) },
    variables: { section: sections[worker] ?? {}, sources: keysOf(worker, overrides) },
    flags,
  }
  const settled = await settle(layers, home)
  return { ...settled, problems: settled.problems.map((problem) => `${problem}.`) }
}

/** The variables of one worker, by key. */
function keysOf(worker: string, overrides: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const own = [...overrides].filter(([key]) => key.startsWith(`${worker}.`))
  return new Map(own.map(([key, variable]) => [key.slice(worker.length + 1), variable]))
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
