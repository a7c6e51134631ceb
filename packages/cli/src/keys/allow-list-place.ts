import { isAbsolute } from 'node:path'
import { AllowListError, allowListIn, KeyFileError, StartError } from '@callboard/hub'
import type { Environment } from '../environment.js'
import { UsageError } from '../usage-error.js'

/** @throws UsageError */
export function allowListFile({ variables, dataDirectory }: Pick<Environment, 'variables' | 'dataDirectory'>): string {
  const file = variables['CALLBOARD_AUTHORIZED_WORKERS']
  if (!file) return allowListIn(dataDirectory)
  if (isAbsolute(file)) return file
  throw new UsageError(`CALLBOARD_AUTHORIZED_WORKERS: ${JSON.stringify(file)} must be an absolute path.`)
}

/** @throws UsageError for a file or a directory that its owner has to mend. */
export async function explaining<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isTheirs = error instanceof AllowListError || error instanceof KeyFileError || error instanceof StartError
    throw isTheirs ? new UsageError(error.message) : error
  }
}
