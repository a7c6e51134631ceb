import { ConfigError, type HubConfig, type LogLevel, parseHubConfig } from '@callboard/hub'
import { builtInWorkerNames, isBuiltIn, noSuchWorker } from './built-in-workers.js'
import { type ConfigFile, readConfigFile } from './config-file.js'
import type { Environment } from './environment.js'
import { refuse, sectionProblems } from './load-section.js'

/** The hub's part. @throws UsageError that names every problem. */
export async function loadConfig(environment: Environment): Promise<HubConfig> {
  const { config, problems } = readHubPart(environment, await readConfigFile(environment))
  refuse(problems)
  return config
}

/** With the built-in workers that come along, and their parts. @throws UsageError that names every problem. */
export async function loadWholeConfig(environment: Environment, logLevelDefault?: LogLevel): Promise<WholeConfig> {
  const whole = await readWholeConfig(environment, logLevelDefault)
  refuse(whole.problems)
  return whole
}

export interface WholeConfig {
  readonly file: ConfigFile
  /** With the default in place of what can't be used. */
  readonly config: HubConfig
  /** Those that come along and are there. */
  readonly workers: readonly string[]
  readonly problems: readonly string[]
}

export async function readWholeConfig(environment: Environment, logLevelDefault?: LogLevel): Promise<WholeConfig> {
  const file = await readConfigFile(environment)
  const { config, problems } = readHubPart(environment, file, logLevelDefault)
  const wanted = config.workers ?? builtInWorkerNames
  const source = environment.variables['CALLBOARD_WORKERS'] ? 'CALLBOARD_WORKERS' : `${file.fileName}: workers`
  const workers = wanted.filter(isBuiltIn)
  const sections = await Promise.all(workers.map((name) => sectionProblems(environment, file, name)))
  return {
    file,
    config,
    workers,
    problems: [
      ...problems,
      ...wanted.filter((name) => !isBuiltIn(name)).map((name) => `${source}: there is no worker ${noSuchWorker(name)}`),
      ...sections.flat(),
    ],
  }
}

function readHubPart(
  { variables }: Environment,
  { file, fileName, problem }: ConfigFile,
  logLevelDefault?: LogLevel,
): { readonly config: HubConfig; readonly problems: readonly string[] } {
  const problems = problem === undefined ? [] : [problem]
  const input = { file, fileName, environment: variables, ...(logLevelDefault !== undefined && { logLevelDefault }) }
  try {
    return { config: parseHubConfig(input), problems }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { config: error.usable, problems: [...problems, ...error.problems] }
  }
}
