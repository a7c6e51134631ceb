import { setImmediate as nextTurn } from 'node:timers/promises'
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { QdaFailure } from '../failure.js'
import {
  xmlAttributeLengthMax,
  xmlAttributesMax,
  xmlBytesMax,
  xmlChunkBytes,
  xmlDepthMax,
  xmlElementsMax,
  xmlTextLengthMax,
} from '../limits.js'

export interface XmlElement {
  readonly name: string
  readonly namespace: string
  /** Those without a namespace. */
  readonly attributes: ReadonlyMap<string, string>
}

export interface XmlHandler {
  open(element: XmlElement): void
  text(text: string): void
  close(): void
}

type ByteChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Parses a document as it comes in, and lets others have their turn after every chunk. `document` names it in sentences.
 * Throws `IMPORT_FAILED/INVALID_FILE`, `IMPORT_FAILED/REFUSED` for what no document needs and attackers use, and
 * `IMPORT_FAILED/TOO_LARGE`; and what the handler throws.
 */
export async function readXml(chunks: ByteChunks, handler: XmlHandler, document: string): Promise<void> {
  const decoder = new Utf8Decoder(document)
  const parser = new GuardedParser(handler, document)
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += xmlChunkBytes) {
      parser.write(decoder.decode(chunk.subarray(start, start + xmlChunkBytes)))
      await nextTurn()
    }
  }
  parser.write(decoder.end())
  parser.end()
}

class Utf8Decoder {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #document: string
  #bytes = 0

  constructor(document: string) {
    this.#document = document
  }

  decode(chunk: Uint8Array): string {
    this.#refuseUtf16(chunk)
    this.#bytes += chunk.length
    if (this.#bytes > xmlBytesMax) throw tooLarge(this.#document, `has more than ${xmlBytesMax} bytes`)
    return this.#decoded(() => this.#decoder.decode(chunk, { stream: true }))
  }

  end(): string {
    return this.#decoded(() => this.#decoder.decode())
  }

  #decoded(decode: () => string): string {
    try {
      return decode()
    } catch {
      throw invalid(this.#document, 'is not UTF-8 text; export it as UTF-8')
    }
  }

  #refuseUtf16(chunk: Uint8Array): void {
    if (this.#bytes > 0) return
    const [first, second] = chunk
    const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
    if (marked) throw invalid(this.#document, 'is UTF-16 text; export it as UTF-8')
  }
}

class GuardedParser {
  readonly #parser = new SaxesParser({ xmlns: true })
  readonly #handler: XmlHandler
  readonly #document: string
  #depth = 0
  #elements = 0
  #attributes = 0
  #events = 0
  /** Characters since the last event: the parser keeps them until the text, tag, or comment ends. */
  #kept = 0

  constructor(handler: XmlHandler, document: string) {
    this.#handler = handler
    this.#document = document
    this.#parser.on('error', (error) => {
      throw invalid(document, `is no well-formed XML (${error.message}); export it again`)
    })
    this.#parser.on('xmldecl', ({ encoding }) => this.#checkEncoding(encoding))
    this.#parser.on('doctype', () => this.#refuseDoctype())
    this.#parser.on('opentagstart', () => this.#countElement())
    this.#parser.on('attribute', ({ value }) => this.#countAttribute(value))
    this.#parser.on('opentag', (tag) => handler.open(xmlElement(tag)))
    this.#parser.on('text', (text) => this.#text(text))
    this.#parser.on('cdata', (text) => this.#text(text))
    this.#parser.on('comment', () => this.#event())
    this.#parser.on('processinginstruction', () => this.#event())
    this.#parser.on('closetag', () => this.#close())
  }

  write(text: string): void {
    const before = this.#events
    this.#parser.write(text)
    this.#kept = this.#events === before ? this.#kept + text.length : 0
    if (this.#kept > xmlTextLengthMax)
      throw tooLarge(this.#document, `has more than ${xmlTextLengthMax} characters between tags`)
  }

  end(): void {
    this.#parser.close()
  }

  #event(): void {
    this.#events += 1
  }

  #countElement(): void {
    this.#event()
    this.#attributes = 0
    this.#elements += 1
    this.#depth += 1
    if (this.#elements > xmlElementsMax) throw tooLarge(this.#document, `has more than ${xmlElementsMax} elements`)
    if (this.#depth > xmlDepthMax) throw tooLarge(this.#document, `nests elements more than ${xmlDepthMax} deep`)
  }

  #countAttribute(value: string): void {
    this.#event()
    this.#attributes += 1
    if (this.#attributes > xmlAttributesMax)
      throw tooLarge(this.#document, `has an element with more than ${xmlAttributesMax} attributes`)
    if (value.length > xmlAttributeLengthMax)
      throw tooLarge(this.#document, `has an attribute of more than ${xmlAttributeLengthMax} characters`)
  }

  #text(text: string): void {
    this.#event()
    if (this.#depth > 0) this.#handler.text(text)
  }

  #close(): void {
    this.#event()
    this.#depth -= 1
    this.#handler.close()
  }

  #refuseDoctype(): void {
    throw new QdaFailure(
      'IMPORT_FAILED/REFUSED',
      `${this.#document} has a document type declaration, which may define entities; export it without one`,
    )
  }

  #checkEncoding(encoding: string | undefined): void {
    if (encoding === undefined || /^(utf-?8|us-ascii|ascii)$/i.test(encoding)) return
    throw invalid(this.#document, `says that it is ${encoding.slice(0, 40)}; export it as UTF-8`)
  }
}

function xmlElement(tag: SaxesTagNS): XmlElement {
  const attributes = new Map<string, string>()
  for (const name in tag.attributes) {
    const attribute = tag.attributes[name] as SaxesAttributeNS
    if (attribute.uri === '') attributes.set(attribute.local, attribute.value)
  }
  return { name: tag.local, namespace: tag.uri, attributes }
}

function invalid(document: string, what: string): QdaFailure {
  return new QdaFailure('IMPORT_FAILED/INVALID_FILE', `${document} ${what}`)
}

function tooLarge(document: string, what: string): QdaFailure {
  return new QdaFailure('IMPORT_FAILED/TOO_LARGE', `${document} ${what}; export it in parts`)
}
