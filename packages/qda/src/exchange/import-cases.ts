import { importedCodeNameLengthMax } from '../limits.js'
import type { RefiCase } from '../refi/model.js'
import { sourceNameKey } from '../text/name-key.js'
import { publicPart } from '../text/private-memo.js'
import { FreeNames } from './free-names.js'
import { type ImportContext, importedName } from './import-context.js'
import type { TextPlace } from './import-selections.js'
import type { ImportedSource } from './import-sources.js'
import type { ImportVariables } from './import-variables.js'
import { keepGuid, rowFingerprint } from './kept-guids.js'

export interface CasesImport extends ImportContext {
  readonly variables: ImportVariables
  readonly sources: ReadonlyMap<string, ImportedSource>
  readonly places: ReadonlyMap<string, TextPlace>
}

interface CaseRow {
  readonly id: number
  readonly name: string
  readonly memo: string | null
}

/** One whose name the project has already is joined with that one. */
export function* importCases(context: CasesImport, cases: readonly RefiCase[]): Generator<null, void, unknown> {
  const rows = context.writer.db.all<CaseRow>(
    "SELECT caseid AS id, coalesce(CAST(name AS TEXT), '') AS name, CAST(memo AS TEXT) AS memo FROM main.cases",
  )
  const existing = new Map(rows.map((row) => [sourceNameKey(row.name), row]))
  const names = new FreeNames(
    rows.map(({ name }) => name),
    sourceNameKey,
  )
  for (const one of cases) {
    const id = importCase(context, one, existing, names)
    linkParts(context, one, id)
    if (one.codes.length > 0)
      context.losses.add('CodeRef', one.guid, `that ${one.codes.length} codes belong to the case`)
    yield null
  }
}

function importCase(
  context: CasesImport,
  { guid, name: given, description, values }: RefiCase,
  existing: Map<string, CaseRow>,
  names: FreeNames,
): number {
  const { writer, variables, counts, losses } = context
  const rules = { otherwise: 'Unnamed case', lengthMax: importedCodeNameLengthMax, slashes: 'allowed' } as const
  const name = importedName(context, { element: 'Case', guid, name: given }, rules)
  const found = existing.get(sourceNameKey(name))
  // A second one of that name in the document is another case.
  existing.delete(sourceNameKey(name))
  if (found !== undefined) {
    counts.join('cases')
    if (description !== null && description !== publicPart(found.memo))
      losses.add('Case', guid, `its description: the one that the project has of "${name.slice(0, 100)}" stays`)
    variables.joinValues('case', found.id, guid, values)
    return found.id
  }
  const free = names.take(name)
  if (free !== name)
    losses.add('Case', guid, `its name "${name.slice(0, 100)}", which is taken: it is now "${free.slice(0, 110)}"`)
  const { date } = writer.act
  const owner = writer.coder()
  const id = writer.insert('cases', { name: free, memo: description ?? '', owner, date }) as number
  keepGuid(writer, 'case', id, rowFingerprint(owner, date), guid)
  variables.addValues('case', id, values)
  counts.create('cases')
  return id
}

function linkParts(
  { writer, users, moments, losses, sources, places }: CasesImport,
  one: RefiCase,
  caseid: number,
): void {
  for (const guid of new Set(one.sources)) {
    const source = sources.get(guid)
    if (source === undefined)
      losses.add('SourceRef', guid, `that it belongs to case "${one.name.slice(0, 100)}": there is no such source`)
    else {
      const author = { owner: writer.coder(), date: writer.act.date }
      writer.insert('case_text', { caseid, fid: source.id, pos0: 0, pos1: source.length, ...author, memo: '' })
    }
  }
  for (const guid of new Set(one.selections)) {
    const place = places.get(guid)
    if (place === undefined)
      losses.add('SelectionRef', guid, `that it belongs to case "${one.name.slice(0, 100)}": it is no part of a text`)
    else {
      const owner = users.nameOf(place.creatingUser)
      const date = moments.toLocal(place.createdAt, writer.act.date)
      const row = {
        caseid,
        fid: place.sourceId,
        pos0: place.start,
        pos1: place.end,
        owner,
        date,
        memo: place.memo ?? '',
      }
      writer.insert('case_text', row)
    }
  }
}
