import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonMistake } from '@callboard/worker/json-mistake'
import { builtInWorker, builtInWorkerNames } from './built-in-workers.js'
import type { Environment } from './environment.js'
import {
  isSection,
  mergeSections,
  type OverriddenWorker,
  type SectionOverrides,
  sectionOverrides,
} from './section-overrides.js'

export interface ConfigFile {
  readonly fileName: string
  /** Where there is no such file: then all is from the environment. */
  readonly isAbsent?: true
  /** Parsed JSON, with what the environment says of workers; undefined when there is neither. */
  readonly file: unknown
  /** The same without the environment. */
  readonly own: unknown
  /** What the environment alone says of workers. */
  readonly sections: SectionOverrides['sections']
  /** Why the file can't be used. */
  readonly problem?: string
  /** Which variable gave a key of a worker's section, e.g. `kernel.memoryMiB`. */
  readonly overrides?: ReadonlyMap<string, string>
}

/** The file that `CALLBOARD_CONFIG` names, which must exist, else the one in the data directory, which need not. */
export async function readConfigFile(environment: Environment): Promise<ConfigFile> {
  const [read, overrides] = await Promise.all([
    readFileOf(environment),
    sectionOverrides(environment.variables, builtInWorkerNames.map(overridable)),
  ])
  const { sections, variables } = overrides
  if (variables.size === 0) return { ...read, own: read.file, sections }
  return { ...read, file: overridden(read.file, overrides), own: read.file, sections, overrides: variables }
}

function overridable(name: string): OverriddenWorker {
  const { configKeys: keys, takesBareNames = false, otherPrefix } = builtInWorker(name)
  return { name, keys, takesBareNames, ...(otherPrefix !== undefined && { otherPrefix }) }
}

/** Key by key; what is no object is left for its parser to refuse. */
function overridden(file: unknown, { sections }: SectionOverrides): unknown {
  if (file !== undefined && !isSection(file)) return file
  return mergeSections(file ?? {}, sections)
}

type ReadFile = Pick<ConfigFile, 'fileName' | 'isAbsent' | 'file' | 'problem'>

async function readFileOf({ configFile, dataDirectory }: Environment): Promise<ReadFile> {
  const fileName = configFile ?? join(dataDirectory, 'callboard.config.json')
  let text: string
  try {
    text = await readFile(fileName, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // Whether the data directory can be used, the hub finds out.
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR'
    if (isAbsent && configFile === undefined) return { fileName, isAbsent: true, file: undefined }
    const problem = isAbsent ? 'there is no such file' : message
    return { fileName, file: undefined, problem: `${fileName}: ${problem}.` }
  }
  // What JSON.parse says itself quotes the text, which may hold keys.
  const mistake = jsonMistake(text)
  if (mistake !== undefined) return { fileName, file: undefined, problem: `${fileName}: ${mistake}.` }
  return { fileName, file: JSON.parse(text) }
}

/** A worker's own section, unread. */
export function sectionOf({ file }: Pick<ConfigFile, 'file'>, name: string): unknown {
  return typeof file === 'object' && file !== null ? (file as Record<string, unknown>)[name] : undefined
}
