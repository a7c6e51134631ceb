import { randomUUID } from 'node:crypto'
import { LossList } from './loss-list.js'
import type { RefiCase, RefiProject, RefiSource, RefiVariableValue } from './model.js'
import { ElementReader } from './read-elements.js'
import { readXml } from './read-xml.js'
import { projectShape, type ReadCase, type ReadProject } from './shapes-project.js'

export interface ReadQde {
  readonly project: RefiProject
  readonly losses: LossList
}

/**
 * Reads a project's document. Throws `IMPORT_FAILED/INVALID_FILE`, `/REFUSED` or `/TOO_LARGE`. `documentUid`, a GUID, is what GUIDs
 * are made from where the document has none.
 */
export async function readQde(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  documentUid: string = randomUUID(),
): Promise<ReadQde> {
  const losses = new LossList()
  const reader = new ElementReader(projectShape, losses, documentUid)
  await readXml(chunks, reader, 'project.qde')
  return { project: withSettledCases(reader.value!, losses), losses }
}

/** Some programs write the variables of a source as a case without a name. */
function withSettledCases(read: ReadProject, losses: LossList): RefiProject {
  const known = new Set(read.sources.map(({ guid }) => guid))
  const valuesOfSources = new Map<string, RefiVariableValue[]>()
  const cases: RefiCase[] = []
  for (const one of read.cases) {
    if (one.name !== null) cases.push({ ...one, name: one.name })
    else if (holdsVariablesOf(one, known)) addToSources(one, valuesOfSources)
    else cases.push({ ...one, name: nameFor(one, cases.length + 1, losses) })
  }
  return { ...read, cases, sources: read.sources.map((source) => withValues(source, valuesOfSources.get(source.guid))) }
}

function holdsVariablesOf(one: ReadCase, sources: ReadonlySet<string>): boolean {
  const nothingElse = one.codes.length === 0 && one.selections.length === 0 && one.description === null
  return nothingElse && one.sources.length > 0 && one.sources.every((source) => sources.has(source))
}

function addToSources(one: ReadCase, valuesOfSources: Map<string, RefiVariableValue[]>): void {
  for (const source of one.sources) valuesOfSources.set(source, [...(valuesOfSources.get(source) ?? []), ...one.values])
}

function nameFor(one: ReadCase, number: number, losses: LossList): string {
  const name = `Unnamed case ${number}`
  losses.add('Case', one.guid, `its name, which is missing: it is now "${name}"`)
  return name
}

function withValues(source: RefiSource, values: readonly RefiVariableValue[] | undefined): RefiSource {
  return values === undefined ? source : { ...source, values: [...source.values, ...values] }
}
