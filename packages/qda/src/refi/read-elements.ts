import { QdaFailure } from '../failure.js'
import { xmlTextLengthMax } from '../limits.js'
import type { LossList } from './loss-list.js'
import type { XmlElement, XmlHandler } from './read-xml.js'
import { normalGuid, refiGuid } from './refi-guid.js'

/**
 * What an element of one name becomes. Elements are read from the inside out: while the document streams by, only the path to the
 * current element is open, and all before it are values already.
 */
export interface ElementShape<Value> {
  readonly name: string
  readonly attributes: readonly string[]
  /** A function, for shapes contain themselves. */
  readonly children: () => readonly ElementShape<unknown>[]
  readonly hasText?: boolean
  /** Undefined where nothing can be made of it; then it said so to `element.lost`. */
  read(element: OpenElement): Value | undefined
}

/**
 * Makes values of a document whose outermost element has the given shape; what has no place in a shape becomes a loss. Identifiers
 * that are no GUIDs become some of the namespace `documentUid`, so that references still meet what they refer to.
 */
export class ElementReader<Value> implements XmlHandler {
  readonly #root: ElementShape<Value>
  readonly #losses: LossList
  readonly #guids: MadeUpGuids
  readonly #open: OpenElement[] = []
  /** Elements that are open within one without a place, itself included. */
  #skipped = 0
  #value: Value | undefined

  constructor(root: ElementShape<Value>, losses: LossList, documentUid: string) {
    this.#root = root
    this.#losses = losses
    this.#guids = new MadeUpGuids(documentUid)
  }

  /** After the end of the document. */
  get value(): Value | undefined {
    return this.#value
  }

  open(element: XmlElement): void {
    if (this.#skipped > 0) {
      this.#skipped += 1
      return
    }
    const parent = this.#open.at(-1)
    const shape = parent === undefined ? this.#rootShape(element) : parent.shapeOf(element)
    if (shape === undefined) this.#skip(element, parent!)
    else this.#open.push(this.#opened(shape, element, parent))
  }

  text(text: string): void {
    if (this.#skipped === 0) this.#open.at(-1)?.addText(text)
  }

  close(): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1
      return
    }
    const element = this.#open.pop()!
    const value = element.shape.read(element)
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#value = value as Value
    else if (value !== undefined) parent.addChild(element.shape, value)
  }

  #rootShape(element: XmlElement): ElementShape<unknown> {
    if (element.name === this.#root.name && isRefi(element.namespace)) return this.#root
    throw new QdaFailure(
      'IMPORT_FAILED/INVALID_FILE',
      `The document begins with <${element.name.slice(0, 100)}> where <${this.#root.name}> of REFI-QDA was expected; give a file that was exported as REFI-QDA`,
    )
  }

  #opened(shape: ElementShape<unknown>, element: XmlElement, parent: OpenElement | undefined): OpenElement {
    const opened = new OpenElement(shape, element, parent, this.#losses, this.#guids)
    for (const name of element.attributes.keys()) {
      if (!shape.attributes.includes(name)) opened.lost(`its attribute ${name.slice(0, 100)}, which has no place`)
    }
    return opened
  }

  #skip(element: XmlElement, parent: OpenElement): void {
    this.#skipped = 1
    const given = element.attributes.get('guid')
    const guid = given === undefined ? null : normalGuid(given)
    this.#losses.add(element.name.slice(0, 100), guid, `all of it, for it has no place in ${parent.shape.name}`)
  }
}

export class OpenElement {
  readonly shape: ElementShape<unknown>
  readonly #element: XmlElement
  readonly #parent: OpenElement | undefined
  readonly #losses: LossList
  readonly #guids: MadeUpGuids
  readonly #children = new Map<ElementShape<unknown>, unknown[]>()
  readonly #inOrder: unknown[] = []
  readonly #texts: string[] = []
  #textLength = 0
  #guid: string | undefined

  constructor(
    shape: ElementShape<unknown>,
    element: XmlElement,
    parent: OpenElement | undefined,
    losses: LossList,
    guids: MadeUpGuids,
  ) {
    this.shape = shape
    this.#element = element
    this.#parent = parent
    this.#losses = losses
    this.#guids = guids
  }

  attribute(name: string): string | null {
    return this.#element.attributes.get(name) ?? null
  }

  /** Every element that needs one has one: where the document gives none, or none that is a GUID, it is made up. */
  guid(): string {
    this.#guid ??= this.#givenGuid()
    return this.#guid
  }

  /** A reference to another element. */
  reference(name: string): string | null {
    const given = this.attribute(name)
    if (given === null || given.trim() === '') return null
    return normalGuid(given) ?? this.#guids.of(given.trim())
  }

  all<Value>(shape: ElementShape<Value>): readonly Value[] {
    return (this.#children.get(shape) as Value[] | undefined) ?? []
  }

  /** For elements whose children are all of one kind of value. */
  inOrder<Value>(): readonly Value[] {
    return this.#inOrder as Value[]
  }

  first<Value>(shape: ElementShape<Value>): Value | null {
    const [value, ...others] = this.all(shape)
    if (others.length > 0) this.lost(`its ${shape.name} after the first (${others.length})`)
    return value ?? null
  }

  text(): string {
    return this.#texts.join('')
  }

  lost(what: string): void {
    this.#losses.add(this.shape.name, this.#nearestGuid(), what)
  }

  shapeOf(element: XmlElement): ElementShape<unknown> | undefined {
    if (!isRefi(element.namespace)) return undefined
    return this.shape.children().find(({ name }) => name === element.name)
  }

  addChild(shape: ElementShape<unknown>, value: unknown): void {
    this.#inOrder.push(value)
    const values = this.#children.get(shape)
    if (values === undefined) this.#children.set(shape, [value])
    else values.push(value)
  }

  addText(text: string): void {
    if (this.shape.hasText !== true) {
      if (text.trim() !== '') this.lost('text between its elements')
      return
    }
    this.#textLength += text.length
    if (this.#textLength > xmlTextLengthMax) {
      const sentence = `A ${this.shape.name} has more than ${xmlTextLengthMax} characters; export texts as files`
      throw new QdaFailure('IMPORT_FAILED/TOO_LARGE', sentence)
    }
    this.#texts.push(text)
  }

  #givenGuid(): string {
    const given = this.attribute('guid')?.trim() ?? ''
    if (given === '') return this.#guids.next()
    const guid = normalGuid(given)
    if (guid !== null) return guid
    this.lost(`its identifier "${given.slice(0, 100)}", which is no GUID`)
    return this.#guids.of(given)
  }

  #nearestGuid(): string | null {
    const given = this.attribute('guid')
    const guid = given === null ? null : normalGuid(given)
    if (guid !== null || this.#parent === undefined) return guid
    return this.#parent.#nearestGuid()
  }
}

class MadeUpGuids {
  readonly #documentUid: string
  #count = 0

  constructor(documentUid: string) {
    this.#documentUid = documentUid
  }

  of(identifier: string): string {
    return refiGuid(this.#documentUid, 'identifier', identifier)
  }

  next(): string {
    this.#count += 1
    return refiGuid(this.#documentUid, 'missing', this.#count)
  }
}

/** Missing namespaces are common; of another one, an element only looks the same. */
function isRefi(namespace: string): boolean {
  return namespace === '' || namespace.startsWith('urn:QDA-XML:')
}
