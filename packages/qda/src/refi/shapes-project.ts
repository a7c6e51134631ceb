import { colorAttribute, momentAttribute, oneOfAttribute, textAttribute } from './attribute-values.js'
import type { RefiCase, RefiLink, RefiProject, RefiSource, RefiUser, RefiVariable } from './model.js'
import type { ElementShape } from './read-elements.js'
import { codebookShape, containerShape, direction, requiredName, setsShape } from './shapes-codebook.js'
import { audioSourceShape, pdfSourceShape, pictureSourceShape, videoSourceShape } from './shapes-media.js'
import {
  codeRefShape,
  description,
  descriptionShape,
  none,
  noteRefShape,
  referenceShape,
  variableTypes,
  variableValueShape,
} from './shapes-shared.js'
import { textHolderShape, textSourceShape } from './shapes-text.js'

/** A case may have no name in the document; what becomes of it is seen when all sources are known. */
export type ReadCase = Omit<RefiCase, 'name'> & { readonly name: string | null }
export type ReadProject = Omit<RefiProject, 'cases'> & { readonly cases: readonly ReadCase[] }

const userShape: ElementShape<RefiUser> = {
  name: 'User',
  attributes: ['guid', 'name', 'id'],
  children: () => none,
  read: (element) => ({
    guid: element.guid(),
    name: textAttribute(element, 'name'),
    id: textAttribute(element, 'id'),
  }),
}

const variableChildren = [descriptionShape]

const variableShape: ElementShape<RefiVariable> = {
  name: 'Variable',
  attributes: ['guid', 'name', 'typeOfVariable'],
  children: () => variableChildren,
  read: (element) => ({
    guid: element.guid(),
    name: requiredName(element, 'Unnamed variable'),
    type: oneOfAttribute(element, 'typeOfVariable', variableTypes) ?? 'Text',
    description: description(element),
  }),
}

const sourceRefShape = referenceShape('SourceRef')
const selectionRefShape = referenceShape('SelectionRef')
const caseChildren = [descriptionShape, codeRefShape, variableValueShape, sourceRefShape, selectionRefShape]

const caseShape: ElementShape<ReadCase> = {
  name: 'Case',
  attributes: ['guid', 'name'],
  children: () => caseChildren,
  read: (element) => ({
    guid: element.guid(),
    name: textAttribute(element, 'name'),
    description: description(element),
    codes: element.all(codeRefShape),
    values: element.all(variableValueShape),
    sources: element.all(sourceRefShape),
    selections: element.all(selectionRefShape),
  }),
}

const linkChildren = [noteRefShape]

const linkShape: ElementShape<RefiLink> = {
  name: 'Link',
  attributes: ['guid', 'name', 'direction', 'color', 'originGUID', 'targetGUID'],
  children: () => linkChildren,
  read: (element) => ({
    guid: element.guid(),
    name: textAttribute(element, 'name'),
    direction: direction(element),
    color: colorAttribute(element),
    origin: element.reference('originGUID'),
    target: element.reference('targetGUID'),
    noteRefs: element.all(noteRefShape),
  }),
}

const vertexAttributes = ['guid', 'representedGUID', 'name', 'firstX', 'firstY', 'secondX', 'secondY', 'shape', 'color']
const edgeAttributes = [
  'guid',
  'representedGUID',
  'name',
  'sourceVertex',
  'targetVertex',
  'color',
  'direction',
  'lineStyle',
]
const graphChildren = [graphPartShape('Vertex', vertexAttributes), graphPartShape('Edge', edgeAttributes)]

const graphShape: ElementShape<true> = {
  name: 'Graph',
  attributes: ['guid', 'name'],
  children: () => graphChildren,
  read(element) {
    element.lost(`all of it, with its ${element.inOrder().length} vertices and edges: graphs are not read`)
    return true
  },
}

function graphPartShape(name: string, attributes: readonly string[]): ElementShape<true> {
  return { name, attributes, children: () => none, read: () => true }
}

const usersShape = containerShape('Users', [userShape])
const variablesShape = containerShape('Variables', [variableShape])
const casesShape = containerShape('Cases', [caseShape])
const sourcesShape = containerShape<RefiSource>('Sources', [
  textSourceShape,
  pictureSourceShape,
  pdfSourceShape,
  audioSourceShape,
  videoSourceShape,
])
const notesShape = containerShape('Notes', [textHolderShape('Note')])
const linksShape = containerShape('Links', [linkShape])
const graphsShape = containerShape('Graphs', [graphShape])

const projectChildren = [
  usersShape,
  codebookShape,
  variablesShape,
  casesShape,
  sourcesShape,
  notesShape,
  linksShape,
  setsShape,
  graphsShape,
  descriptionShape,
  noteRefShape,
]

export const projectShape: ElementShape<ReadProject> = {
  name: 'Project',
  attributes: [
    'name',
    'origin',
    'creatingUserGUID',
    'creationDateTime',
    'modifyingUserGUID',
    'modifiedDateTime',
    'basePath',
  ],
  children: () => projectChildren,
  read: (element) => ({
    name: requiredName(element, 'Unnamed project'),
    origin: textAttribute(element, 'origin'),
    basePath: textAttribute(element, 'basePath'),
    creatingUser: element.reference('creatingUserGUID'),
    createdAt: momentAttribute(element, 'creationDateTime'),
    modifyingUser: element.reference('modifyingUserGUID'),
    modifiedAt: momentAttribute(element, 'modifiedDateTime'),
    users: element.all(usersShape).flat(),
    codes: element.all(codebookShape).flatMap(({ codes }) => codes),
    variables: element.all(variablesShape).flat(),
    cases: element.all(casesShape).flat(),
    sources: element.all(sourcesShape).flat(),
    notes: element.all(notesShape).flat(),
    links: element.all(linksShape).flat(),
    sets: [...element.all(codebookShape).flatMap(({ sets }) => sets), ...element.all(setsShape).flat()],
    graphCount: element.all(graphsShape).flat().length,
    description: description(element),
    noteRefs: element.all(noteRefShape),
  }),
}
