import { wildcard } from './wildcard.js'

/**
 * Which tools are in an agent's list. A pattern is `name` or `service:name`, where `*` stands for any run of characters; the
 * name is the one that agents see or the one that the worker gave.
 */
export interface ToolFilter {
  /** Absent: all. */
  readonly only?: readonly string[] | undefined
  /** Of those that `only` lets pass. */
  readonly except?: readonly string[] | undefined
}

/** What a pattern is held against. */
export interface FilteredTool {
  readonly service: string
  /** The name that agents see. */
  readonly key: string
  readonly workerKey: string
}

const patternForm = /^(?:[A-Za-z0-9_.*-]{1,64}:)?[A-Za-z0-9_./*-]{1,128}$/

/** For a sentence about a pattern that is none. */
export const patternRule = 'a pattern is a tool name or service:name, with * for any characters, like "forum:*"'

export const isPattern = (text: string): boolean => patternForm.test(text)

type Test = (tool: FilteredTool) => boolean

/** Filters in force together: a tool has to pass each. */
export class ToolFilters {
  /** The same for filters that say the same. */
  readonly key: string
  readonly #tests: readonly { readonly only: readonly Test[] | undefined; readonly except: readonly Test[] }[]
  /** Definitions never change, so that a call costs a look-up and no matching. */
  readonly #verdicts = new WeakMap<FilteredTool, boolean>()

  constructor(filters: readonly ToolFilter[]) {
    this.key = keyOf(filters)
    this.#tests = filters.map(({ only, except = [] }) => ({
      only: only?.map(patternTest),
      except: except.map(patternTest),
    }))
  }

  lets(tool: FilteredTool): boolean {
    const known = this.#verdicts.get(tool)
    if (known !== undefined) return known
    const verdict = this.#tests.every(
      ({ only, except }) => (only?.some((test) => test(tool)) ?? true) && !except.some((test) => test(tool)),
    )
    this.#verdicts.set(tool, verdict)
    return verdict
  }
}

export const keyOf = (filters: readonly ToolFilter[]): string =>
  JSON.stringify(filters.map(({ only, except }) => [only, except]))

/** Whether a tool fits a pattern. */
export function patternTest(pattern: string): Test {
  const colon = pattern.indexOf(':')
  const name = wildcard(pattern.slice(colon + 1))
  const service = colon === -1 ? () => true : wildcard(pattern.slice(0, colon))
  return (tool) => service(tool.service) && (name(tool.key) || name(tool.workerKey))
}
