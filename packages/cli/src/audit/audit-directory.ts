import { join, resolve } from 'node:path'
import { readEnvironment } from '../environment.js'
import { readWholeConfig } from '../load-config.js'
import { CommandError, UsageError } from '../usage-error.js'

/** As said, or that of the configuration: what was recorded is there also when the journal is off now. */
export async function auditDirectory(said: string | undefined): Promise<string> {
  if (said !== undefined) return resolve(said)
  const environment = readEnvironment()
  const { config } = await readWholeConfig(environment)
  return config.audit?.directory ?? join(environment.dataDirectory, 'audit')
}

/** @throws UsageError where there is no journal, CommandError where it can't be read */
export async function reading<T>(directory: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') {
      throw new UsageError(
        `There is no audit journal in ${directory}: the hub keeps one with CALLBOARD_AUDIT=on, and --directory names another place.`,
      )
    }
    throw code === undefined ? error : new CommandError(`The audit journal in ${directory} can't be read (${message}).`)
  }
}
