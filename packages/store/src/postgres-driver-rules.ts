import { CompiledQuery, type DatabaseConnection, type Driver, SelectQueryNode } from 'kysely'
import type { PostgresAddress } from './postgres-address.js'
import { postgresError } from './postgres-error.js'
import { advisoryKey } from './postgres-lock.js'
import type { PostgresOwnership } from './postgres-ownership.js'
import type { DriverRules } from './store-driver.js'

/**
 * Every write holds one advisory lock per store, which makes of PostgreSQL what SQLite is: transactions follow one another
 * over all processes. Serializable isolation would promise as much, but must be prepared to run a transaction twice.
 */
export function postgresRules(
  schema: string,
  address: PostgresAddress,
  ownership: PostgresOwnership | undefined,
): DriverRules {
  const [group, key] = advisoryKey('write', schema)
  const lock = CompiledQuery.raw(`select pg_advisory_xact_lock(${group}, ${key})`)

  const begin: DriverRules['begin'] = async (driver, connection, settings) => {
    await ownership?.hold()
    await driver.beginTransaction(connection, settings)
    await rollbackOnError(driver, connection, () => connection.executeQuery(lock))
  }

  return {
    begin,
    async autocommit(driver, connection, query) {
      if (SelectQueryNode.is(query.query)) return connection.executeQuery(query)
      await begin(driver, connection, {})
      return rollbackOnError(driver, connection, async () => {
        const result = await connection.executeQuery(query)
        await driver.commitTransaction(connection)
        return result
      })
    },
    translate: (error) => postgresError(error, address),
  }
}

async function rollbackOnError<Result>(
  driver: Driver,
  connection: DatabaseConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // It fails only where the connection is lost, and then the server rolls back.
    await driver.rollbackTransaction(connection).catch(() => undefined)
    throw error
  }
}
