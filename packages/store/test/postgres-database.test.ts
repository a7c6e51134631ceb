import { createServer } from 'node:net'
import { inspect } from 'node:util'
import pg, { type QueryResultRow } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { openStore, type Store, type StoreOptions } from '../src/index.js'
import { PostgresServer } from '../src/testing/postgres-server.js'

let server: PostgresServer
let databaseUrl: string
beforeAll(async () => {
  server = await PostgresServer.start()
})
beforeEach(async () => {
  databaseUrl = await server.createDatabase()
})
afterAll(() => server?.stop())

type NoteSchema = { note: { name: string } }

const migrations: StoreOptions['migrations'] = [
  { name: '0001_note', up: (db) => db.schema.createTable('note').addColumn('name', 'text').execute() },
]

function open(options: Partial<StoreOptions> = {}): Promise<Store<NoteSchema>> {
  return openStore<NoteSchema>({
    name: 'notes',
    migrations,
    dataDirectory: '/nonexistent',
    databaseUrl,
    durability: 'full',
    access: 'shared',
    ...options,
  })
}

async function asAdministrator<Row extends QueryResultRow>(query: string): Promise<Row[]> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    return (await client.query<Row>(query)).rows
  } finally {
    await client.end()
  }
}

const endAllConnections =
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'callboard' and datname = current_database()"

const addNote = (store: Store<NoteSchema>) =>
  store.transaction((transaction) => transaction.insertInto('note').values({ name: 'a' }).execute())

it('keeps each store in a schema of its own', async () => {
  await using _notes = await open()
  await using _others = await open({ name: 'others' })
  const tables = await asAdministrator(
    "select schemaname || '.' || tablename as name from pg_tables where tablename = 'note' order by 1",
  )
  expect(tables).toEqual([{ name: 'callboard_notes.note' }, { name: 'callboard_others.note' }])
})

it('needs no privilege to create a schema that exists', async () => {
  const role = `role_${new URL(databaseUrl).pathname.slice(1)}`
  await asAdministrator(`create role ${role} login password 'secret'`)
  const url = new URL(databaseUrl)
  url.username = role
  url.password = 'secret'
  await expect(open({ databaseUrl: url.href })).rejects.toMatchObject({ code: 'not_writable' })
  await asAdministrator(`create schema callboard_notes authorization ${role}`)
  await using store = await open({ databaseUrl: url.href })
  await addNote(store)
})

it('survives the loss of its connections, idle ones and one inside a transaction', async () => {
  await using store = await open({ access: 'exclusive' })
  await asAdministrator(endAllConnections)
  await vi.waitFor(() => addNote(store))
  const interrupted = store.transaction(async (transaction) => {
    await transaction.insertInto('note').values({ name: 'b' }).execute()
    await asAdministrator(endAllConnections)
    await transaction.insertInto('note').values({ name: 'c' }).execute()
  })
  await expect(interrupted).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' })
  await vi.waitFor(() => addNote(store))
  const names = await store.db.selectFrom('note').select('name').distinct().execute()
  expect(names).toEqual([{ name: 'a' }])
})

it('stops writing once another process has taken an exclusive store over', async () => {
  await using first = await open({ access: 'exclusive' })
  await addNote(first)
  await asAdministrator("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted")
  await using second = await open({ access: 'exclusive' })
  await vi.waitFor(() => expect(addNote(first)).rejects.toMatchObject({ code: 'locked' }), { timeout: 10_000 })
  await addNote(second)
})

it('leaves no connection open when it closes or cannot open', async () => {
  const count = () => asAdministrator(`select pid from pg_stat_activity where application_name = 'callboard'`)
  const store = await open({ access: 'exclusive' })
  await expect(open({ access: 'exclusive' })).rejects.toMatchObject({ code: 'locked' })
  await expect(open({ migrations: [] })).rejects.toMatchObject({ code: 'newer' })
  await store.close()
  // The server forgets a connection shortly after the client has closed it.
  await vi.waitFor(async () => expect(await count()).toEqual([]))
})

it('never shows the password: refused, unreachable, no such database', async () => {
  const refused = new URL(databaseUrl)
  refused.password = 'wrong-password'
  const unreachable = new URL(refused)
  unreachable.port = String(await closedPort())
  const absent = new URL(databaseUrl)
  absent.pathname = '/absent'
  const outcomes = [
    { url: refused, password: 'wrong-password', code: 'invalid_url' },
    { url: unreachable, password: 'wrong-password', code: 'unavailable' },
    { url: absent, password: absent.password, code: 'invalid_url' },
  ]
  for (const { url, password, code } of outcomes) {
    for (const access of ['shared', 'exclusive'] as const) {
      const error = await open({ databaseUrl: url.href, access }).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ name: 'StoreError', code })
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(password)
    }
  }
})

it('keeps the password out of its own inspection', async () => {
  await using store = await open({ access: 'exclusive' })
  expect(inspect(store, { depth: 20 })).not.toContain(new URL(databaseUrl).password)
})

function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
