import { expect, it, vi } from 'vitest'
import { columnsFor, type Migration, openStore, type Store, StoreError } from '../src/index.js'
import { describeBothDatabases, type TestLocation } from '../src/testing/both-databases.js'

type NoteSchema = { note: { name: string; length: number } }

const migrations: readonly Migration[] = [
  {
    name: '0001_note',
    async up(db, dialect) {
      const column = columnsFor(dialect)
      await db.schema
        .createTable('note')
        .addColumn('name', column.text, (name) => name.primaryKey())
        .addColumn('length', column.integer, (length) => length.notNull())
        .execute()
    },
  },
]

function openNotes(location: TestLocation): Promise<Store<NoteSchema>> {
  return openStore<NoteSchema>({ name: 'notes', migrations, durability: 'normal', ...location })
}

async function names(store: Store<NoteSchema>): Promise<string[]> {
  const rows = await store.db.selectFrom('note').select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}

const note = (name: string) => ({ name, length: name.length })

/** A promise and the function that settles it. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describeBothDatabases('a transaction', (database) => {
  it('commits what it wrote and returns what its work returned', async () => {
    await using store = await openNotes(await database.create())
    const result = await store.transaction(async (transaction) => {
      await transaction.insertInto('note').values(note('a')).execute()
      return 'done'
    })
    expect(result).toBe('done')
    expect(await names(store)).toEqual(['a'])
  })

  it('rolls back when its work rejects, and passes the error on', async () => {
    await using store = await openNotes(await database.create())
    const failure = new Error('half-way')
    const failing = store.transaction(async (transaction) => {
      await transaction.insertInto('note').values(note('a')).execute()
      throw failure
    })
    await expect(failing).rejects.toBe(failure)
    expect(await names(store)).toEqual([])
  })

  it('rolls back when a statement fails, and passes the database error on', async () => {
    await using store = await openNotes(await database.create())
    const failing = store.transaction(async (transaction) => {
      await transaction.insertInto('note').values(note('a')).execute()
      await transaction.insertInto('note').values(note('a')).execute()
    })
    await expect(failing).rejects.toThrow(/unique/i)
    expect(await names(store)).toEqual([])
  })

  it('cannot commit after a statement that failed, even if its work swallows the error', async () => {
    await using store = await openNotes(await database.create())
    const failing = store.transaction(async (transaction) => {
      await transaction.insertInto('note').values(note('a')).execute()
      await transaction
        .insertInto('note')
        .values(note('a'))
        .execute()
        .catch(() => undefined)
    })
    await expect(failing).rejects.toThrow('can only roll back')
    expect(await names(store)).toEqual([])
    await store.db.insertInto('note').values(note('b')).execute()
    expect(await names(store)).toEqual(['b'])
  })

  it('refuses to nest, and rolls back', async () => {
    await using store = await openNotes(await database.create())
    const nested = store.transaction(async (transaction) => {
      await transaction.insertInto('note').values(note('outer')).execute()
      await store.transaction((inner) => inner.insertInto('note').values(note('inner')).execute())
    })
    await expect(nested).rejects.toThrow("use the transaction's own handle")
    expect(await names(store)).toEqual([])
  })

  it('refuses the handle of the store inside, but not to what outlives it', async () => {
    await using store = await openNotes(await database.create())
    await expect(store.transaction(() => names(store))).rejects.toThrow("use the transaction's own handle")
    await expect(store.transaction(() => store.close())).rejects.toThrow("use the transaction's own handle")
    const ended = gate()
    let later: Promise<string[]> | undefined
    await store.transaction(async () => {
      later = ended.opened.then(() => names(store))
    })
    ended.open()
    expect(await later).toEqual([])
  })

  it('runs alone, in the order of the calls', async () => {
    await using store = await openNotes(await database.create())
    const first = gate()
    const log: string[] = []
    const calls = ['a', 'b', 'c'].map((name) =>
      store.transaction(async (transaction) => {
        log.push(`${name} begins`)
        if (name === 'a') await first.opened
        await transaction.insertInto('note').values(note(name)).execute()
        log.push(`${name} ends`)
      }),
    )
    first.open()
    await Promise.all(calls)
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('never overtakes a single statement that is written at the same time', async () => {
    await using store = await openNotes(await database.create())
    await store.db.insertInto('note').values({ name: 'n', length: 0 }).execute()
    const add = (by: number) =>
      store.db
        .updateTable('note')
        .set((update) => ({ length: update('length', '+', by) }))
        .execute()
    const hasRead = gate()
    const transaction = store.transaction(async (handle) => {
      const { length } = await handle.selectFrom('note').select('length').executeTakeFirstOrThrow()
      hasRead.open()
      // On PostgreSQL the other statement has a connection of its own and would get in here, were it not for the lock.
      for (let query = 0; query < 200; query++) await handle.selectFrom('note').selectAll().execute()
      await handle
        .updateTable('note')
        .set({ length: length + 1 })
        .execute()
    })
    await hasRead.opened
    await Promise.all([transaction, add(10)])
    const { length } = await store.db.selectFrom('note').select('length').executeTakeFirstOrThrow()
    expect(length).toBe(11)
  })

  it('does not start when its signal aborts while it waits', async () => {
    await using store = await openNotes(await database.create())
    const first = gate()
    const running = store.transaction(() => first.opened)
    const controller = new AbortController()
    const work = vi.fn(async () => undefined)
    const waiting = store.transaction(work, { signal: controller.signal })
    controller.abort(new Error('no longer wanted'))
    await expect(waiting).rejects.toThrow('no longer wanted')
    first.open()
    await running
    expect(work).not.toHaveBeenCalled()
    await expect(store.transaction(work, { signal: controller.signal })).rejects.toThrow('no longer wanted')
    expect(work).not.toHaveBeenCalled()
  })

  it('rolls back when its signal aborts while it runs', async () => {
    await using store = await openNotes(await database.create())
    const controller = new AbortController()
    const running = store.transaction(
      async (transaction) => {
        await transaction.insertInto('note').values(note('a')).execute()
        controller.abort(new Error('no longer wanted'))
      },
      { signal: controller.signal },
    )
    await expect(running).rejects.toThrow('no longer wanted')
    expect(await names(store)).toEqual([])
  })
})

describeBothDatabases('closing', (database) => {
  it('lets the running transaction commit and rejects the waiting one', async () => {
    const location = await database.create()
    const store = await openNotes(location)
    const first = gate()
    const running = store.transaction(async (transaction) => {
      await first.opened
      await transaction.insertInto('note').values(note('a')).execute()
    })
    const waiting = expect(store.transaction(async () => undefined)).rejects.toMatchObject({ code: 'unavailable' })
    const closing = store.close()
    await waiting
    first.open()
    await Promise.all([running, closing, store.close()])
    await expect(store.transaction(async () => undefined)).rejects.toBeInstanceOf(StoreError)

    await using again = await openNotes(location)
    expect(await names(again)).toEqual(['a'])
  })
})
