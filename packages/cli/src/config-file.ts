import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from './environment.js'

export interface ConfigFile {
  readonly fileName: string
  /** Parsed JSON; undefined when there is no file. */
  readonly file: unknown
  /** Why the file can't be used. */
  readonly problem?: string
}

/** The file that `CALLBOARD_CONFIG` names, which must exist, else the one in the data directory, which need not. */
export async function readConfigFile({ configFile, dataDirectory }: Environment): Promise<ConfigFile> {
  const fileName = configFile ?? join(dataDirectory, 'callboard.config.json')
  let text: string
  try {
    text = await readFile(fileName, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // Whether the data directory can be used, the hub finds out.
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR'
    if (isAbsent && configFile === undefined) return { fileName, file: undefined }
    const problem = isAbsent ? 'there is no such file' : message
    return { fileName, file: undefined, problem: `${fileName}: ${problem}.` }
  }
  try {
    return { fileName, file: JSON.parse(text) }
  } catch (error) {
    return { fileName, file: undefined, problem: `${fileName}: is not JSON (${(error as Error).message}).` }
  }
}

/** A worker's own section, unread. */
export function sectionOf({ file }: ConfigFile, name: string): unknown {
  return typeof file === 'object' && file !== null ? (file as Record<string, unknown>)[name] : undefined
}
