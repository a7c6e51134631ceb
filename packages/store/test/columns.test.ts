import fc from 'fast-check'
import { type Generated, sql } from 'kysely'
import { expect, it } from 'vitest'
import { columnsFor, type Flag, flag, type Migration, openStore, type Store } from '../src/index.js'
import { describeBothDatabases, type TestLocation } from '../src/testing/both-databases.js'

type ValueSchema = {
  value: { id: Generated<number>; at: number; real: number; done: Flag; text: string; json: string }
}

const migrations: readonly Migration[] = [
  {
    name: '0001_value',
    async up(db, dialect) {
      const column = columnsFor(dialect)
      await db.schema
        .createTable('value')
        .$call(column.autoIncrementId())
        .addColumn('at', column.milliseconds)
        .addColumn('real', column.real)
        .addColumn('done', column.flag)
        .addColumn('text', column.text)
        .addColumn('json', column.json)
        .execute()
    },
  },
]

function open(location: TestLocation): Promise<Store<ValueSchema>> {
  return openStore<ValueSchema>({ name: 'values', migrations, durability: 'normal', ...location })
}

const row = { at: 0, real: 0, done: flag(false), text: '', json: 'null' }

describeBothDatabases('a column', (database) => {
  it('returns what was stored', async () => {
    await using store = await open(await database.create())
    const rows = fc.record({
      at: fc.maxSafeInteger(),
      real: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }).map((real) => real + 0),
      done: fc.boolean().map(flag),
      // PostgreSQL has no U+0000.
      text: fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
      json: fc.json().filter((text) => !text.includes('\0')),
    })
    await fc.assert(
      fc.asyncProperty(rows, async (values) => {
        const stored = await store.db.insertInto('value').values(values).returningAll().executeTakeFirstOrThrow()
        expect(stored).toEqual({ ...values, id: expect.any(Number) })
      }),
      { numRuns: 50 },
    )
  })

  it('numbers its rows and never uses a number twice', async () => {
    await using store = await open(await database.create())
    const insert = () => store.db.insertInto('value').values(row).returning('id').executeTakeFirstOrThrow()
    expect([await insert(), await insert()]).toEqual([{ id: 1 }, { id: 2 }])
    await store.db.deleteFrom('value').where('id', '=', 2).execute()
    expect(await insert()).toEqual({ id: 3 })
  })

  it('refuses an integer that a number cannot hold', async () => {
    await using store = await open(await database.create())
    const read = () => store.db.selectFrom('value').select('at').executeTakeFirstOrThrow()
    await store.db
      .insertInto('value')
      .values({ ...row, at: Number.MAX_SAFE_INTEGER })
      .execute()
    expect(await read()).toEqual({ at: Number.MAX_SAFE_INTEGER })
    await sql`update value set at = 9007199254740993`.execute(store.db)
    await expect(read()).rejects.toMatchObject({ code: 'corrupt' })
    expect(
      await store.db.selectFrom('value').select(sql<string>`cast(at as text)`.as('at')).executeTakeFirst(),
    ).toEqual({ at: '9007199254740993' })
  })

  it('counts, adds, compares and divides to the same numbers', async () => {
    await using store = await open(await database.create())
    await store.db
      .insertInto('value')
      .values([
        { ...row, at: 7, done: 1 },
        { ...row, at: 2 },
      ])
      .execute()
    const result = await store.db
      .selectFrom('value')
      .select((select) => [
        select.fn.countAll<number>().as('count'),
        select.fn.sum<number>('at').as('sum'),
        select.fn.avg<number>('at').as('average'),
        sql<Flag>`max(at) > 5`.as('large'),
        sql<number>`max(at) / cast(${2} as integer)`.as('quotient'),
        sql<string>`'n' || cast(${5} as text)`.as('text'),
      ])
      .executeTakeFirstOrThrow()
    expect(result).toEqual({ count: 2, sum: 9, average: 4.5, large: 1, quotient: 3, text: 'n5' })
  })

  it('sorts text by code point and distinguishes case', async () => {
    await using store = await open(await database.create())
    const texts = ['b', 'B', 'a', 'ä', 'Z', '_']
    await store.db
      .insertInto('value')
      .values(texts.map((text) => ({ ...row, text })))
      .execute()
    const sorted = await store.db.selectFrom('value').select('text').orderBy('text').execute()
    expect(sorted.map(({ text }) => text)).toEqual(['B', 'Z', '_', 'a', 'b', 'ä'])
    const liked = await store.db.selectFrom('value').select('text').where('text', 'like', 'b%').execute()
    expect(liked).toEqual([{ text: 'b' }])
  })
})
