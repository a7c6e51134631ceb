import type { CustomTypesConfig } from 'pg'
import type { PgModule } from './pg-module.js'
import { safeInteger } from './safe-integer.js'

/** Object ids of pg_type, fixed for ever. */
const boolType = 16
const int8Type = 20
const numericType = 1700

/** node-postgres returns these as boolean and text. SQLite returns numbers, and so do we. */
export function postgresTypeParsers(pg: PgModule): CustomTypesConfig {
  const parsers = new pg.TypeOverrides()
  parsers.setTypeParser(boolType, (text) => (text === 't' ? 1 : 0))
  parsers.setTypeParser(int8Type, (text) => safeInteger(Number(text)))
  // Sums of int8, and averages.
  parsers.setTypeParser(numericType, (text) => safeInteger(Number(text)))
  return parsers
}
