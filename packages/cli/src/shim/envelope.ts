export type Id = string | number

/** The members of a message that say what it is. */
export interface Envelope {
  readonly id: Id | undefined
  readonly method: string | undefined
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * Reads a message's own id and method and skips all else, whatever is in it: calls and results may have megabytes, and objects
 * and texts in them may look like messages. For valid JSON it finds what JSON.parse finds, the last of two members of one name
 * among it. Undefined for what only JSON.parse can tell: escapes in names, odd numbers, lines without both, what is no object.
 * It does not judge what it skips: a line that is no JSON may have an envelope.
 */
export function readEnvelope(line: Buffer): Envelope | undefined {
  let id: Id | undefined
  let method: string | undefined
  let at = afterSpace(line, 0)
  if (line[at] !== openBrace) return undefined
  do {
    const nameAt = afterSpace(line, at + 1)
    const nameEnd = plainTextEnd(line, nameAt)
    const valueAt = nameEnd === -1 ? -1 : valueAfter(line, nameEnd + 1)
    const valueEnd = valueAt === -1 ? -1 : endOfValue(line, valueAt)
    if (valueEnd === -1) return undefined
    switch (memberAt(line, nameAt, nameEnd)) {
      case 'id':
        id = readId(line, valueAt, valueEnd)
        if (id === undefined) return undefined
        break
      case 'method':
        method = readText(line, valueAt, valueEnd)
        if (method === undefined) return undefined
        break
      case 'other':
        break
    }
    at = afterSpace(line, valueEnd)
  } while (line[at] === comma)
  if (line[at] !== closeBrace || afterSpace(line, at + 1) < line.length) return undefined
  return id === undefined && method === undefined ? undefined : { id, method }
}

function afterSpace(line: Buffer, from: number): number {
  let at = from
  while (at < line.length && isSpace(line[at])) at++
  return at
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Of a text without escapes, which `at` begins, the closing quote; else -1. */
function plainTextEnd(line: Buffer, from: number): number {
  if (line[from] !== quote) return -1
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === quote) return at
    if (line[at] === backslash) return -1
  }
  return -1
}

function valueAfter(line: Buffer, nameEnd: number): number {
  const at = afterSpace(line, nameEnd)
  return line[at] === colon ? afterSpace(line, at + 1) : -1
}

function memberAt(line: Buffer, nameAt: number, nameEnd: number): 'id' | 'method' | 'other' {
  // Their quotes are counted in.
  if (nameEnd - nameAt === 3 && line[nameAt + 1] === 0x69 && line[nameAt + 2] === 0x64) return 'id'
  if (nameEnd - nameAt !== 7 || line[nameAt + 1] !== 0x6d) return 'other'
  return line.toString('latin1', nameAt + 1, nameEnd) === 'method' ? 'method' : 'other'
}

/** Where the value that begins there is over; -1 where it is not. */
function endOfValue(line: Buffer, at: number): number {
  const first = line[at]
  if (first === quote) return endOfText(line, at)
  if (first === openBrace || first === openBracket) return endOfNested(line, at)
  return endOfWord(line, at)
}

/** What a byte may be of nested values: nothing that matters, or one of these. */
const textBegins = 1
const opens = 2
const closes = 3
const roles = new Uint8Array(256)
roles[quote] = textBegins
roles[openBrace] = roles[openBracket] = opens
roles[closeBrace] = roles[closeBracket] = closes

function endOfNested(line: Buffer, from: number): number {
  const { length } = line
  let depth = 0
  let at = from
  while (at < length) {
    const role = roles[line[at]!]
    if (role === textBegins) {
      at = endOfText(line, at)
      if (at === -1) return -1
      continue
    }
    at++
    if (role === opens) depth++
    else if (role === closes && --depth === 0) return at
  }
  return -1
}

/** So far it is quicker to look at each byte than to ask the system for the next quote. */
const nearBytes = 48

function endOfText(line: Buffer, from: number): number {
  const { length } = line
  let at = from + 1
  while (at < length) {
    const near = Math.min(at + nearBytes, length)
    while (at < near) {
      const byte = line[at]
      if (byte === quote) return at + 1
      at += byte === backslash ? 2 : 1
    }
    const next = line.indexOf(quote, at)
    if (next === -1) return -1
    if (!isEscaped(line, at, next)) return next + 1
    at = next + 1
  }
  return -1
}

/** Whether an odd number of backslashes stands before it; none before `from` counts. */
function isEscaped(line: Buffer, from: number, at: number): boolean {
  let first = at
  while (first > from && line[first - 1] === backslash) first--
  return (at - first) % 2 === 1
}

/** Of a number, or of true, false and null. */
function endOfWord(line: Buffer, from: number): number {
  let at = from
  while (at < line.length && !isWordEnd(line[at])) at++
  return at === from ? -1 : at
}

function isWordEnd(byte: number | undefined): boolean {
  return byte === comma || byte === closeBrace || isSpace(byte)
}

function readId(line: Buffer, at: number, end: number): Id | undefined {
  return line[at] === quote ? readText(line, at, end) : readWholeNumber(line, at, end)
}

/** More digits than these may not be a number of their own. */
const digitsMax = 15

function readWholeNumber(line: Buffer, from: number, end: number): number | undefined {
  if (end - from > digitsMax || (line[from] === 0x30 && end - from > 1)) return undefined
  let value = 0
  for (let at = from; at < end; at++) {
    const digit = line[at]! - 0x30
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

/** Ids and methods beyond it are parsed. */
const textBytesMax = 200

/** A text without escapes, in ASCII: anything else is not what its bytes are. */
function readText(line: Buffer, at: number, end: number): string | undefined {
  if (line[at] !== quote || end - at > textBytesMax) return undefined
  for (let each = at + 1; each < end - 1; each++) {
    const byte = line[each]!
    if (byte < 0x20 || byte > 0x7e || byte === backslash) return undefined
  }
  return line.toString('latin1', at + 1, end - 1)
}
