import { authorship, authorshipAttributes, integerAttribute, textAttribute } from './attribute-values.js'
import type {
  RefiContent,
  RefiSyncPoint,
  RefiText,
  RefiTextSelection,
  RefiTextSource,
  RefiTranscript,
  RefiTranscriptSelection,
  SourceParts,
} from './model.js'
import type { ElementShape, OpenElement } from './read-elements.js'
import { readRefiPath } from './refi-path.js'
import {
  codingShape,
  description,
  descriptionShape,
  none,
  noteRefShape,
  selectionAttributes,
  selectionChildren,
  selectionParts,
  textShape,
  variableValueShape,
} from './shapes-shared.js'

export const sourceAttributes = ['guid', 'name', ...authorshipAttributes] as const
const textAttributes = [...sourceAttributes, 'richTextPath', 'plainTextPath']

const plainTextShape = textShape('PlainTextContent')

const textSelectionShape: ElementShape<RefiTextSelection> = {
  name: 'PlainTextSelection',
  attributes: [...selectionAttributes, 'startPosition', 'endPosition'],
  children: () => selectionChildren,
  read(element) {
    const start = integerAttribute(element, 'startPosition')
    const end = integerAttribute(element, 'endPosition')
    if (start === null || end === null) {
      element.lost('all of it, for it has no positions')
      return undefined
    }
    return { ...selectionParts(element), start, end }
  },
}

const textChildren = [
  descriptionShape,
  plainTextShape,
  textSelectionShape,
  codingShape,
  noteRefShape,
  variableValueShape,
]

/** Notes and the texts of pictures and pages have the shape of a text source. */
export function textHolderShape(name: string): ElementShape<RefiText> {
  return { name, attributes: textAttributes, children: () => textChildren, read: readText }
}

export const textSourceShape: ElementShape<RefiTextSource> = {
  name: 'TextSource',
  attributes: textAttributes,
  children: () => textChildren,
  read: (element) => ({ kind: 'text', ...readText(element) }),
}

export function sourceParts(element: OpenElement): SourceParts {
  return {
    guid: element.guid(),
    name: textAttribute(element, 'name'),
    ...authorship(element),
    description: description(element),
    codings: element.all(codingShape),
    noteRefs: element.all(noteRefShape),
    values: element.all(variableValueShape),
  }
}

function readText(element: OpenElement): RefiText {
  return {
    ...sourceParts(element),
    content: readContent(element),
    richTextPath: readRefiPath(element.attribute('richTextPath') ?? ''),
    selections: element.all(textSelectionShape),
  }
}

function readContent(element: OpenElement): RefiContent | null {
  const path = readRefiPath(element.attribute('plainTextPath') ?? '')
  const text = element.first(plainTextShape)
  if (path === null) return text === null ? null : { kind: 'inline', text }
  if (text !== null && text !== '') element.lost('its PlainTextContent, for it names a file of its text as well')
  return { kind: 'file', path }
}

const syncPointShape: ElementShape<RefiSyncPoint> = {
  name: 'SyncPoint',
  attributes: ['guid', 'timeStamp', 'position'],
  children: () => none,
  read: (element) => ({
    guid: element.guid(),
    timeStamp: integerAttribute(element, 'timeStamp'),
    position: integerAttribute(element, 'position'),
  }),
}

const transcriptSelectionShape: ElementShape<RefiTranscriptSelection> = {
  name: 'TranscriptSelection',
  attributes: [...selectionAttributes, 'fromSyncPoint', 'toSyncPoint'],
  children: () => selectionChildren,
  read: (element) => ({
    ...selectionParts(element),
    from: element.reference('fromSyncPoint'),
    to: element.reference('toSyncPoint'),
  }),
}

const transcriptChildren = [descriptionShape, plainTextShape, syncPointShape, transcriptSelectionShape, noteRefShape]

export const transcriptShape: ElementShape<RefiTranscript> = {
  name: 'Transcript',
  attributes: textAttributes,
  children: () => transcriptChildren,
  read: (element) => ({
    guid: element.guid(),
    name: textAttribute(element, 'name'),
    ...authorship(element),
    description: description(element),
    content: readContent(element),
    richTextPath: readRefiPath(element.attribute('richTextPath') ?? ''),
    syncPoints: element.all(syncPointShape),
    selections: element.all(transcriptSelectionShape),
    noteRefs: element.all(noteRefShape),
  }),
}
