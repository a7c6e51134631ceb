import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { DialectName } from '../store.js'
import { PostgresServer } from './postgres-server.js'

/** Spread into the options of `openStore`. */
export interface TestLocation {
  readonly dataDirectory: string
  readonly databaseUrl?: string
}

export interface TestDatabase {
  readonly dialect: DialectName
  /** A new, empty place: a temporary directory, and for PostgreSQL a new database on the file's one server. */
  create(): Promise<TestLocation>
}

/**
 * Declares the same suite over both databases. Call it at the top level of a test file: all its calls share one PostgreSQL,
 * which ends with the file, as do the temporary directories, whether tests passed or not.
 */
export function describeBothDatabases(name: string, suite: (database: TestDatabase) => void): void {
  afterAll(removeEverything)
  describe.each<DialectName>(['sqlite', 'postgres'])(`${name} over %s`, (dialect) => {
    // A server that does not start fails the suite in its name, not its first test.
    if (dialect === 'postgres') beforeAll(startServer)
    suite({ dialect, create: () => createLocation(dialect) })
  })
}

let server: Promise<PostgresServer> | undefined
const directories = new Set<string>()

async function startServer(): Promise<void> {
  server ??= PostgresServer.start()
  await server
}

async function createLocation(dialect: DialectName): Promise<TestLocation> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'callboard-store-'))
  directories.add(dataDirectory)
  if (dialect === 'sqlite') return { dataDirectory }
  await startServer()
  return { dataDirectory, databaseUrl: await (await server)!.createDatabase() }
}

async function removeEverything(): Promise<void> {
  const running = server
  server = undefined
  const removals = [...directories].map((directory) => rm(directory, { recursive: true, force: true }))
  directories.clear()
  await Promise.all([...removals, running?.then((started) => started.stop())])
}
