import { selectionNameLength } from '../limits.js'
import type { CodingKind } from '../project/coding-meta.js'
import type { SqlValue } from '../project/project-database.js'
import type {
  RefiPdfSelection,
  RefiPictureSelection,
  RefiSelection,
  RefiTextSelection,
  RefiTimeSelection,
} from '../refi/model.js'
import { placeCoding } from '../text/place-coding.js'
import { publicPart } from '../text/private-memo.js'
import type { TextIndex } from '../text/text-index.js'
import type { ExportContext } from './export-context.js'
import type { ExportedAnnotation, ExportedCoding } from './exported-rows.js'
import type { ExportedText } from './exported-text.js'
import { rowFingerprint } from './kept-guids.js'

export interface SelectionContext extends ExportContext {
  readonly codes: ReadonlyMap<number, string>
}

/** A coding leaves as a selection of its own, so that its memo stays its own, too. Undefined: it can't leave, and that is a loss. */
export function textSelection(
  context: SelectionContext,
  coding: ExportedCoding,
  index: TextIndex,
  text: ExportedText,
): RefiTextSelection | undefined {
  const place = placeCoding({
    index,
    pos0: numberIn(coding.pos0),
    pos1: numberIn(coding.pos1),
    seltext: coding.seltext,
  })
  const selection = codedSelection(context, 'text', coding)
  if (selection === undefined) return undefined
  const start = text.position(place.start)
  const end = text.position(place.end)
  if (start >= end) return lost(context, selection, 'all of it, for its place is not in the text')
  if (place.verified === 'broken')
    context.losses.add('Coding', selection.codings[0]!.guid, 'its place, for another text stands there now')
  const quote = ownQuote(index.slice(place.start, place.end), coding.seltext)
  return { ...selection, name: quote, start, end }
}

export function annotationSelection(
  context: ExportContext,
  annotation: ExportedAnnotation,
  text: ExportedText,
): RefiTextSelection | undefined {
  const { guids, users, moments, losses } = context
  const { id, memo, owner, date } = annotation
  const description = publicPart(memo)
  if (description === null) return undefined
  const guid = guids.of('annotation', id, guids.kept.ofRow('annotation', id, rowFingerprint(owner, date)))
  const place = rangeIn(text, annotation)
  if (place === undefined) {
    losses.add('PlainTextSelection', guid, 'all of it, an annotation whose place is not in the text')
    return undefined
  }
  const author = { ...nobody, creatingUser: users.guidOf(owner), createdAt: moments.ofLocal(date) }
  return { guid, name: null, description, codings: [], noteRefs: [], ...author, ...place }
}

export function pictureSelection(context: SelectionContext, coding: ExportedCoding): RefiPictureSelection | undefined {
  const selection = codedSelection(context, 'image', coding)
  const corners = cornersOf(coding)
  if (selection === undefined || corners !== undefined) return selection && { ...selection, ...corners! }
  return lost(context, selection, 'all of it, for its place is no area')
}

export function pdfSelection(context: SelectionContext, coding: ExportedCoding): RefiPdfSelection | undefined {
  const selection = pictureSelection(context, coding)
  if (selection === undefined) return undefined
  const what =
    'that its area counts from the upper edge of the page, as QualCoder has it: others count from the lower one'
  context.losses.add('PDFSelection', selection.guid, what)
  return { ...selection, page: Math.round(numberIn(coding.page) ?? 0), representation: null }
}

export function timeSelection(context: SelectionContext, coding: ExportedCoding): RefiTimeSelection | undefined {
  const selection = codedSelection(context, 'av', coding)
  if (selection === undefined) return undefined
  const begin = numberIn(coding.pos0)
  const end = numberIn(coding.pos1)
  if (begin === null || end === null) return lost(context, selection, 'all of it, for it has no times')
  return { ...selection, begin: Math.round(begin), end: Math.round(end) }
}

/** The part of a text that belongs to a case; undefined: it is not in the text. */
export function rangeIn(
  text: ExportedText,
  { pos0, pos1 }: Pick<ExportedAnnotation, 'pos0' | 'pos1'>,
): { readonly start: number; readonly end: number } | undefined {
  const start = text.position(Math.max(0, Math.trunc(numberIn(pos0) ?? 0)))
  const end = Math.min(text.length, text.position(Math.trunc(numberIn(pos1) ?? 0)))
  return start < end ? { start, end } : undefined
}

export const nobody = { creatingUser: null, createdAt: null, modifyingUser: null, modifiedAt: null } as const

function codedSelection(
  context: SelectionContext,
  kind: CodingKind,
  coding: ExportedCoding,
): RefiSelection | undefined {
  const { guids, users, moments, losses, codes } = context
  const guid = guids.of(`${kind} coding`, coding.id, guids.kept.ofCoding(kind, coding))
  const code = codes.get(coding.cid as number)
  if (code === undefined) {
    losses.add('Coding', guid, 'all of it, for its code is gone')
    return undefined
  }
  const author = { creatingUser: users.guidOf(coding.owner), createdAt: moments.ofLocal(coding.date) }
  return {
    guid: guids.part(guid, 'selection'),
    name: null,
    description: publicPart(coding.memo),
    codings: [{ guid, code, ...author, noteRefs: [] }],
    noteRefs: [],
    ...nobody,
    ...author,
  }
}

function lost(context: ExportContext, { codings }: RefiSelection, what: string): undefined {
  context.losses.add('Coding', codings[0]!.guid, what)
}

function cornersOf({ x1, y1, width, height }: ExportedCoding) {
  const [x, y, wide, high] = [x1, y1, width, height].map(numberIn)
  if (x == null || y == null || wide == null || high == null) return undefined
  return {
    firstX: Math.round(x),
    firstY: Math.round(y),
    secondX: Math.round(x + wide),
    secondY: Math.round(y + high),
  }
}

/** Other programs leave anything in any column. */
export function numberIn(value: SqlValue | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e15 ? value : null
}

/** With line ends as the text has them outside. A slice would keep the whole of its text in memory. */
function ownQuote(slice: string, seltext: string | null): string {
  // Twice as much holds enough, whatever its line ends.
  const begin = slice.slice(0, 2 * selectionNameLength + 2)
  const quote = shortened(begin.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'))
  return quote === seltext ? seltext : Buffer.from(quote).toString()
}

/** Never between the halves of a character. */
function shortened(quote: string): string {
  if (quote.length <= selectionNameLength) return quote
  return `${quote.slice(0, selectionNameLength).replace(/[\ud800-\udbff]$/, '')}…`
}
