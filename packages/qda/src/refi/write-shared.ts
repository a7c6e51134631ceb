import type { Authorship, RefiCode, RefiCoding, RefiSelection, RefiVariableValue } from './model.js'
import type { XmlAttributes, XmlWriter } from './write-xml.js'

/** What several kinds of elements have, in the order that their kind demands. */

export function* writeContainer<Item>(
  xml: XmlWriter,
  name: string,
  items: readonly Item[],
  write: (item: Item) => Iterable<string> | undefined,
): Generator<string> {
  // A container without a child is invalid.
  if (items.length === 0) return
  xml.open(name)
  for (const item of items) {
    yield* write(item) ?? []
    yield* xml.drain()
  }
  xml.close()
}

/** `notes` is false in a codebook, whose codes have none. */
export function* writeCode(xml: XmlWriter, code: RefiCode, notes: boolean): Generator<string> {
  xml.open('Code', [
    ['guid', code.guid],
    ['name', code.name],
    ['isCodable', code.isCodable],
    ['color', code.color],
  ])
  xml.textElement('Description', code.description)
  if (notes) writeReferences(xml, 'NoteRef', code.noteRefs)
  for (const child of code.codes) yield* writeCode(xml, child, notes)
  xml.close()
  yield* xml.drain()
}

export function authorshipAttributes(thing: Authorship): XmlAttributes {
  return [
    ['creatingUser', thing.creatingUser],
    ['creationDateTime', thing.createdAt],
    ['modifyingUser', thing.modifyingUser],
    ['modifiedDateTime', thing.modifiedAt],
  ]
}

/** `place` is where it is in its source. */
export function writeSelection(xml: XmlWriter, name: string, selection: RefiSelection, place: XmlAttributes): void {
  openSelection(xml, name, selection, place)
  closeSelection(xml, selection)
}

/** Between the two, a selection of a PDF has its text. */
export function openSelection(xml: XmlWriter, name: string, selection: RefiSelection, place: XmlAttributes): void {
  const { guid, name: quote } = selection
  xml.open(name, [['guid', guid], ['name', quote], ...place, ...authorshipAttributes(selection)])
  xml.textElement('Description', selection.description)
}

export function closeSelection(xml: XmlWriter, selection: RefiSelection): void {
  writeCodings(xml, selection.codings)
  writeReferences(xml, 'NoteRef', selection.noteRefs)
  xml.close()
}

export function writeCodings(xml: XmlWriter, codings: readonly RefiCoding[]): void {
  for (const coding of codings) {
    xml.open('Coding', [
      ['guid', coding.guid],
      ['creatingUser', coding.creatingUser],
      ['creationDateTime', coding.createdAt],
    ])
    writeReferences(xml, 'CodeRef', [coding.code])
    writeReferences(xml, 'NoteRef', coding.noteRefs)
    xml.close()
  }
}

export function writeReferences(
  xml: XmlWriter,
  name: string,
  targets: readonly string[],
  attribute: 'targetGUID' | 'guid' = 'targetGUID',
): void {
  for (const target of targets) xml.empty(name, [[attribute, target]])
}

export function writeValues(xml: XmlWriter, values: readonly RefiVariableValue[]): void {
  for (const { variable, value } of values) {
    xml.open('VariableValue')
    writeReferences(xml, 'VariableRef', [variable])
    if (value !== null) xml.textElement(`${value.type}Value`, value.text)
    xml.close()
  }
}
