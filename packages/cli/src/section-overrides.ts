import type { Variables } from './environment.js'

/** Parts of workers' sections that the environment gives, and which variable gave each key (`kernel.memoryMiB`). */
export interface SectionOverrides {
  readonly sections: { readonly [worker: string]: { readonly [key: string]: unknown } }
  readonly variables: ReadonlyMap<string, string>
}

export interface OverriddenWorker {
  readonly name: string
  readonly keys: () => Promise<readonly string[]>
  /** Whether a key may be given by a variable of its own name as well: `smtp_url` by `SMTP_URL`. */
  readonly takesBareNames?: boolean
}

/**
 * `CALLBOARD_KERNEL__MEMORY_MIB=1024`: the worker, two underscores, the key in any case, with or without underscores between
 * its words. It wins over the bare name, where there is one. Keys that the worker does not have are passed on as they are,
 * for its own parser to name.
 */
export async function sectionOverrides(
  variables: Variables,
  workers: readonly OverriddenWorker[],
): Promise<SectionOverrides> {
  const sections: { [worker: string]: { [key: string]: unknown } } = {}
  const given = new Map<string, string>()
  for (const worker of workers) {
    for (const [key, variable] of await variablesOf(worker, variables)) {
      sections[worker.name] = { ...sections[worker.name], [key]: parsed(variables[variable] ?? '') }
      given.set(`${worker.name}.${key}`, variable)
    }
  }
  return { sections, variables: given }
}

/** Which variable gives which key. What is empty gives none. */
async function variablesOf(
  { name, keys, takesBareNames = false }: OverriddenWorker,
  variables: Variables,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  if (takesBareNames) {
    for (const key of await keys()) if (variables[key.toUpperCase()]) found.set(key, key.toUpperCase())
  }
  const prefix = `CALLBOARD_${name.toUpperCase()}__`
  for (const [variable, value] of Object.entries(variables)) {
    if (!variable.startsWith(prefix) || !value) continue
    const asked = variable.slice(prefix.length)
    found.set((await keys()).find((known) => plain(known) === plain(asked)) ?? asked, variable)
  }
  return found
}

function plain(key: string): string {
  return key.replaceAll('_', '').toLowerCase()
}

/**
 * JSON where it is some, else text. A number must be written as JSON would write it: a key or a password of 32 digits, or one
 * like `1e5`, is text, and must not come out as another one.
 */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'number' && String(value) !== text.trim() ? text : value
  } catch {
    return text
  }
}
