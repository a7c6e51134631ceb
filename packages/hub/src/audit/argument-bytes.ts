import { parseJson } from '../broker/definition.js'

/**
 * The bytes of `arguments` in the params of a call, as they were sent; undefined: there are none. Of several the last, which is the one
 * that whoever parses the params gets.
 */
export function argumentBytes(params: Uint8Array): Uint8Array | undefined {
  let found: Uint8Array | undefined
  let at = skipSpace(params, 0)
  if (params[at] !== brace) return undefined
  at = skipSpace(params, at + 1)
  while (params[at] === quote) {
    const keyEnd = stringEnd(params, at)
    const from = skipSpace(params, skipSpace(params, keyEnd) + 1)
    const end = valueEnd(params, from)
    if (isArguments(params.subarray(at, keyEnd))) found = params.subarray(from, end)
    at = skipSpace(params, end)
    if (params[at] !== comma) return found
    at = skipSpace(params, at + 1)
  }
  return found
}

/** Also where some of its letters are written as escapes. */
function isArguments(text: Uint8Array): boolean {
  if (text.length === key.length) return key.every((byte, index) => text[index] === byte)
  if (text.length > longestKeyBytes || !text.includes(backslash)) return false
  return parseJson(text) === 'arguments'
}

/** Each letter as an escape of six bytes. */
const longestKeyBytes = 2 + 6 * 'arguments'.length

const [quote, backslash, comma, brace] = Buffer.from('"\\,{') as unknown as [number, number, number, number]
const opening: ReadonlySet<number | undefined> = new Set(Buffer.from('{['))
const closing: ReadonlySet<number | undefined> = new Set(Buffer.from('}]'))
const spaces: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\r\n'))
const key = Buffer.from('"arguments"')

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (spaces.has(bytes[at])) at++
  return at
}

/** After the closing quote; the end where there is none. */
function stringEnd(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === quote) return at + 1
    if (bytes[at] === backslash) at++
  }
  return bytes.length
}

function valueEnd(bytes: Uint8Array, from: number): number {
  let depth = 0
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = stringEnd(bytes, at) - 1
    else if (opening.has(byte)) depth++
    else if (closing.has(byte)) {
      if (depth === 0) return trimmedEnd(bytes, from, at)
      depth--
    } else if (byte === comma && depth === 0) return trimmedEnd(bytes, from, at)
  }
  return bytes.length
}

function trimmedEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = end
  while (at > from && spaces.has(bytes[at - 1])) at--
  return at
}
