import type { Row, SqlValue } from '../project/project-database.js'

/** A row, or some of its columns, as JSON that gives the same values back. */
export function imageOf(row: Row): string {
  return JSON.stringify(Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plain(value)])))
}

export function rowOf(image: string): Row {
  const plainRow = JSON.parse(image) as { readonly [column: string]: Plain }
  return Object.fromEntries(Object.entries(plainRow).map(([column, value]) => [column, storedValue(value)]))
}

export function isSameValue(one: SqlValue | undefined, other: SqlValue | undefined): boolean {
  if (isBytes(one) && isBytes(other)) return Buffer.compare(one, other) === 0
  return one === other
}

type Plain =
  | string
  | number
  | null
  | { readonly blob: string }
  | { readonly integer: string }
  | { readonly real: string }

function plain(value: SqlValue): Plain {
  if (typeof value === 'bigint') return { integer: String(value) }
  // JSON has no infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return { real: String(value) }
  return isBytes(value) ? { blob: Buffer.from(value).toString('base64') } : value
}

function storedValue(value: Plain): SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value !== 'object') throw new TypeError('no value of a row')
  if ('blob' in value) return Buffer.from(value.blob, 'base64')
  return 'real' in value ? Number(value.real) : BigInt(value.integer)
}

const isBytes = (value: unknown): value is Uint8Array => ArrayBuffer.isView(value)
