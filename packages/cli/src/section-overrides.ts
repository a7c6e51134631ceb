import type { Variables } from './environment.js'

/** Parts of workers' sections that the environment gives, and which variable gave each key (`kernel.memoryMiB`). */
export interface SectionOverrides {
  readonly sections: { readonly [worker: string]: Section }
  readonly variables: ReadonlyMap<string, string>
}

export interface Section {
  readonly [key: string]: unknown
}

/** A key of a worker's section, by its way from there: `memoryMiB`, `llm.api_key`. */
export interface SectionKey {
  readonly path: string
  /** What it takes. Default: `any`, which is JSON where it is some, else text. */
  readonly kind?: 'text' | 'list' | 'number' | 'truth' | 'any'
}

export interface OverriddenWorker {
  readonly name: string
  readonly keys: () => Promise<readonly SectionKey[]>
  /** Whether a key may be given by a variable of its own name as well: `smtp_url` by `SMTP_URL`. */
  readonly takesBareNames?: boolean
  /** How variables of another program begin whose keys have the same names: `OTHER_` for `OTHER_LLM__API_KEY`. */
  readonly otherPrefix?: string
}

/** A key, and the variable that gives it. */
interface Given {
  readonly path: readonly string[]
  readonly kind: SectionKey['kind']
  readonly variable: string
}

/**
 * `CALLBOARD_KERNEL__MEMORY_MIB=1024`, `CALLBOARD_SOCIAL__LLM__API_KEY=…`: the worker and each step to the key, two underscores
 * between them, in any case, with or without underscores between words. It wins over another program's name and over the bare
 * one, where there are such. Keys that the worker does not have are passed on as they are, for its own parser to name.
 */
export async function sectionOverrides(
  variables: Variables,
  workers: readonly OverriddenWorker[],
): Promise<SectionOverrides> {
  const sections: { [worker: string]: Section } = {}
  const sources = new Map<string, string>()
  for (const worker of workers) {
    const given = [...(await variablesOf(worker, variables))]
    // A whole section before its keys, which win.
    for (const { path, kind, variable } of given.sort((a, b) => a.path.length - b.path.length)) {
      sections[worker.name] = withValue(sections[worker.name] ?? {}, path, valueOfKind(variables[variable] ?? '', kind))
      sources.set([worker.name, ...path].join('.'), variable)
    }
  }
  return { sections, variables: sources }
}

/** What is in `given` wins, key by key; what is no object in one of them is taken whole. */
export function mergeSections(own: Section, given: Section): Section {
  const merged = Object.entries(given).map(([key, value]) => {
    const old = Object.hasOwn(own, key) ? own[key] : undefined
    // What is wrong in the file is left for its parser to refuse.
    if (isSection(value) && old !== undefined) return [key, isSection(old) ? mergeSections(old, value) : old]
    return [key, value]
  })
  return { ...own, ...Object.fromEntries(merged) }
}

export function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withValue(section: Section, [key, ...rest]: readonly string[], value: unknown): Section {
  if (key === undefined) return section
  if (rest.length === 0) return { ...section, [key]: value }
  const inner = section[key] ?? {}
  return isSection(inner) ? { ...section, [key]: withValue(inner, rest, value) } : section
}

/** Which variable gives which key, one for each. What is empty gives none. */
async function variablesOf(worker: OverriddenWorker, variables: Variables): Promise<Iterable<Given>> {
  const { name, keys, takesBareNames = false, otherPrefix } = worker
  const found = new Map<string, Given>()
  const add = (given: Given) => found.set(given.path.join('.'), given)
  if (takesBareNames) for (const given of byExactName(await keys(), '', variables)) add(given)
  if (otherPrefix !== undefined && Object.keys(variables).some((variable) => variable.startsWith(otherPrefix))) {
    for (const given of byExactName(await keys(), otherPrefix, variables)) add(given)
  }
  const prefix = `CALLBOARD_${name.toUpperCase()}__`
  for (const [variable, value] of Object.entries(variables)) {
    if (!variable.startsWith(prefix) || !value) continue
    add({ ...keyAsked(variable.slice(prefix.length), await keys()), variable })
  }
  return found.values()
}

function byExactName(keys: readonly SectionKey[], prefix: string, variables: Variables): readonly Given[] {
  return keys.flatMap(({ path, kind }) => {
    const variable = `${prefix}${path.toUpperCase().replaceAll('.', '__')}`
    return variables[variable] ? [{ path: path.split('.'), kind, variable }] : []
  })
}

function keyAsked(asked: string, keys: readonly SectionKey[]): Omit<Given, 'variable'> {
  const steps = asked.split('__')
  const known = keys.find(({ path }) => isSameWay(path.split('.'), steps))
  if (known !== undefined) return { path: known.path.split('.'), kind: known.kind }
  const [head = '', ...rest] = steps
  const section = keys.map(({ path }) => path.split('.')).find((way) => way.length > 1 && isSameWay([way[0]!], [head]))
  const path = section === undefined || rest.length === 0 ? [asked] : [section[0]!, rest.join('__')]
  return { path, kind: 'any' }
}

function isSameWay(way: readonly string[], asked: readonly string[]): boolean {
  return way.length === asked.length && way.every((step, index) => plain(step) === plain(asked[index]!))
}

function plain(key: string): string {
  return key.replaceAll('_', '').toLowerCase()
}

/** What can't be read as its kind stays text, which the worker's parser refuses with the key's name. */
export function valueOfKind(text: string, kind: SectionKey['kind']): unknown {
  switch (kind) {
    case 'text':
      return text
    case 'list':
      return listIn(text)
    case 'number':
      return /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text
    case 'truth':
      return truths.get(text.trim().toLowerCase()) ?? text
    default:
      return valueIn(text)
  }
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
])

/** A JSON list, else what stands between commas. */
function listIn(text: string): unknown {
  if (text.trim().startsWith('[')) return valueIn(text)
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/**
 * JSON where it is some, else text. A number must be written as JSON would write it: a key or a password of 32 digits, or one
 * like `1e5`, is text, and must not come out as another one.
 */
function valueIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'number' && String(value) !== text.trim() ? text : value
  } catch {
    return text
  }
}
