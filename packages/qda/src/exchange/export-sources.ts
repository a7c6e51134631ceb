import { allMeta } from '../project/source-meta.js'
import { allSources, type SourceRow, sourceType } from '../project/sources.js'
import type {
  RefiContent,
  RefiPath,
  RefiPdfSource,
  RefiPictureSource,
  RefiRecordingSource,
  RefiSource,
  RefiText,
  RefiTextSelection,
  SourceParts,
} from '../refi/model.js'
import { publicPart } from '../text/private-memo.js'
import type { TextIndex } from '../text/text-index.js'
import type { ExportCases } from './export-cases.js'
import type { ExportMedia } from './export-media.js'
import {
  annotationSelection,
  nobody,
  pdfSelection,
  pictureSelection,
  type SelectionContext,
  textSelection,
  timeSelection,
} from './export-selections.js'
import type { ExportVariables } from './export-variables.js'
import {
  annotationsBySource,
  type BySource,
  CodingRows,
  type ExportedAnnotation,
  type ExportedCoding,
} from './exported-rows.js'
import { ExportedText } from './exported-text.js'

export interface SourcesContext extends SelectionContext {
  readonly variables: ExportVariables
  readonly cases: ExportCases
  readonly media: ExportMedia
}

export interface ExportedSources {
  readonly sources: readonly RefiSource[]
  /** Of sources by their ids. */
  readonly guids: ReadonlyMap<number, string>
  /** Of the text files of the package, by the ids of their sources. */
  readonly texts: ReadonlyMap<string, number>
  readonly codings: number
  readonly annotations: number
}

/** Texts pass by one at a time; only what lies on them is kept. */
export async function exportSources(context: SourcesContext): Promise<ExportedSources> {
  const exporter = new SourceExporter(context, await rowsOf(context))
  const rows = [...allSources(context.project.db)].sort((one, other) => one.id - other.id)
  const sources: RefiSource[] = []
  for (const row of rows) {
    sources.push(exporter.source(row))
    await context.slices.pause()
  }
  exporter.countOrphans()
  return { sources, ...exporter.result }
}

interface Rows {
  readonly text: CodingRows
  readonly image: CodingRows
  readonly av: CodingRows
  readonly annotations: BySource<ExportedAnnotation>
}

async function rowsOf(context: SourcesContext): Promise<Rows> {
  return {
    text: await CodingRows.of(context, 'text'),
    image: await CodingRows.of(context, 'image'),
    av: await CodingRows.of(context, 'av'),
    annotations: await annotationsBySource(context),
  }
}

class SourceExporter {
  readonly #context: SourcesContext
  readonly #rows: Rows
  readonly #meta: ReturnType<typeof allMeta>
  readonly #guids = new Map<number, string>()
  readonly #texts = new Map<string, number>()
  #codings = 0
  #annotations = 0

  constructor(context: SourcesContext, rows: Rows) {
    this.#context = context
    this.#rows = rows
    this.#meta = allMeta(context.project.db)
  }

  get result(): Omit<ExportedSources, 'sources'> {
    return { guids: this.#guids, texts: this.#texts, codings: this.#codings, annotations: this.#annotations }
  }

  source(row: SourceRow): RefiSource {
    const { guids, media, project } = this.#context
    const guid = guids.of('source', row.id, this.#meta(row).guid)
    this.#guids.set(row.id, guid)
    const parts = this.#parts(row, guid)
    const type = sourceType(row.mediapath)
    const path = media.pathOf(row, guid)
    const index = project.texts.get(row.id)!
    if (type === 'text') return { kind: 'text', ...this.#text(row, guid, index, parts), richTextPath: path }
    const places = { path, currentPath: null }
    if (type === 'pdf') return this.#pdf(row, { ...parts, ...places }, index)
    if (type === 'image') return this.#picture(row, { ...parts, ...places }, index)
    return this.#recording(row, { kind: type, ...parts, ...places }, index)
  }

  /** What lies on sources that are gone. */
  countOrphans(): void {
    const { text, image, av, annotations } = this.#rows
    const left = [...text.left, ...image.left, ...av.left].map(([id, count]) => ({ id, what: `${count} codings` }))
    for (const [id, { length }] of annotations) left.push({ id, what: `${length} annotations` })
    for (const { id, what } of left)
      this.#context.losses.add('Source', null, `${what} of source ${id}, which is gone or of another kind`)
  }

  #parts({ id, name, memo, owner, date }: SourceRow, guid: string): SourceParts {
    const { users, moments, variables } = this.#context
    return {
      ...{ guid, name: name || 'Unnamed', description: publicPart(memo), codings: [], noteRefs: [] },
      ...{ ...nobody, creatingUser: users.guidOf(owner), createdAt: moments.ofLocal(date) },
      values: variables.of('file', id),
    }
  }

  #text({ id }: SourceRow, guid: string, index: TextIndex, parts: SourceParts): RefiText {
    const text = new ExportedText(index)
    if (text.replaced > 0)
      this.#context.losses.add('TextSource', guid, `${text.replaced} characters of its text that no file holds`)
    this.#texts.set(`${guid}.txt`, id)
    const selections = this.#textSelections(id, index, text)
    selections.push(...this.#context.cases.partsOf(id, parts.guid, text))
    // What is at the same place stays in the order of its rows.
    selections.sort((one, other) => one.start - other.start || one.end - other.end)
    return { ...parts, guid, content: fileOf(guid), richTextPath: null, selections }
  }

  #textSelections(id: number, index: TextIndex, text: ExportedText): RefiTextSelection[] {
    const codings = this.#rows.text
      .take(id)
      .flatMap((coding) => textSelection(this.#context, coding, index, text) ?? [])
    const notes = taken(this.#rows.annotations, id).flatMap(
      (note) => annotationSelection(this.#context, note, text) ?? [],
    )
    this.#codings += codings.length
    this.#annotations += notes.length
    return [...codings, ...notes]
  }

  #pdf(row: SourceRow, source: SourceParts & Paths, index: TextIndex): RefiPdfSource {
    const selections = this.#coded(this.#rows.image, row.id, (coding) => pdfSelection(this.#context, coding))
    return {
      kind: 'pdf',
      ...source,
      selections,
      representation: this.#inner(row, source.guid, 'representation', index),
    }
  }

  #picture(row: SourceRow, source: SourceParts & Paths, index: TextIndex): RefiPictureSource {
    const selections = this.#coded(this.#rows.image, row.id, (coding) => pictureSelection(this.#context, coding))
    const textDescription = index.length === 0 ? null : this.#inner(row, source.guid, 'description', index)
    if (textDescription === null) this.#context.cases.partsOf(row.id, source.guid, null)
    return { kind: 'picture', ...source, selections, textDescription }
  }

  #recording(
    row: SourceRow,
    source: Pick<RefiRecordingSource, 'kind'> & SourceParts & Paths,
    index: TextIndex,
  ): RefiRecordingSource {
    const selections = this.#coded(this.#rows.av, row.id, (coding) => timeSelection(this.#context, coding))
    this.#context.cases.partsOf(row.id, source.guid, null)
    if (index.length > 0)
      this.#context.losses.add('Source', source.guid, 'its text, which is not in a transcript of its own')
    return { ...source, transcripts: [], selections }
  }

  /** The text of a source that is not a text itself. */
  #inner(row: SourceRow, outer: string, what: string, index: TextIndex): RefiText {
    const guid = this.#context.guids.part(outer, what)
    const plain = { guid: outer, name: null, description: null, codings: [], noteRefs: [], values: [], ...nobody }
    return this.#text(row, guid, index, plain)
  }

  #coded<Selection>(
    rows: CodingRows,
    id: number,
    selectionOf: (coding: ExportedCoding) => Selection | undefined,
  ): readonly Selection[] {
    const selections = rows.take(id).flatMap((coding) => selectionOf(coding) ?? [])
    this.#codings += selections.length
    return selections
  }
}

type Paths = { readonly path: RefiPath | null; readonly currentPath: RefiPath | null }

const fileOf = (guid: string): RefiContent => ({ kind: 'file', path: { kind: 'internal', path: `${guid}.txt` } })

/** Rows that have been used free their memory; what is left in the end belongs to nothing. */
function taken<Row>(rows: BySource<Row>, id: number): readonly Row[] {
  const own = rows.get(id) ?? []
  rows.delete(id)
  return own
}
