import { jupyterPieceBytes } from '../../limits.js'
import type { JsonObject } from './wire.js'

/** A JSON object of which one string is not decoded yet. */
export interface LongText {
  /** The object with that string left empty. */
  readonly content: JsonObject
  /** The string in pieces, each decoded when it is taken; ends early where it is no JSON. */
  readonly pieces: Iterable<string>
}

const quote = 0x22
const colon = 0x3a
const comma = 0x2c
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Of an object of nothing but strings, the string of the name `text` for itself: decoding 100 MB at once takes that much
 * memory three times more. Undefined for any other object. Pure.
 */
export function splitLongText(json: Buffer): LongText | undefined {
  const content: { [name: string]: string } = {}
  let text: Buffer | undefined
  let at = afterSpace(json, 0)
  if (json[at] !== openBrace) return undefined
  do {
    const name = stringAt(json, afterSpace(json, at + 1))
    const middle = name && afterSpace(json, name.end)
    if (!name || middle === undefined || json[middle] !== colon) return undefined
    const value = stringAt(json, afterSpace(json, middle + 1))
    if (!value) return undefined
    const isText = json.toString('latin1', name.start, name.end) === '"text"'
    if (isText) text = json.subarray(value.start + 1, value.end - 1)
    const decodedName = isText ? 'text' : decode(json.subarray(name.start + 1, name.end - 1))
    const decodedValue = isText ? '' : decode(json.subarray(value.start + 1, value.end - 1))
    if (decodedName === undefined || decodedValue === undefined) return undefined
    content[decodedName] = decodedValue
    at = afterSpace(json, value.end)
  } while (json[at] === comma)
  const isWhole = json[at] === closeBrace && afterSpace(json, at + 1) === json.length
  return isWhole && text ? { content, pieces: piecesOf(text) } : undefined
}

function* piecesOf(text: Buffer): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    const end = boundary(text, at)
    const piece = decode(text.subarray(at, end))
    if (piece === undefined) return
    yield piece
    at = end
  }
}

function decode(characters: Buffer): string | undefined {
  try {
    return JSON.parse(`"${characters.toString('utf8')}"`) as string
  } catch {
    return undefined
  }
}

/** The last place within a piece from `start` on that is in no character and in no escape; past `start` in any case. */
function boundary(text: Buffer, start: number): number {
  const limit = start + jupyterPieceBytes
  if (limit >= text.length) return text.length
  let last = start
  for (let at = start; at <= limit; at += lengthAt(text, at)) last = at
  return last > start ? last : text.length
}

/** Of a character or escape; two escapes of one character count together. */
function lengthAt(text: Buffer, at: number): number {
  const byte = text[at]!
  if (byte !== backslash) return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
  if (text[at + 1] !== 0x75) return 2
  const isHighSurrogate = /^d[89ab]/i.test(text.toString('latin1', at + 2, at + 4))
  return isHighSurrogate && text[at + 6] === backslash ? 12 : 6
}

/** From its first quote to past its last. */
function stringAt(json: Buffer, start: number): { readonly start: number; readonly end: number } | undefined {
  if (json[start] !== quote) return undefined
  for (let at = start + 1; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === quote) return { start, end: at + 1 }
    if (byte === backslash) at += 1
  }
  return undefined
}

function afterSpace(json: Buffer, start: number): number {
  let at = start
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at += 1
  return at
}
