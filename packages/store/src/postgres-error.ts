import type { PostgresAddress } from './postgres-address.js'
import { StoreError, type StoreErrorCode } from './store-error.js'

/** SQLSTATE and system codes, what they mean to an operator, and what to do. */
const meanings: readonly (readonly [pattern: RegExp, code: StoreErrorCode, remedy: string])[] = [
  [/^28/, 'invalid_url', 'refuses the user or the password: correct DATABASE_URL.'],
  [/^3D000$/, 'invalid_url', 'has no such database: create it or correct DATABASE_URL.'],
  [/^(42501|25006)$/, 'not_writable', 'refuses to write: grant the user CREATE on the database and all on its schema.'],
  [/^53100$/, 'not_writable', 'has a full disk: free some space there.'],
  [/^55P03$/, 'locked', 'was kept locked by another process for too long: try again.'],
  [/^XX00[12]$/, 'corrupt', 'reports damaged data: restore it from a backup.'],
  [/^53300$/, 'unavailable', 'has no connection left: raise its max_connections or stop other clients.'],
  [/^(08|57P)/, 'unavailable', 'ended the connection: start it again.'],
  [/^(E[A-Z_]+|CERT_|DEPTH_|SELF_|UNABLE_)/, 'unavailable', 'cannot be reached: start it or correct DATABASE_URL.'],
]

/** The StoreError for what an operator can do something about, any other error as it is. */
export function postgresError(error: unknown, address: PostgresAddress): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : codeFromMessage(error.message)
  const meaning = meanings.find(([pattern]) => pattern.test(code))
  if (!meaning) return error
  const [, storeCode, remedy] = meaning
  const cause = new Error(address.redact(error.message))
  return new StoreError(storeCode, `PostgreSQL at ${address.place} ${remedy}`, { cause })
}

/** node-postgres gives no code to a lost, refused or late connection. */
function codeFromMessage(message: string): string {
  return /connection|not queryable|connect\b|SSL|server/i.test(message) ? 'ECONNECTION' : ''
}
