import { xmlWriteChunkLength } from '../limits.js'
import type { LossList } from './loss-list.js'

export type XmlAttributes = readonly (readonly [name: string, value: string | number | boolean | null])[]

/**
 * Gathers a document piece by piece. Attributes that are null are left out. Characters that XML 1.0 can't hold become U+FFFD, and a
 * loss each time a value has some.
 */
export class XmlWriter {
  readonly #losses: LossList
  readonly #open: { readonly name: string; readonly guid: string | null }[] = []
  #pieces: string[] = ['<?xml version="1.0" encoding="UTF-8"?>\n']
  #length = 0
  /** The last start tag lacks its `>`. */
  #inTag = false

  constructor(losses: LossList) {
    this.#losses = losses
  }

  open(name: string, attributes: XmlAttributes = []): void {
    this.#endTag()
    const guid = attributes.find(([attribute]) => attribute === 'guid')?.[1]
    this.#open.push({ name, guid: typeof guid === 'string' ? guid : (this.#open.at(-1)?.guid ?? null) })
    let tag = `<${name}`
    for (const [attribute, value] of attributes) {
      if (value !== null) tag += ` ${attribute}="${this.#escaped(String(value), attributeEscapes, attribute)}"`
    }
    this.#add(tag)
    this.#inTag = true
  }

  close(): void {
    const { name } = this.#open.pop()!
    this.#add(this.#inTag ? '/>' : `</${name}>`)
    this.#inTag = false
  }

  empty(name: string, attributes: XmlAttributes): void {
    this.open(name, attributes)
    this.close()
  }

  textElement(name: string, text: string | null): void {
    if (text === null || text === '') return
    this.open(name)
    this.#endTag()
    this.#add(this.#escaped(text, textEscapes, 'text'))
    this.close()
  }

  /** What was gathered since the last time, once it is worth handing on. */
  *drain(least: number = xmlWriteChunkLength): Generator<string> {
    if (this.#length < least || this.#pieces.length === 0) return
    const text = this.#pieces.join('')
    this.#pieces = []
    this.#length = 0
    yield text
  }

  #endTag(): void {
    if (this.#inTag) this.#add('>')
    this.#inTag = false
  }

  #add(piece: string): void {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  #escaped(value: string, special: RegExp, where: string): string {
    const allowed = value.replace(forbidden, '\uFFFD')
    if (allowed !== value) {
      const { name, guid } = this.#open.at(-1)!
      const count = value.match(forbidden)!.length
      this.#losses.add(name, guid, `${count} characters of its ${where} that XML can't hold, replaced by U+FFFD`)
    }
    return allowed.replace(special, (character) => escapes[character]!)
  }
}

const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu
/** Parsers make blanks of line ends and tabs in attributes, and LF of CR everywhere. */
const attributeEscapes = /[&<>"\t\n\r]/g
const textEscapes = /[&<>\r]/g

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}
