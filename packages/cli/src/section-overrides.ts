import type { Variables } from './environment.js'

/** Parts of workers' sections that the environment gives, and which variable gave each key (`kernel.memoryMiB`). */
export interface SectionOverrides {
  readonly sections: { readonly [worker: string]: { readonly [key: string]: unknown } }
  readonly variables: ReadonlyMap<string, string>
}

/**
 * `CALLBOARD_KERNEL__MEMORY_MIB=1024`: the worker, two underscores, the key in any case, with or without underscores between
 * its words. The value is JSON where it is some, else text. Keys that the worker does not have are passed on as they are, for
 * its own parser to name.
 */
export async function sectionOverrides(
  variables: Variables,
  workers: readonly string[],
  keysOf: (worker: string) => Promise<readonly string[]>,
): Promise<SectionOverrides> {
  const sections: { [worker: string]: { [key: string]: unknown } } = {}
  const given = new Map<string, string>()
  for (const worker of workers) {
    const prefix = `CALLBOARD_${worker.toUpperCase()}__`
    for (const [variable, value] of Object.entries(variables)) {
      if (!variable.startsWith(prefix) || value === undefined || value === '') continue
      const asked = variable.slice(prefix.length)
      const key = (await keysOf(worker)).find((known) => plain(known) === plain(asked)) ?? asked
      sections[worker] = { ...sections[worker], [key]: parsed(value) }
      given.set(`${worker}.${key}`, variable)
    }
  }
  return { sections, variables: given }
}

function plain(key: string): string {
  return key.replaceAll('_', '').toLowerCase()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
