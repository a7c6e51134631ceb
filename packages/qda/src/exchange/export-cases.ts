import type { RefiCase, RefiTextSelection } from '../refi/model.js'
import { publicPart } from '../text/private-memo.js'
import type { ExportContext } from './export-context.js'
import { nobody, numberIn, rangeIn } from './export-selections.js'
import type { ExportVariables } from './export-variables.js'
import { type BySource, casePartsBySource, type ExportedCasePart } from './exported-rows.js'
import type { ExportedText } from './exported-text.js'
import { rowFingerprint } from './kept-guids.js'

interface CaseRow {
  readonly id: number
  readonly name: string
  readonly memo: string | null
  readonly owner: string | null
  readonly date: string | null
}

/** Cases, with the sources and the parts of texts that belong to them. */
export class ExportCases {
  readonly #context: ExportContext
  readonly #cases: readonly (CaseRow & { readonly guid: string })[]
  readonly #guids: ReadonlyMap<number, string>
  readonly #parts: BySource<ExportedCasePart>
  readonly #sources = new Map<number, Set<string>>()
  readonly #selections = new Map<number, string[]>()

  static async of(context: ExportContext): Promise<ExportCases> {
    return new ExportCases(context, await casePartsBySource(context))
  }

  private constructor(context: ExportContext, parts: BySource<ExportedCasePart>) {
    const { project, guids } = context
    this.#context = context
    this.#parts = parts
    const rows = project.db.all<CaseRow>(
      `SELECT caseid AS id, coalesce(CAST(name AS TEXT), '') AS name, CAST(memo AS TEXT) AS memo, owner, date
       FROM main.cases ORDER BY caseid`,
    )
    this.#cases = rows.map((row) => ({
      ...row,
      guid: guids.of('case', row.id, guids.kept.ofRow('case', row.id, rowFingerprint(row.owner, row.date))),
    }))
    this.#guids = new Map(this.#cases.map(({ id, guid }) => [id, guid]))
  }

  /** Whether anything of a source belongs to a case. */
  has(sourceId: number): boolean {
    return this.#parts.has(sourceId)
  }

  /** What of a source belongs to cases: whole sources are noted, parts become selections. `text` is null for media. */
  partsOf(sourceId: number, sourceGuid: string, text: ExportedText | null): readonly RefiTextSelection[] {
    const parts = this.#parts.get(sourceId) ?? []
    return parts.flatMap((part) => {
      const guid = this.#guids.get(part.caseid)
      return guid === undefined ? [] : (this.#part(part, guid, sourceGuid, text) ?? [])
    })
  }

  all(variables: ExportVariables): readonly RefiCase[] {
    return this.#cases.map(({ id, guid, name, memo }) => ({
      ...{ guid, name: name || 'Unnamed', description: publicPart(memo), codes: [], values: variables.of('case', id) },
      sources: [...(this.#sources.get(id) ?? [])],
      selections: this.#selections.get(id) ?? [],
    }))
  }

  #part(
    part: ExportedCasePart,
    caseGuid: string,
    sourceGuid: string,
    text: ExportedText | null,
  ): RefiTextSelection | undefined {
    const { guids, users, moments, losses } = this.#context
    const place = text === null ? undefined : rangeIn(text, part)
    const isWhole = text === null || !numberIn(part.pos1) || (place?.start === 0 && place.end === text.length)
    const description = publicPart(part.memo)
    if (isWhole) {
      if (description !== null) losses.add('SourceRef', caseGuid, 'the memo of a source in a case')
      addTo(this.#sources, part.caseid, sourceGuid)
      return undefined
    }
    if (place === undefined) {
      losses.add('SelectionRef', caseGuid, 'a part of a text, whose place is not in the text')
      return undefined
    }
    const guid = guids.part(caseGuid, `part of ${sourceGuid}`, `${place.start}-${place.end}`)
    const selections = this.#selections.get(part.caseid) ?? []
    if (selections.includes(guid)) return undefined
    this.#selections.set(part.caseid, [...selections, guid])
    const author = { ...nobody, creatingUser: users.guidOf(part.owner), createdAt: moments.ofLocal(part.date) }
    return { guid, name: null, description, codings: [], noteRefs: [], ...author, ...place }
  }
}

function addTo(sets: Map<number, Set<string>>, id: number, guid: string): void {
  const set = sets.get(id)
  if (set === undefined) sets.set(id, new Set([guid]))
  else set.add(guid)
}
