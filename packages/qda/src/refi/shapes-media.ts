import { integerAttribute } from './attribute-values.js'
import type {
  MediaPaths,
  RefiPdfSelection,
  RefiPdfSource,
  RefiPictureSelection,
  RefiPictureSource,
  RefiRecordingSource,
  RefiTimeSelection,
} from './model.js'
import type { ElementShape, OpenElement } from './read-elements.js'
import { readRefiPath } from './refi-path.js'
import {
  codingShape,
  descriptionShape,
  noteRefShape,
  selectionAttributes,
  selectionChildren,
  selectionParts,
  variableValueShape,
} from './shapes-shared.js'
import { sourceAttributes, sourceParts, textHolderShape, transcriptShape } from './shapes-text.js'

const mediaAttributes = [...sourceAttributes, 'path', 'currentPath']
const mediaChildren = [descriptionShape, codingShape, noteRefShape, variableValueShape]
const cornerNames = ['firstX', 'firstY', 'secondX', 'secondY'] as const

const pictureSelectionShape: ElementShape<RefiPictureSelection> = {
  name: 'PictureSelection',
  attributes: [...selectionAttributes, ...cornerNames],
  children: () => selectionChildren,
  read(element) {
    const corners = readNumbers(element, cornerNames)
    return corners && { ...selectionParts(element), ...corners }
  },
}

const textDescriptionShape = textHolderShape('TextDescription')
const pictureChildren = [...mediaChildren, textDescriptionShape, pictureSelectionShape]

export const pictureSourceShape: ElementShape<RefiPictureSource> = {
  name: 'PictureSource',
  attributes: mediaAttributes,
  children: () => pictureChildren,
  read: (element) => ({
    kind: 'picture',
    ...sourceParts(element),
    ...mediaPaths(element),
    textDescription: element.first(textDescriptionShape),
    selections: element.all(pictureSelectionShape),
  }),
}

const representationShape = textHolderShape('Representation')
const pdfSelectionChildren = [...selectionChildren, representationShape]

const pdfSelectionShape: ElementShape<RefiPdfSelection> = {
  name: 'PDFSelection',
  attributes: [...selectionAttributes, 'page', ...cornerNames],
  children: () => pdfSelectionChildren,
  read(element) {
    const place = readNumbers(element, ['page', ...cornerNames])
    return place && { ...selectionParts(element), ...place, representation: element.first(representationShape) }
  },
}

const pdfChildren = [...mediaChildren, pdfSelectionShape, representationShape]

export const pdfSourceShape: ElementShape<RefiPdfSource> = {
  name: 'PDFSource',
  attributes: mediaAttributes,
  children: () => pdfChildren,
  read: (element) => ({
    kind: 'pdf',
    ...sourceParts(element),
    ...mediaPaths(element),
    selections: element.all(pdfSelectionShape),
    representation: element.first(representationShape),
  }),
}

export const audioSourceShape = recordingShape('audio', 'AudioSource', timeSelectionShape('AudioSelection'))
export const videoSourceShape = recordingShape('video', 'VideoSource', timeSelectionShape('VideoSelection'))

function recordingShape(
  kind: RefiRecordingSource['kind'],
  name: string,
  selectionShape: ElementShape<RefiTimeSelection>,
): ElementShape<RefiRecordingSource> {
  const children = [...mediaChildren, transcriptShape, selectionShape]
  return {
    name,
    attributes: mediaAttributes,
    children: () => children,
    read: (element) => ({
      kind,
      ...sourceParts(element),
      ...mediaPaths(element),
      transcripts: element.all(transcriptShape),
      selections: element.all(selectionShape),
    }),
  }
}

function timeSelectionShape(name: string): ElementShape<RefiTimeSelection> {
  return {
    name,
    attributes: [...selectionAttributes, 'begin', 'end'],
    children: () => selectionChildren,
    read(element) {
      const span = readNumbers(element, ['begin', 'end'])
      return span && { ...selectionParts(element), ...span }
    },
  }
}

function mediaPaths(element: OpenElement): MediaPaths {
  return {
    path: readRefiPath(element.attribute('path') ?? ''),
    currentPath: readRefiPath(element.attribute('currentPath') ?? ''),
  }
}

function readNumbers<Name extends string>(
  element: OpenElement,
  names: readonly Name[],
): Record<Name, number> | undefined {
  const numbers = names.map((name) => [name, integerAttribute(element, name)] as const)
  const missing = numbers.filter(([, number]) => number === null).map(([name]) => name)
  if (missing.length === 0) return Object.fromEntries(numbers) as Record<Name, number>
  element.lost(`all of it, for it has no ${missing.join(', ')}`)
  return undefined
}
