import type { RecordedTable } from '../changes/recorded-tables.js'
import { type CodingKind, codingFingerprint, dropCodingMeta } from '../project/coding-meta.js'
import type { Row } from '../project/project-database.js'
import type {
  RefiCoding,
  RefiPictureSelection,
  RefiSelection,
  RefiTextSelection,
  RefiTimeSelection,
} from '../refi/model.js'
import { remapPositions } from '../refi/remap-positions.js'
import { TextIndex } from '../text/text-index.js'
import type { ImportContext } from './import-context.js'
import { keepGuid, rowFingerprint } from './kept-guids.js'

export interface SelectionsContext extends ImportContext {
  readonly codes: ReadonlyMap<string, number>
  readonly notes: NoteNames
  /** Selections that cases refer to. */
  readonly ofCases: ReadonlySet<string>
  /** The same, once their sources are there. */
  readonly places: Map<string, TextPlace>
}

/** Of notes by their GUIDs, the journals that they became. */
export type NoteNames = ReadonlyMap<string, string>

export interface TextPlace {
  readonly sourceId: number
  readonly start: number
  readonly end: number
  readonly memo: string | null
  readonly creatingUser: string | null
  readonly createdAt: string | null
}

export interface TextToImport {
  readonly text: string
  readonly lineEnds: 'as written' | 'parsed'
  readonly origin: string | null
  readonly selections: readonly RefiTextSelection[]
}

/** The text as it is stored, and where its selections are in it. */
export type PlacedText = ReturnType<typeof remapPositions<RefiTextSelection>>

export const placedText = ({ text, lineEnds, origin, selections }: TextToImport): PlacedText =>
  remapPositions({ text, lineEnds, origin, selections })

/** Pauses between selections, of which a source may have thousands. */
export function* importTextSelections(
  context: SelectionsContext,
  sourceId: number,
  placed: PlacedText,
  ofWhole: readonly RefiCoding[],
): Generator<null, void, unknown> {
  const importer = new TextSelections(context, sourceId, placed)
  for (const each of placed.selections) {
    if (each.kind === 'outside') {
      const { guid, start, end } = each.selection
      const what = `all of it, for ${start} to ${end} is not in the text, which has ${placed.length} characters`
      context.losses.add('PlainTextSelection', guid, what)
    } else importer.add(each.selection, each.start, each.end)
    yield null
  }
  if (placed.length > 0) for (const coding of ofWhole) importer.code(coding, null, 0, placed.length)
  else lostCodings(context, ofWhole, 'for its source has no text')
  importer.storeAnnotations()
}

class TextSelections {
  readonly #context: SelectionsContext
  readonly #sourceId: number
  readonly #index: TextIndex
  readonly #coded = new Set<string>()
  readonly #annotations = new Map<string, Row & { readonly memo: string; readonly guid: string }>()

  constructor(context: SelectionsContext, sourceId: number, { text }: PlacedText) {
    this.#context = context
    this.#sourceId = sourceId
    this.#index = new TextIndex(text)
  }

  add(selection: RefiTextSelection, start: number, end: number): void {
    const { guid, description, codings, noteRefs, creatingUser, createdAt } = selection
    const { ofCases, places, losses } = this.#context
    const isOfCase = ofCases.has(guid)
    if (isOfCase)
      places.set(guid, {
        ...{ sourceId: this.#sourceId, start, end, creatingUser, createdAt },
        memo: codings.length === 0 ? description : null,
      })
    lostNotes(this.#context, 'PlainTextSelection', guid, noteRefs)
    for (const coding of codings) this.code(coding, selection, start, end)
    if (codings.length > 0 || isOfCase) return
    if (description === null)
      losses.add('PlainTextSelection', guid, 'all of it, for it has neither a coding nor a description')
    else this.#annotate(selection, start, end, description)
  }

  code(coding: RefiCoding, selection: RefiSelection | null, pos0: number, pos1: number): void {
    const cid = codeOf(this.#context, coding)
    if (cid === undefined) return
    const { owner, date } = authorOf(this.#context, coding, selection)
    const key = JSON.stringify([cid, pos0, pos1, owner])
    if (this.#coded.has(key)) {
      this.#context.losses.add(
        'Coding',
        coding.guid,
        'all of it, for this coder has coded the place with this code already',
      )
      return
    }
    this.#coded.add(key)
    const place = { cid, fid: this.#sourceId, pos0, pos1, owner }
    const seltext = this.#index.slice(pos0, pos1)
    const row = { ...place, seltext, date, memo: selection?.description ?? '', important: null }
    storeCoding(this.#context, 'text', 'code_text', row, { ...place, guid: coding.guid })
  }

  /** Two of one author at one place are one. */
  #annotate({ guid, ...selection }: RefiTextSelection, pos0: number, pos1: number, memo: string): void {
    const { users, moments, writer } = this.#context
    const owner = users.nameOf(selection.creatingUser)
    const key = JSON.stringify([pos0, pos1, owner])
    const earlier = this.#annotations.get(key)
    const date = moments.toLocal(selection.createdAt, writer.act.date)
    const row = earlier ?? { fid: this.#sourceId, pos0, pos1, owner, date, guid, memo }
    this.#annotations.set(key, earlier === undefined ? row : { ...row, memo: `${row.memo}\n${memo}` })
  }

  storeAnnotations(): void {
    const { writer, counts } = this.#context
    for (const { guid, ...row } of this.#annotations.values()) {
      const id = writer.insert('annotation', row) as number
      keepGuid(writer, 'annotation', id, rowFingerprint(row['owner'], row['date']), guid)
      counts.create('annotations')
    }
  }
}

export function importPictureSelection(
  context: SelectionsContext,
  sourceId: number,
  selection: RefiPictureSelection & { readonly page?: number },
  element: 'PictureSelection' | 'PDFSelection',
): void {
  lostRemark(context, element, selection)
  for (const coding of selection.codings) {
    const cid = codeOf(context, coding)
    if (cid === undefined) continue
    const { owner, date } = authorOf(context, coding, selection)
    const [x1, y1] = [Math.min(selection.firstX, selection.secondX), Math.min(selection.firstY, selection.secondY)]
    const width = Math.abs(selection.secondX - selection.firstX)
    const height = Math.abs(selection.secondY - selection.firstY)
    const page = element === 'PDFSelection' ? { pdf_page: selection.page ?? 0 } : {}
    const row = { id: sourceId, cid, x1, y1, width, height, ...page, memo: selection.description ?? '' }
    const place = { cid, fid: sourceId, pos0: `${x1} ${y1}`, pos1: `${width} ${height}`, owner }
    storeCoding(
      context,
      'image',
      'code_image',
      { ...row, date, owner, important: null },
      { ...place, guid: coding.guid },
    )
  }
}

export function importTimeSelection(
  context: SelectionsContext,
  sourceId: number,
  selection: Pick<RefiTimeSelection, 'begin' | 'end'> & RefiSelection,
): void {
  lostRemark(context, 'TimeSelection', selection)
  for (const coding of selection.codings) {
    const cid = codeOf(context, coding)
    if (cid === undefined) continue
    const { owner, date } = authorOf(context, coding, selection)
    const { begin: pos0, end: pos1 } = selection
    const row = { id: sourceId, cid, pos0, pos1, memo: selection.description ?? '', date, owner, important: null }
    const place = { cid, fid: sourceId, pos0, pos1, owner }
    storeCoding(context, 'av', 'code_av', row, { ...place, guid: coding.guid })
  }
}

export function lostCodings({ losses }: ImportContext, codings: readonly RefiCoding[], why: string): void {
  for (const { guid } of codings) losses.add('Coding', guid, `all of it, ${why}`)
}

/** A journal does not say what it is about. */
export function lostNotes(
  { losses, notes }: Pick<SelectionsContext, 'losses' | 'notes'>,
  element: string,
  guid: string | null,
  noteRefs: readonly string[],
): void {
  for (const note of noteRefs) {
    const name = notes.get(note)
    losses.add(
      element,
      guid,
      name === undefined ? 'its note, which is not there' : `that the journal "${name.slice(0, 100)}" is its note`,
    )
  }
}

function storeCoding(
  { writer, counts }: ImportContext,
  kind: CodingKind,
  table: RecordedTable,
  row: Row,
  { guid, ...place }: Parameters<typeof codingFingerprint>[0] & { readonly guid: string },
): void {
  const id = writer.insert(table, row) as number
  dropCodingMeta(writer, kind, id)
  writer.insert('coding_meta', { kind, row_id: id, fp: codingFingerprint(place), importance: 0, guid })
  counts.create('codings')
}

function codeOf(context: SelectionsContext, { guid, code, noteRefs }: RefiCoding): number | undefined {
  lostNotes(context, 'Coding', guid, noteRefs)
  const id = context.codes.get(code)
  if (id === undefined) context.losses.add('Coding', guid, 'all of it, for there is no such code')
  return id
}

function authorOf({ users, moments, writer }: ImportContext, coding: RefiCoding, selection: RefiSelection | null) {
  return {
    owner: users.nameOf(coding.creatingUser ?? selection?.creatingUser ?? null),
    date: moments.toLocal(coding.createdAt ?? selection?.createdAt ?? null, writer.act.date),
  }
}

function lostRemark(context: SelectionsContext, element: string, { guid, codings, noteRefs }: RefiSelection): void {
  lostNotes(context, element, guid, noteRefs)
  if (codings.length === 0) context.losses.add(element, guid, 'all of it: QualCoder has remarks on texts only')
}
