import { colorAttribute, oneOfAttribute, textAttribute } from './attribute-values.js'
import type { RefiCode, RefiCodebook, RefiSet } from './model.js'
import type { ElementShape, OpenElement } from './read-elements.js'
import { description, descriptionShape, noteRefShape, referenceShape } from './shapes-shared.js'

const codeShape: ElementShape<RefiCode> = {
  name: 'Code',
  attributes: ['guid', 'name', 'isCodable', 'color'],
  children: () => codeChildren,
  read: (element) => ({
    guid: element.guid(),
    name: requiredName(element, 'Unnamed code'),
    isCodable: isTrue(element.attribute('isCodable') ?? 'true'),
    color: colorAttribute(element),
    description: description(element),
    noteRefs: element.all(noteRefShape),
    codes: element.all(codeShape),
  }),
}
const codeChildren: readonly ElementShape<unknown>[] = [descriptionShape, noteRefShape, codeShape]

const memberCodeShape = referenceShape('MemberCode')
const memberSourceShape = referenceShape('MemberSource')
const memberNoteShape = referenceShape('MemberNote')
const setChildren = [descriptionShape, memberCodeShape, memberSourceShape, memberNoteShape]

const setShape: ElementShape<RefiSet> = {
  name: 'Set',
  attributes: ['guid', 'name'],
  children: () => setChildren,
  read: (element) => ({
    guid: element.guid(),
    name: requiredName(element, 'Unnamed set'),
    description: description(element),
    codes: element.all(memberCodeShape),
    sources: element.all(memberSourceShape),
    notes: element.all(memberNoteShape),
  }),
}

/** Elements that hold others and have nothing of their own. Programs repeat or leave empty some of them. */
export function containerShape<Item>(
  name: string,
  items: readonly ElementShape<Item>[],
): ElementShape<readonly Item[]> {
  return { name, attributes: [], children: () => items, read: (element) => element.inOrder<Item>() }
}

const codesShape = containerShape('Codes', [codeShape])
export const setsShape = containerShape('Sets', [setShape])
const codebookChildren = [codesShape, codeShape, setsShape]

/** Some programs put the codes into the codebook itself. */
export const codebookShape: ElementShape<RefiCodebook> = {
  name: 'CodeBook',
  attributes: ['origin'],
  children: () => codebookChildren,
  read: (element) => ({
    origin: textAttribute(element, 'origin'),
    codes: [...element.all(codesShape).flat(), ...element.all(codeShape)],
    sets: element.all(setsShape).flat(),
  }),
}

export function requiredName(element: OpenElement, otherwise: string): string {
  const name = textAttribute(element, 'name')
  if (name !== null) return name
  element.lost(`its name, which is missing: it is now "${otherwise}"`)
  return otherwise
}

const directions = ['Associative', 'OneWay', 'Bidirectional'] as const

export function direction(element: OpenElement): (typeof directions)[number] | null {
  return oneOfAttribute(element, 'direction', directions)
}

function isTrue(text: string): boolean {
  return !/^\s*(false|0)\s*$/i.test(text)
}
