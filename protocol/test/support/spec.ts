import { readFileSync } from 'node:fs'

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

export const specification = read('SPEC.md')
export const errors = read('errors.md')

export interface Clause {
  readonly number: number
  readonly text: string
}

export function clauses(): Clause[] {
  return [...specification.matchAll(/^\*\*CB-(\d+)\*\* ([\s\S]*?)(?=\n\n|\n(?![\s\S]))/gm)].map(([, number, text]) => ({
    number: Number(number),
    text: text!,
  }))
}

/** A table of fields in SPEC.md. */
export interface MessageTable {
  readonly type: string
  readonly outcome?: string
  readonly hasBody: boolean
  readonly rows: readonly Row[]
}

export interface Row {
  /** Dotted where the field is one of a nested map. */
  readonly path: string
  readonly optional: boolean
  readonly type: TypeText
}

/** The type column of a row, taken apart. */
export type TypeText =
  | { readonly kind: 'text' | 'token' | 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'bytes'; readonly length: number }
  | { readonly kind: 'boolean' | 'map' | 'epoch' | 'service' }
  | { readonly kind: 'one of'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly countMax: number; readonly of: TypeText }

export function messageTables(): MessageTable[] {
  const heading =
    /^#### `(\w+)`(?: with outcome `(\w+)`)? — (.*)\n+\| Field +\| Type +\| Meaning +\|\n\|[ |-]+\|\n((?:\|.*\n)*)/gm
  return [...specification.matchAll(heading)].map(([, type, outcome, about, rows]) => ({
    type: type!,
    ...(outcome === undefined ? {} : { outcome }),
    hasBody: !about!.includes('no body'),
    rows: rows!.split('\n').filter(Boolean).map(parseRow),
  }))
}

function parseRow(line: string): Row {
  const [, field, type] = line.split('|').map((cell) => cell.trim())
  const [, path, mark] = /^`([\w.]+)(\?)?`$/.exec(field!)!
  return { path: path!, optional: mark !== undefined, type: parseType(type!) }
}

function parseType(text: string): TypeText {
  const range = /^(text|token|integer) (\d+)–(\d+)$/.exec(text)
  if (range) return { kind: range[1] as 'text', min: Number(range[2]), max: Number(range[3]) }
  const bytes = /^bytes (\d+)$/.exec(text)
  if (bytes) return { kind: 'bytes', length: Number(bytes[1]) }
  const list = /^list ≤ (\d+) of (.*)$/.exec(text)
  if (list) return { kind: 'list', countMax: Number(list[1]), of: parseType(list[2]!) }
  if (text.startsWith('one of ')) return { kind: 'one of', values: codesIn(text) }
  if (text === 'serial') return { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER }
  if (text === 'time') return { kind: 'integer', min: 0, max: 253_402_300_799_999 }
  if (text === 'boolean' || text === 'map' || text === 'epoch' || text === 'service') return { kind: text }
  throw new Error(`SPEC.md has an unknown type: ${text}`)
}

/** The words in backticks. */
export const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)

/** The codes that errors.md lists under a heading, in order. */
export function codesUnder(title: string): string[] {
  const section = errors.split(/^## /m).find((part) => part.startsWith(title))
  if (section === undefined) throw new Error(`errors.md has no section ${title}`)
  return [...section.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, code]) => code!)
}

/** Name and value of each row of the table of limits. */
export function limitRows(): Map<string, number> {
  const section = specification.slice(specification.indexOf('## 15. Limits'), specification.indexOf('## 16.'))
  return new Map([...section.matchAll(/^\| `(\w+)` +\| (\d+) +\|/gm)].map(([, name, value]) => [name!, Number(value)]))
}

/** The frames of the worked example, message by message. */
export function exampleFrames(): Uint8Array[][] {
  const section = specification.slice(specification.indexOf('## 17.'))
  return [...section.matchAll(/^```hex\n([\s\S]*?)^```/gm)].map(([, block]) =>
    block!
      .split(/^(?:head|body)/m)
      .slice(1)
      .map((text) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')),
  )
}
