import { isKeptUri, nameLengthMax, uriLengthMax } from '@callboard/protocol'
import { didYouMean } from '@callboard/protocol/nearest-name'
import { isRecord } from './json-body.js'

/** Checks of what a worker's author writes; a TypeError at definition time says what is wrong and where. */
export function requireName(kind: string, name: unknown): string {
  if (typeof name === 'string' && name.length <= nameLengthMax && /^[A-Za-z0-9_.-]+$/.test(name)) return name
  throw new TypeError(
    `${kind} name ${JSON.stringify(name)}: must be 1 to ${nameLengthMax} of A-Z, a-z, 0-9, "_", "-" and "."`,
  )
}

export function requireUri(kind: string, uri: unknown): string {
  const isUri = typeof uri === 'string' && uri.length <= uriLengthMax && /^[A-Za-z][A-Za-z0-9+.-]*:./.test(uri)
  if (isUri && isKeptUri(uri)) throw new TypeError(`${kind} ${uri}: this scheme is for results that the SDK keeps`)
  if (isUri) return uri
  throw new TypeError(
    `${kind} ${JSON.stringify(uri)}: must be a URI such as notes://today, ${uriLengthMax} characters at most`,
  )
}

export function requireText(what: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${what}: must be a text that is not empty`)
}

export function requireInteger(what: string, value: unknown, min: number, max: number): number {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number
  throw new TypeError(`${what}: must be a whole number from ${min} to ${max}, not ${String(value)}`)
}

export function requireFunction(what: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${what}: must be a function`)
}

/** A misspelt option would be passed over in silence. */
export function requireKnown(what: string, options: unknown, known: readonly string[]): void {
  if (!isRecord(options)) throw new TypeError(`${what}: its options must be an object`)
  const unknown = Object.keys(options).find((key) => !known.includes(key))
  if (unknown === undefined) return
  const hint = didYouMean(unknown, known) || ` (there are: ${known.join(', ')})`
  throw new TypeError(`${what}: unknown option ${JSON.stringify(unknown)}${hint}`)
}
