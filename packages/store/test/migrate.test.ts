import { expect, it } from 'vitest'
import { columnsFor, type Migration, openStore, type Store } from '../src/index.js'
import { describeBothDatabases, type TestLocation } from '../src/testing/both-databases.js'

type StepSchema = { step: { id: number; name: string } }

const create: Migration = {
  name: '0001_create',
  async up(db, dialect) {
    const column = columnsFor(dialect)
    await db.schema
      .createTable('step')
      .$call(column.autoIncrementId())
      .addColumn('name', column.text, (name) => name.notNull())
      .execute()
  },
}

function writing(name: string): Migration {
  return {
    name,
    async up(db) {
      await db
        .withTables<StepSchema>()
        .insertInto('step')
        .values({ name } as StepSchema['step'])
        .execute()
    },
  }
}

function open(location: TestLocation, migrations: readonly Migration[]): Promise<Store<StepSchema>> {
  return openStore<StepSchema>({ name: 'steps', migrations, durability: 'normal', ...location })
}

async function steps(location: TestLocation, migrations: readonly Migration[]): Promise<string[]> {
  await using store = await open(location, migrations)
  const rows = await store.db.selectFrom('step').select('name').orderBy('id').execute()
  return rows.map(({ name }) => name)
}

describeBothDatabases('migrations', (database) => {
  it('run in their order, each once', async () => {
    const location = await database.create()
    expect(await steps(location, [create, writing('b'), writing('a')])).toEqual(['b', 'a'])
    expect(await steps(location, [create, writing('b'), writing('a')])).toEqual(['b', 'a'])
    expect(await steps(location, [create, writing('b'), writing('a'), writing('c')])).toEqual(['b', 'a', 'c'])
  })

  it('leave nothing of one that fails, and keep those before it', async () => {
    const location = await database.create()
    const failing: Migration = {
      name: 'failing',
      async up(db, dialect) {
        await writing('half').up(db, dialect)
        await db.schema.createTable('half').addColumn('name', 'text').execute()
        throw new Error('no further')
      },
    }
    await expect(open(location, [create, writing('a'), failing])).rejects.toThrow('no further')
    const repaired: Migration = {
      name: 'failing',
      async up(db, dialect) {
        await db.schema.createTable('half').addColumn('name', 'text').execute()
        await writing('whole').up(db, dialect)
      },
    }
    expect(await steps(location, [create, writing('a'), repaired])).toEqual(['a', 'whole'])
  })

  it('are refused, and nothing runs, when the database is newer than the program', async () => {
    const location = await database.create()
    await steps(location, [create, writing('future')])
    await expect(open(location, [create])).rejects.toMatchObject({
      name: 'StoreError',
      code: 'newer',
      message:
        'The database "steps" was written by a newer Callboard (migration "future"): upgrade this program, or give it another data directory or DATABASE_URL.',
    })
    await expect(open(location, [create, writing('other')])).rejects.toMatchObject({ code: 'newer' })
    expect(await steps(location, [create, writing('future')])).toEqual(['future'])
  })

  it('may not be inserted before one that has run, nor share a name', async () => {
    const location = await database.create()
    await steps(location, [create, writing('a')])
    await expect(open(location, [create, writing('between'), writing('a')])).rejects.toThrow('"a" has already run')
    await expect(open(location, [create, create])).rejects.toThrow('share a name')
  })
})
