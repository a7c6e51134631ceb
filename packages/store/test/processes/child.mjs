// One process of a test: performs the commands that its parent sends, and ends with it.
import { createRequire } from 'node:module'
import { columnsFor, openStore } from '../../dist/index.js'

let store
let finishHolding

const migrations = [
  {
    name: '0001_counter',
    async up(db, dialect) {
      const column = columnsFor(dialect)
      await db.schema.createTable('counter').addColumn('value', column.integer).execute()
      await db.schema.createTable('migration_run').$call(column.autoIncrementId()).execute()
      await db.insertInto('counter').values({ value: 0 }).execute()
      // Long enough for the others to arrive, were they not kept out.
      for (let query = 0; query < 200; query++) await db.selectFrom('counter').selectAll().execute()
    },
  },
  {
    name: '0002_run',
    async up(db) {
      await db.insertInto('migration_run').defaultValues().execute()
    },
  },
]

async function increment(transaction) {
  const { value } = await transaction.selectFrom('counter').select('value').executeTakeFirstOrThrow()
  await transaction
    .updateTable('counter')
    .set({ value: value + 1 })
    .execute()
}

const commands = {
  async ready() {},
  async open(options) {
    store = await openStore({ name: 'processes', durability: 'normal', ...options, migrations })
  },
  /** Returns how often the work ran. */
  async increment(times) {
    let runs = 0
    for (let time = 0; time < times; time++) {
      await store.transaction(async (transaction) => {
        runs++
        await increment(transaction)
      })
    }
    return runs
  },
  /** Leaves a transaction open that has written. */
  hold: () =>
    new Promise((held, failed) => {
      const finished = new Promise((finish) => {
        finishHolding = finish
      })
      store
        .transaction(async (transaction) => {
          await increment(transaction)
          held()
          await finished
        })
        .catch(failed)
    }),
  async finishHolding() {
    finishHolding()
  },
  async migrationRuns() {
    return (await store.db.selectFrom('migration_run').selectAll().execute()).length
  },
  async hasLoadedPostgres() {
    return Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/node_modules/pg/'))
  },
  async becomeNobody() {
    if (process.getuid?.() === 0) process.setuid(65534)
  },
  async close() {
    await store.close()
  },
}

process.on('message', async ({ id, command, argument }) => {
  try {
    process.send({ id, result: await commands[command](argument) })
  } catch (error) {
    process.send({ id, error: { name: error.name, code: error.code, message: error.message } })
  }
})
process.on('disconnect', () => process.exit())
