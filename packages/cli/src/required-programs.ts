import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { builtInWorker } from './built-in-workers.js'
import { type ConfigFile, sectionOf } from './config-file.js'
import { UsageError } from './usage-error.js'

/** @throws UsageError for the first worker whose program is not there. */
export function requirePrograms(workers: readonly string[], config: ConfigFile, path: string): void {
  for (const worker of workers) {
    const program = builtInWorker(worker).program?.(sectionOf(config, worker))
    if (program === undefined || findProgram(program.name, path) !== undefined) continue
    throw new UsageError(`The worker ${worker} needs ${program.name}, which was not found: ${program.remedy}.`)
  }
}

/** Where the shell would find it. */
export function findProgram(name: string, path: string): string | undefined {
  if (name.includes('/')) return isExecutable(name) ? name : undefined
  return path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, name))
    .find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
