import { type Scenario, scenarios } from './scenarios.js'
import { allSubjects } from './subjects/all-subjects.js'
import type { Subject } from './subjects/subject.js'

const otherParts = ['start', 'idle'] as const
export type OtherPart = (typeof otherParts)[number]

/** All that can be asked for by `--only`. */
export const partNames: readonly string[] = [
  ...scenarios.map(({ name }) => name),
  ...otherParts,
  ...allSubjects.map(({ name }) => name),
]

export interface Selection {
  readonly scenarios: readonly Scenario[]
  readonly subjects: readonly Subject[]
  readonly others: readonly OtherPart[]
}

/** Names of one kind leave the other kinds whole, but nothing asked for means everything. */
export function select(only: readonly string[]): Selection {
  const named = <Item extends { readonly name: string }>(items: readonly Item[]) =>
    items.filter(({ name }) => only.includes(name))
  const chosen = named(scenarios)
  const subjects = named(allSubjects)
  const others = otherParts.filter((name) => only.length === 0 || only.includes(name))
  const needsScenarios = only.length === 0 || chosen.length > 0 || subjects.length > 0
  const wanted = chosen.length > 0 ? chosen : needsScenarios ? scenarios : []
  const entrants = (subjects.length > 0 ? subjects : allSubjects).filter((subject) =>
    wanted.some((scenario) => takesPart(subject, scenario)),
  )
  return { scenarios: wanted, subjects: entrants, others }
}

export function takesPart({ way }: Subject, scenario: Scenario): boolean {
  return way === 'both' || way === scenario.way
}
