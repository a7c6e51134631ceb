import type { LossList } from './loss-list.js'
import type {
  MediaPaths,
  RefiContent,
  RefiPath,
  RefiPdfSource,
  RefiPictureSelection,
  RefiPictureSource,
  RefiRecordingSource,
  RefiSource,
  RefiText,
  RefiTranscript,
  SourceParts,
} from './model.js'
import { refiPathText } from './refi-path.js'
import {
  authorshipAttributes,
  closeSelection,
  openSelection,
  writeCodings,
  writeReferences,
  writeSelection,
  writeValues,
} from './write-shared.js'
import type { XmlAttributes, XmlWriter } from './write-xml.js'

export interface WritingSources {
  readonly xml: XmlWriter
  readonly losses: LossList
}

export function writeSource(writing: WritingSources, source: RefiSource): Generator<string> {
  switch (source.kind) {
    case 'text':
      return writeText(writing, 'TextSource', source)
    case 'picture':
      return writePicture(writing, source)
    case 'pdf':
      return writePdf(writing, source)
    case 'audio':
      return writeRecording(writing, 'Audio', source)
    case 'video':
      return writeRecording(writing, 'Video', source)
    default:
      return source satisfies never
  }
}

export function* writeText(writing: WritingSources, name: string, text: RefiText): Generator<string> {
  const { xml } = writing
  openText(writing, name, text)
  for (const selection of text.selections) {
    writeSelection(xml, 'PlainTextSelection', selection, [
      ['startPosition', selection.start],
      ['endPosition', selection.end],
    ])
    yield* xml.drain()
  }
  closeSource(xml, text)
}

/** Texts are always files: a parser would make LF of every CR in the document. */
export function textFileOf({ guid, content }: { readonly guid: string; readonly content: RefiContent }): RefiPath {
  return content.kind === 'file' ? content.path : { kind: 'internal', path: `${guid}.txt` }
}

/** Some programs load an empty document where the rich text is none. */
export function isRichText({ path }: RefiPath): boolean {
  return /\.(docx|odt|rtf)$/i.test(path)
}

function* writePicture(writing: WritingSources, source: RefiPictureSource): Generator<string> {
  const { xml } = writing
  openMedia(xml, 'PictureSource', source)
  if (source.textDescription !== null) yield* writeText(writing, 'TextDescription', source.textDescription)
  for (const selection of source.selections) {
    writeSelection(xml, 'PictureSelection', selection, corners(selection))
    yield* xml.drain()
  }
  closeSource(xml, source)
}

function* writePdf(writing: WritingSources, source: RefiPdfSource): Generator<string> {
  const { xml } = writing
  openMedia(xml, 'PDFSource', source)
  for (const selection of source.selections) {
    const { page, representation } = selection
    openSelection(xml, 'PDFSelection', selection, [['page', page], ...corners(selection)])
    if (representation !== null) yield* writeText(writing, 'Representation', representation)
    closeSelection(xml, selection)
    yield* xml.drain()
  }
  if (source.representation !== null) yield* writeText(writing, 'Representation', source.representation)
  closeSource(xml, source)
}

function* writeRecording(
  writing: WritingSources,
  kind: 'Audio' | 'Video',
  source: RefiRecordingSource,
): Generator<string> {
  const { xml } = writing
  openMedia(xml, `${kind}Source`, source)
  for (const transcript of source.transcripts) yield* writeTranscript(writing, transcript)
  for (const selection of source.selections) {
    writeSelection(xml, `${kind}Selection`, selection, [
      ['begin', selection.begin],
      ['end', selection.end],
    ])
    yield* xml.drain()
  }
  closeSource(xml, source)
}

function* writeTranscript(writing: WritingSources, transcript: RefiTranscript): Generator<string> {
  const { xml } = writing
  openText(writing, 'Transcript', transcript)
  for (const { guid, timeStamp, position } of transcript.syncPoints) {
    xml.empty('SyncPoint', [
      ['guid', guid],
      ['timeStamp', timeStamp],
      ['position', position],
    ])
    yield* xml.drain()
  }
  for (const selection of transcript.selections) {
    writeSelection(xml, 'TranscriptSelection', selection, [
      ['fromSyncPoint', selection.from],
      ['toSyncPoint', selection.to],
    ])
    yield* xml.drain()
  }
  writeReferences(xml, 'NoteRef', transcript.noteRefs)
  xml.close()
}

function openText({ xml, losses }: WritingSources, name: string, text: RefiText | RefiTranscript): void {
  const { guid, content, richTextPath } = text
  const rich = richTextPath !== null && isRichText(richTextPath) ? richTextPath : null
  if (richTextPath !== rich) losses.add(name, guid, 'the path of its rich text, which is no docx, odt or rtf')
  xml.open(name, [
    ['guid', guid],
    ['name', text.name],
    ['richTextPath', rich && refiPathText(rich)],
    ['plainTextPath', content && refiPathText(textFileOf({ guid, content }))],
    ...authorshipAttributes(text),
  ])
  xml.textElement('Description', text.description)
}

function openMedia(xml: XmlWriter, name: string, source: SourceParts & MediaPaths): void {
  xml.open(name, [
    ['guid', source.guid],
    ['name', source.name],
    ['path', source.path && refiPathText(source.path)],
    ['currentPath', source.currentPath && refiPathText(source.currentPath)],
    ...authorshipAttributes(source),
  ])
  xml.textElement('Description', source.description)
}

function closeSource(xml: XmlWriter, source: SourceParts): void {
  writeCodings(xml, source.codings)
  writeReferences(xml, 'NoteRef', source.noteRefs)
  writeValues(xml, source.values)
  xml.close()
}

function corners({ firstX, firstY, secondX, secondY }: RefiPictureSelection): XmlAttributes {
  return [
    ['firstX', firstX],
    ['firstY', firstY],
    ['secondX', secondX],
    ['secondY', secondY],
  ]
}
