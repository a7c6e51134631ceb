import { authorship, authorshipAttributes, momentAttribute, normalValue, textAttribute } from './attribute-values.js'
import type { RefiCoding, RefiSelection, RefiVariableValue, VariableType } from './model.js'
import type { ElementShape, OpenElement } from './read-elements.js'

export const none: readonly ElementShape<unknown>[] = []

export function referenceShape(name: string): ElementShape<string> {
  // A codebook's sets name their members by `guid`.
  return {
    name,
    attributes: ['targetGUID', 'guid'],
    children: () => none,
    read(element) {
      const target = element.reference('targetGUID') ?? element.reference('guid')
      if (target === null) element.lost('all of it, for it says not to what it refers')
      return target ?? undefined
    },
  }
}

export function textShape(name: string): ElementShape<string> {
  return { name, attributes: [], children: () => none, hasText: true, read: (element) => element.text() }
}

export const descriptionShape = textShape('Description')
export const noteRefShape = referenceShape('NoteRef')
export const codeRefShape = referenceShape('CodeRef')

export function description(element: OpenElement): string | null {
  return element.first(descriptionShape) || null
}

const codingChildren = [codeRefShape, noteRefShape]

export const codingShape: ElementShape<RefiCoding> = {
  name: 'Coding',
  attributes: ['guid', 'creatingUser', 'creationDateTime'],
  children: () => codingChildren,
  read(element) {
    const code = element.first(codeRefShape)
    if (code === null) {
      element.lost('all of it, for it names no code')
      return undefined
    }
    return {
      guid: element.guid(),
      code,
      creatingUser: element.reference('creatingUser'),
      createdAt: momentAttribute(element, 'creationDateTime'),
      noteRefs: element.all(noteRefShape),
    }
  },
}

export const selectionAttributes = ['guid', 'name', ...authorshipAttributes] as const
export const selectionChildren = [descriptionShape, codingShape, noteRefShape] as const

export function selectionParts(element: OpenElement): RefiSelection {
  return {
    guid: element.guid(),
    name: textAttribute(element, 'name'),
    ...authorship(element),
    description: description(element),
    codings: element.all(codingShape),
    noteRefs: element.all(noteRefShape),
  }
}

export const variableTypes = ['Text', 'Boolean', 'Integer', 'Float', 'Date', 'DateTime'] as const

const variableRefShape = referenceShape('VariableRef')
const valueShapes = variableTypes.map((type) => valueShape(type))
const variableValueChildren = [variableRefShape, ...valueShapes]

export const variableValueShape: ElementShape<RefiVariableValue> = {
  name: 'VariableValue',
  attributes: [],
  children: () => variableValueChildren,
  read(element) {
    const variable = element.first(variableRefShape)
    if (variable === null) {
      element.lost('all of it, for it names no variable')
      return undefined
    }
    const values = valueShapes.flatMap((shape) => element.all(shape))
    if (values.length > 1) element.lost(`its values after the first (${values.length - 1})`)
    return { variable, value: values[0] ?? null }
  },
}

function valueShape(type: VariableType): ElementShape<NonNullable<RefiVariableValue['value']>> {
  return {
    name: `${type}Value`,
    attributes: [],
    children: () => none,
    hasText: true,
    read(element) {
      const given = element.text()
      if ((type === 'Text' ? given : given.trim()) === '') return undefined
      const text = normalValue(type, given)
      if (text !== null) return { type, text }
      element.lost(`that "${given.slice(0, 100)}" is of the type ${type}: it is kept as text`)
      return { type: 'Text', text: given }
    },
  }
}
