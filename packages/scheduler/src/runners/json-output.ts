import { documentBytesMax, lineBytesMax, resultBytesMax, sessionIdLengthMax } from '../limits.js'
import { type Extraction, extractFrom, textOf } from './extraction.js'
import { HeadAndTail } from './head-and-tail.js'
import { type Usage, withReported } from './usage.js'

/** What a program's output says as JSON. */
export interface JsonFindings {
  /** Undefined when the output is no JSON, or too long to be read as such. */
  readonly result?: string
  readonly sessionId?: string
  readonly usage: Usage
  /** Whether any of it was JSON. */
  readonly isJson: boolean
  /** What could not be read because of its length. */
  readonly tooLong?: 'document' | 'line'
}

/** Reads a program's output as JSON while it comes, in bounded memory: as one document, and as lines. */
export class JsonOutput {
  readonly #lines: LineReader
  readonly #asDocument: ValueReader
  readonly #asLines: ValueReader
  #document: Buffer[] | 'too long' = []
  #documentBytes = 0

  constructor(resultFrom: Extraction | undefined, sessionFrom: Extraction | undefined) {
    this.#asDocument = new ValueReader(meantFor('json', resultFrom), meantFor('json', sessionFrom))
    this.#asLines = new ValueReader(meantFor('ndjson', resultFrom), meantFor('ndjson', sessionFrom))
    this.#lines = new LineReader((line) => this.#asLines.read(line))
  }

  push(bytes: Buffer): void {
    this.#lines.push(bytes)
    if (this.#document === 'too long') return
    this.#documentBytes += bytes.length
    if (this.#documentBytes > documentBytesMax) this.#document = 'too long'
    else this.#document.push(Buffer.from(bytes))
  }

  end(): JsonFindings {
    this.#lines.end()
    const isTooLong = this.#document === 'too long'
    if (this.#document !== 'too long') this.#asDocument.read(Buffer.concat(this.#document))
    this.#document = []
    const [document, lines] = [this.#asDocument, this.#asLines]
    const result = document.result ?? lines.result
    const sessionId = document.sessionId ?? lines.sessionId
    return {
      usage: document.isJson ? document.usage : lines.usage,
      isJson: document.isJson || lines.isJson,
      ...(result !== undefined && { result }),
      ...(sessionId !== undefined && { sessionId }),
      ...(result === undefined && (isTooLong || this.#lines.skipped) && { tooLong: isTooLong ? 'document' : 'line' }),
    }
  }
}

function meantFor(kind: 'json' | 'ndjson', extraction: Extraction | undefined): Extraction | undefined {
  if (extraction === undefined || extraction.format === 'any') return extraction
  return (extraction.format === 'json') === (kind === 'json') ? extraction : undefined
}

/** What was found in the JSON values that were read. */
class ValueReader {
  readonly #resultFrom: Extraction | undefined
  readonly #sessionFrom: Extraction | undefined
  #result: HeadAndTail | undefined
  sessionId: string | undefined
  usage: Usage = {}
  isJson = false

  constructor(resultFrom: Extraction | undefined, sessionFrom: Extraction | undefined) {
    this.#resultFrom = resultFrom
    this.#sessionFrom = sessionFrom
  }

  get result(): string | undefined {
    return this.#result?.read(resultBytesMax, 0.5)
  }

  read(bytes: Buffer): void {
    const value = parsed(bytes)
    if (value === undefined) return
    this.isJson = true
    this.usage = withReported(this.usage, value)
    if (this.#sessionFrom !== undefined) this.sessionId ??= asSessionId(extractFrom(value, this.#sessionFrom))
    if (this.#resultFrom !== undefined) this.#addResult(textOf(extractFrom(value, this.#resultFrom)), this.#resultFrom)
  }

  #addResult(text: string | undefined, { format }: Extraction): void {
    if (text === undefined) return
    const isJoined = format !== 'ndjson-last' && this.#result !== undefined
    this.#result = isJoined ? this.#result! : new HeadAndTail()
    this.#result.push(Buffer.from(isJoined ? `\n${text}` : text))
  }
}

/** Lines of bytes; one that is too long is passed over. */
class LineReader {
  readonly #onLine: (line: Buffer) => void
  #begun: Buffer[] = []
  #begunBytes = 0
  /** Whether a line was too long. */
  skipped = false

  constructor(onLine: (line: Buffer) => void) {
    this.#onLine = onLine
  }

  push(bytes: Buffer): void {
    let from = 0
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, from)) {
      this.#add(bytes.subarray(from, at))
      this.end()
      from = at + 1
    }
    this.#add(bytes.subarray(from))
  }

  end(): void {
    const isTooLong = this.#begunBytes > lineBytesMax
    const line = Buffer.concat(this.#begun)
    this.#begun = []
    this.#begunBytes = 0
    if (isTooLong) this.skipped = true
    else if (line.length > 0) this.#onLine(line)
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#begunBytes += bytes.length
    if (this.#begunBytes > lineBytesMax) this.#begun = []
    else this.#begun.push(Buffer.from(bytes))
  }
}

const [openBrace, openBracket, byteOrderMark] = [0x7b, 0x5b, 0xef]

/** Objects and lists only: a line that happens to be a number is somebody's text. */
function parsed(bytes: Buffer): unknown {
  const first = bytes.find((byte) => byte > 0x20)
  if (first !== openBrace && first !== openBracket && first !== byteOrderMark) return undefined
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** It becomes an argument: nothing that could be taken for an option, or for anything but an id. */
function asSessionId(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > sessionIdLengthMax) return undefined
  return /^[A-Za-z0-9_][\w.:/@+=-]*$/.test(value) ? value : undefined
}
