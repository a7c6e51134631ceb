import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStore, type Store, type StoreOptions } from '../src/index.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'callboard-store-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function open(options: Partial<StoreOptions> = {}): Promise<Store<unknown>> {
  return openStore({ name: 'plain', migrations: [], dataDirectory: directory, durability: 'full', ...options })
}

async function pragma(store: Store<unknown>, name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(store.db)
  return Object.values(rows[0] ?? {})[0]
}

const mode = (path: string) => statSync(path).mode & 0o777

it('creates its directory and files for their owner alone', async () => {
  const dataDirectory = join(directory, 'data', 'callboard')
  await using _store = await open({ dataDirectory })
  expect(mode(dataDirectory)).toBe(0o700)
  for (const file of ['plain.sqlite', 'plain.sqlite-wal', 'plain.sqlite-shm', 'plain.sqlite.lock']) {
    expect([file, mode(join(dataDirectory, file))]).toEqual([file, 0o600])
  }
})

it('makes a file private that was not, and keeps the mode of a directory that exists', async () => {
  writeFileSync(join(directory, 'plain.sqlite'), '', { mode: 0o644 })
  const before = mode(directory)
  await using _store = await open()
  expect(mode(join(directory, 'plain.sqlite'))).toBe(0o600)
  expect(mode(directory)).toBe(before)
})

it('writes ahead, checks foreign keys and is as durable as asked', async () => {
  await using full = await open()
  await using normal = await open({ name: 'other', durability: 'normal' })
  expect(await pragma(full, 'journal_mode')).toBe('wal')
  expect(await pragma(full, 'foreign_keys')).toBe(1)
  expect(await pragma(full, 'synchronous')).toBe(2)
  expect(await pragma(normal, 'synchronous')).toBe(1)
})

it('refuses a path that cannot be a directory', async () => {
  writeFileSync(join(directory, 'file'), '')
  await expect(open({ dataDirectory: join(directory, 'file', 'data') })).rejects.toMatchObject({
    code: 'not_writable',
    message: expect.stringMatching(/cannot be written \(ENOTDIR\): correct its permissions or path\.$/),
  })
})

it('refuses a file that is no database, and leaves it as it is', async () => {
  const path = join(directory, 'plain.sqlite')
  const text = 'Dear diary, '.repeat(1_000)
  writeFileSync(path, text)
  await expect(open()).rejects.toMatchObject({
    code: 'corrupt',
    message: `${path} is not an intact SQLite database: restore it or move it away.`,
  })
  expect(statSync(path).size).toBe(text.length)
})

it('stays readable to others while it is held exclusively', async () => {
  await using _owner = await open()
  await using reader = await open({ access: 'shared' })
  expect(await pragma(reader, 'user_version')).toBe(0)
})

it('refuses a name that is no file or schema name', async () => {
  for (const name of ['', 'A', '../up', 'a b', 'a'.repeat(41)]) {
    await expect(open({ name })).rejects.toThrow(TypeError)
  }
})

it('sees what a migration of another process has changed, in a statement that it has run before', async () => {
  await using store = await open({ access: 'shared' })
  await using other = await open({ access: 'shared' })
  await sql`create table notes (text text)`.execute(store.db)
  await sql`insert into notes values ('one')`.execute(store.db)
  const notes = async () => (await sql`select * from notes`.execute(store.db)).rows
  expect(await notes()).toEqual([{ text: 'one' }])
  await sql`alter table notes add column stars integer default 5`.execute(other.db)
  expect(await notes()).toEqual([{ text: 'one', stars: 5 }])
})

it('runs more different statements than it keeps ready', async () => {
  await using store = await open()
  for (let number = 0; number < 1_100; number += 1) {
    const { rows } = await sql<{ number: number }>`select ${sql.raw(String(number % 550))} as number`.execute(store.db)
    expect(rows).toEqual([{ number: number % 550 }])
  }
})
