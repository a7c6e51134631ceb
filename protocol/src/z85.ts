import { curveKeyBytes, curveKeyLength } from './limits.js'

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#'
const values = new Map([...digits].map((digit, value) => [digit, value]))

/** A CURVE key as text: 40 characters of Z85 (ZeroMQ RFC 32). @throws TypeError unless there are 32 bytes. */
export function encodeCurveKey(bytes: Uint8Array): string {
  if (bytes.byteLength !== curveKeyBytes) throw new TypeError(`A key has ${curveKeyBytes} bytes.`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let text = ''
  for (let at = 0; at < curveKeyBytes; at += 4) text += group(view.getUint32(at))
  return text
}

/** The 32 bytes; undefined where the text is no key. Each key has one text, so that texts may be compared. */
export function decodeCurveKey(text: string): Uint8Array | undefined {
  if (text.length !== curveKeyLength) return undefined
  const bytes = new Uint8Array(curveKeyBytes)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < curveKeyLength; at += 5) {
    const word = wordOf(text.slice(at, at + 5))
    if (word === undefined) return undefined
    view.setUint32((at / 5) * 4, word)
  }
  return bytes
}

function group(word: number): string {
  let text = ''
  for (let rest = word, left = 5; left > 0; left--, rest = Math.floor(rest / 85)) text = digits[rest % 85] + text
  return text
}

function wordOf(group: string): number | undefined {
  let word = 0
  for (const digit of group) {
    const value = values.get(digit)
    if (value === undefined) return undefined
    word = word * 85 + value
  }
  return word <= 0xffff_ffff ? word : undefined
}
