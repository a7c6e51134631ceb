import { sourceNameLengthMax } from '../limits.js'
import { setMeta } from '../project/source-meta.js'
import { allSources } from '../project/sources.js'
import type {
  RefiContent,
  RefiPath,
  RefiPdfSource,
  RefiPictureSource,
  RefiProject,
  RefiRecordingSource,
  RefiSource,
  RefiText,
  RefiTranscript,
  SourceParts,
} from '../refi/model.js'
import type { PackageText } from '../refi/read-package.js'
import { sourceNameKey } from '../text/name-key.js'
import { FreeNames } from './free-names.js'
import { importedName } from './import-context.js'
import {
  importPictureSelection,
  importTextSelections,
  importTimeSelection,
  lostCodings,
  lostNotes,
  type PlacedText,
  placedText,
  type SelectionsContext,
} from './import-selections.js'
import { importTranscriptSelections, transcriptPlaces } from './import-transcripts.js'
import type { ImportVariables } from './import-variables.js'
import { type MediaPlan, pathOf, placeOf } from './media-plan.js'

/** What an import asks for while it goes on: the text of a file, or nothing but a moment for others. */
export type ImportStep = RefiPath | null
export type ImportWork<Result> = Generator<ImportStep, Result, PackageText | undefined>

export interface SourcesImport extends SelectionsContext {
  readonly project: RefiProject
  readonly variables: ImportVariables
  readonly media: MediaPlan
}

/** Of a source that came to be. */
export interface ImportedSource {
  readonly id: number
  readonly kind: RefiSource['kind']
  /** Of its text, in code points. */
  readonly length: number
}

export function* importSources(context: SourcesImport): ImportWork<ReadonlyMap<string, ImportedSource>> {
  const importer = new SourceImporter(context)
  for (const source of context.project.sources) yield* importer.add(source)
  return importer.sources
}

class SourceImporter {
  /** By their GUIDs. */
  readonly sources = new Map<string, ImportedSource>()
  readonly #context: SourcesImport
  readonly #names: FreeNames

  constructor(context: SourcesImport) {
    this.#context = context
    const taken = allSources(context.writer.db).map(({ name }) => name)
    this.#names = new FreeNames(taken, sourceNameKey, 'with ending')
  }

  add(source: RefiSource): ImportWork<void> {
    switch (source.kind) {
      case 'text':
        return this.#text(source)
      case 'picture':
        return this.#picture(source)
      case 'pdf':
        return this.#pdf(source)
      case 'audio':
      case 'video':
        return this.#recording(source)
      default:
        return source satisfies never
    }
  }

  *#text(source: RefiText & { readonly kind: 'text' }): ImportWork<void> {
    const placed = yield* this.#placed('TextSource', source)
    const id = this.#insert(source, 'TextSource', placed.text, this.#mediaPath(source))
    this.#done(source, id, placed)
    yield* importTextSelections(this.#context, id, placed, source.codings)
  }

  *#picture(source: RefiPictureSource): ImportWork<void> {
    const { textDescription: text } = source
    const placed = text === null ? nothing : yield* this.#placed('TextDescription', text)
    const id = this.#insert(source, 'PictureSource', placed.text || null, this.#mediaPath(source))
    this.#done(source, id, placed)
    if (text !== null) yield* importTextSelections(this.#context, id, placed, text.codings)
    for (const selection of source.selections) {
      importPictureSelection(this.#context, id, selection, 'PictureSelection')
      yield null
    }
    lostCodings(this.#context, source.codings, 'for QualCoder codes parts of pictures only')
  }

  *#pdf(source: RefiPdfSource): ImportWork<void> {
    const { representation: text } = source
    const placed = text === null ? nothing : yield* this.#placed('Representation', text)
    const id = this.#insert(source, 'PDFSource', placed.text, this.#mediaPath(source))
    this.#done(source, id, placed)
    yield* importTextSelections(this.#context, id, placed, [...source.codings, ...(text?.codings ?? [])])
    for (const selection of source.selections) {
      if (selection.representation !== null)
        this.#context.losses.add('Representation', selection.guid, 'the text of a part of a page')
      importPictureSelection(this.#context, id, selection, 'PDFSelection')
      yield null
    }
  }

  *#recording(source: RefiRecordingSource): ImportWork<void> {
    const id = this.#insert(
      source,
      source.kind === 'audio' ? 'AudioSource' : 'VideoSource',
      null,
      this.#mediaPath(source),
    )
    this.#done(source, id, nothing)
    for (const selection of source.selections) {
      importTimeSelection(this.#context, id, selection)
      yield null
    }
    lostCodings(this.#context, source.codings, 'for QualCoder codes parts of recordings only')
    for (const [number, transcript] of source.transcripts.entries())
      yield* this.#transcript(source, id, transcript, number)
  }

  /** A source of its own; QualCoder knows one for each recording. */
  *#transcript(
    media: RefiRecordingSource,
    mediaId: number,
    transcript: RefiTranscript,
    number: number,
  ): ImportWork<void> {
    const { selections, timed } = transcriptPlaces(this.#context, transcript)
    const placed = yield* this.#placed('Transcript', { ...transcript, selections })
    const name = transcript.name ?? `${media.name ?? 'Recording'}.txt`
    const text = { ...transcript, name, codings: [], values: [] }
    const id = this.#insert(text, 'Transcript', placed.text, null)
    this.#done({ ...text, kind: 'text' }, id, placed)
    if (number === 0) this.#context.writer.update('source', mediaId, { av_text_id: id })
    else this.#context.losses.add('Transcript', transcript.guid, 'whose it is, for a recording has one in QualCoder')
    yield* importTextSelections(this.#context, id, placed, [])
    importTranscriptSelections(this.#context, mediaId, timed)
  }

  #insert(
    source: SourceParts | (Omit<SourceParts, 'guid'> & { guid: string }),
    element: string,
    fulltext: string | null,
    mediapath: string | null,
  ): number {
    const { writer, users, moments, variables, losses, counts } = this.#context
    const { guid, description, values, noteRefs } = source
    const name = importedName(
      this.#context,
      { element, guid, name: source.name },
      { otherwise: 'Unnamed source', lengthMax: sourceNameLengthMax, slashes: 'refused' },
    )
    const free = this.#names.take(name)
    if (free !== name)
      losses.add(element, guid, `its name "${name.slice(0, 100)}", which is taken: it is now "${free.slice(0, 300)}"`)
    const date = moments.toLocal(source.createdAt, writer.act.date)
    const owner = users.nameOf(source.creatingUser)
    const row = { name: free, fulltext, mediapath, memo: description ?? '', owner, date, av_text_id: null, risid: null }
    const id = writer.insert('source', row) as number
    setMeta(writer, { ...row, id }, { guid })
    variables.addValues('file', id, values)
    lostNotes(this.#context, element, guid, noteRefs)
    counts.create('sources')
    return id
  }

  #done({ guid, kind }: Pick<RefiSource, 'guid' | 'kind'>, id: number, { length }: PlacedText): void {
    this.sources.set(guid, { id, kind, length })
  }

  *#placed(
    element: string,
    { guid, content, selections }: Pick<RefiText, 'guid' | 'content' | 'selections'>,
  ): ImportWork<PlacedText> {
    const { origin } = this.#context.project
    const text = yield* readContent(content)
    if (text.kind === 'unreadable') {
      this.#context.losses.add(element, guid, `its text, for ${text.what}`)
      return placedText({ text: '', lineEnds: 'parsed', origin, selections })
    }
    return placedText({
      text: text.text,
      lineEnds: content?.kind === 'file' ? 'as written' : 'parsed',
      origin,
      selections,
    })
  }

  /** A file that did not come along is only named, where it can be. */
  #mediaPath(source: RefiSource): string | null {
    const { media, losses, counts, project } = this.#context
    const planned = media.get(source)
    if (planned !== undefined) {
      counts.create('files')
      return `/${planned.kind}/${planned.name}`
    }
    const path = pathOf(source)
    if (path === null && source.kind === 'text') return null
    losses.add('Source', source.guid, 'its file, which is not in the package')
    if (source.kind === 'text') return null
    return `${placeOf(source).kind}:${linkedPath(path, project.basePath) ?? fallbackName(source)}`
  }
}

const nothing: PlacedText = { text: '', length: 0, selections: [] }

export function* readContent(content: RefiContent | null): ImportWork<PackageText> {
  if (content === null) return { kind: 'unreadable', what: 'there is none' }
  if (content.kind === 'file') return (yield content.path)!
  const { text } = content
  return /\0/.test(text) ? { kind: 'unreadable', what: 'it has NUL characters' } : { kind: 'text', text }
}

function linkedPath(path: RefiPath | null, basePath: string | null): string | null {
  if (path === null || path.kind === 'internal') return null
  if (path.kind === 'absolute') return path.path
  return basePath === null ? null : `${basePath.replace(/[/\\]+$/, '')}/${path.path}`
}

const fallbackName = ({ kind, guid }: RefiSource): string => (kind === 'pdf' ? `${guid}.pdf` : guid)
