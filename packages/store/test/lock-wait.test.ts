import { expect, it, vi } from 'vitest'
import { openStore, type Store } from '../src/index.js'
import { describeBothDatabases, type TestLocation } from '../src/testing/both-databases.js'

// The only thing that this file changes: nobody should wait ten seconds for its tests.
vi.mock('../src/limits.js', async (importOriginal) => ({ ...(await importOriginal<object>()), lockWaitMs: 100 }))

type CountSchema = { count: { value: number } }

const migrations = [
  {
    name: '0001_count',
    up: async (db: Parameters<Parameters<Store<unknown>['transaction']>[0]>[0]) => {
      await db.schema.createTable('count').addColumn('value', 'bigint').execute()
    },
  },
]

function open(location: TestLocation): Promise<Store<CountSchema>> {
  return openStore<CountSchema>({ name: 'counts', migrations, durability: 'normal', access: 'shared', ...location })
}

const insert = (store: Store<CountSchema>) => store.db.insertInto('count').values({ value: 1 }).execute()

describeBothDatabases('a write', (database) => {
  it('gives up on another writer in the end, and the store stays usable', async () => {
    const location = await database.create()
    await using holder = await open(location)
    await using waiter = await open(location)
    await holder.transaction(async (transaction) => {
      await transaction.insertInto('count').values({ value: 1 }).execute()
      const work = vi.fn(async () => undefined)
      await expect(waiter.transaction(work)).rejects.toMatchObject({ name: 'StoreError', code: 'locked' })
      await expect(insert(waiter)).rejects.toMatchObject({ name: 'StoreError', code: 'locked' })
      expect(work).not.toHaveBeenCalled()
      expect(await waiter.db.selectFrom('count').selectAll().execute()).toEqual([])
    })
    await insert(waiter)
    expect(await waiter.db.selectFrom('count').selectAll().execute()).toHaveLength(2)
  })
})
