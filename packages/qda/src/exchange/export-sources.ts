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
  annotationRows,
  codingRows,
  type ExportedAnnotation,
  type ExportedCoding,
  type SourceRows,
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
  /** Complete once all selections have been asked for. */
  counts(): { readonly codings: number; readonly annotations: number }
}

/** What lies on a text is made when it is asked for, and not kept: together it would fill the memory. */
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
  readonly text: SourceRows<ExportedCoding>
  readonly image: SourceRows<ExportedCoding>
  readonly av: SourceRows<ExportedCoding>
  readonly annotations: SourceRows<ExportedAnnotation>
}

async function rowsOf(context: SourcesContext): Promise<Rows> {
  return {
    text: await codingRows(context, 'text'),
    image: await codingRows(context, 'image'),
    av: await codingRows(context, 'av'),
    annotations: await annotationRows(context),
  }
}

class SourceExporter {
  readonly #context: SourcesContext
  readonly #rows: Rows
  readonly #meta: ReturnType<typeof allMeta>
  readonly #guids = new Map<number, string>()
  readonly #texts = new Map<string, number>()
  readonly #withAreas = new Set<number>()
  readonly #withTimes = new Set<number>()
  #codings = 0
  #annotations = 0

  constructor(context: SourcesContext, rows: Rows) {
    this.#context = context
    this.#rows = rows
    this.#meta = allMeta(context.project.db)
  }

  get result(): Omit<ExportedSources, 'sources'> {
    return {
      ...{ guids: this.#guids, texts: this.#texts },
      counts: () => ({ codings: this.#codings, annotations: this.#annotations }),
    }
  }

  source(row: SourceRow): RefiSource {
    const { guids, media, project } = this.#context
    const guid = guids.of('source', row.id, this.#meta(row).guid)
    this.#guids.set(row.id, guid)
    const parts = this.#parts(row, guid)
    const type = sourceType(row.mediapath)
    const path = media.pathOf(row, guid)
    if (type === 'text') return this.#text(row, guid, parts, { kind: 'text' as const, richTextPath: path })
    const places = { path, currentPath: null }
    if (type === 'pdf') return this.#pdf(row, { ...parts, ...places })
    const hasText = (project.texts.get(row.id)?.length ?? 0) > 0
    if (type === 'image') return this.#picture(row, { ...parts, ...places }, hasText)
    return this.#recording(row, { kind: type, ...parts, ...places }, hasText)
  }

  /** What lies on sources that are gone, or have no place for it. */
  countOrphans(): void {
    const { text, image, av, annotations } = this.#rows
    const texts = new Set(this.#texts.values())
    for (const [rows, sources, what] of [
      [text, texts, 'codings of text'],
      [annotations, texts, 'annotations'],
      [image, this.#withAreas, 'codings of areas'],
      [av, this.#withTimes, 'codings of times'],
    ] as const)
      for (const [id, count] of rows.counts)
        if (!sources.has(id))
          this.#context.losses.add('Source', null, `${count} ${what} of source ${id}, which is gone or of another kind`)
  }

  #parts({ id, name, memo, owner, date }: SourceRow, guid: string): SourceParts {
    const { users, moments, variables } = this.#context
    return {
      ...{ guid, name: name || 'Unnamed', description: publicPart(memo), codings: [], noteRefs: [] },
      ...{ ...nobody, creatingUser: users.guidOf(owner), createdAt: moments.ofLocal(date) },
      values: variables.of('file', id),
    }
  }

  #text<More extends object>({ id }: SourceRow, guid: string, parts: SourceParts, more: More): RefiText & More {
    const { cases, project } = this.#context
    this.#texts.set(`${guid}.txt`, id)
    const ofCases = cases.has(id) ? cases.partsOf(id, parts.guid, new ExportedText(project.texts.get(id)!)) : []
    const selections = (): readonly RefiTextSelection[] => this.#selections(id, guid, ofCases)
    return {
      ...{ ...parts, guid, content: fileOf(guid), richTextPath: null, ...more },
      get selections() {
        return selections()
      },
    }
  }

  #selections(id: number, guid: string, ofCases: readonly RefiTextSelection[]): readonly RefiTextSelection[] {
    const context = this.#context
    context.requireUnchanged()
    const index = context.project.texts.get(id)!
    const text = new ExportedText(index)
    if (text.replaced > 0)
      context.losses.add('TextSource', guid, `${text.replaced} characters of its text that no file holds`)
    const codings = this.#rows.text.of(id).flatMap((coding) => textSelection(context, coding, index, text) ?? [])
    const notes = this.#rows.annotations.of(id).flatMap((note) => annotationSelection(context, note, text) ?? [])
    this.#codings += codings.length
    this.#annotations += notes.length
    // What is at the same place stays in the order of its rows.
    return [...codings, ...notes, ...ofCases].sort((one, other) => one.start - other.start || one.end - other.end)
  }

  #pdf(row: SourceRow, source: SourceParts & Paths): RefiPdfSource {
    this.#withAreas.add(row.id)
    const selections = this.#coded(this.#rows.image, row.id, (coding) => pdfSelection(this.#context, coding))
    return { kind: 'pdf', ...source, selections, representation: this.#inner(row, source.guid, 'representation') }
  }

  #picture(row: SourceRow, source: SourceParts & Paths, hasText: boolean): RefiPictureSource {
    this.#withAreas.add(row.id)
    const selections = this.#coded(this.#rows.image, row.id, (coding) => pictureSelection(this.#context, coding))
    const textDescription = hasText ? this.#inner(row, source.guid, 'description') : null
    if (!hasText) this.#context.cases.partsOf(row.id, source.guid, null)
    return { kind: 'picture', ...source, selections, textDescription }
  }

  #recording(
    row: SourceRow,
    source: Pick<RefiRecordingSource, 'kind'> & SourceParts & Paths,
    hasText: boolean,
  ): RefiRecordingSource {
    this.#withTimes.add(row.id)
    const selections = this.#coded(this.#rows.av, row.id, (coding) => timeSelection(this.#context, coding))
    this.#context.cases.partsOf(row.id, source.guid, null)
    if (hasText) this.#context.losses.add('Source', source.guid, 'its text, which is not in a transcript of its own')
    return { ...source, transcripts: [], selections }
  }

  /** The text of a source that is not a text itself. */
  #inner(row: SourceRow, outer: string, what: string): RefiText {
    const guid = this.#context.guids.part(outer, what)
    const plain = { guid: outer, name: null, description: null, codings: [], noteRefs: [], values: [], ...nobody }
    return this.#text(row, guid, plain, {})
  }

  #coded<Selection>(
    rows: SourceRows<ExportedCoding>,
    id: number,
    selectionOf: (coding: ExportedCoding) => Selection | undefined,
  ): readonly Selection[] {
    const selections = rows.of(id).flatMap((coding) => selectionOf(coding) ?? [])
    this.#codings += selections.length
    return selections
  }
}

type Paths = { readonly path: RefiPath | null; readonly currentPath: RefiPath | null }

const fileOf = (guid: string): RefiContent => ({ kind: 'file', path: { kind: 'internal', path: `${guid}.txt` } })
