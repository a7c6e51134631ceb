import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../src/index.js'
import { describeBothDatabases, type TestLocation } from '../src/testing/both-databases.js'
import { compileStore, StoreProcess } from './processes/store-process.js'

beforeAll(compileStore)

const anyMigrations = ['0001_counter', '0002_run'].map((name) => ({ name, up: async () => undefined }))

type CounterSchema = { counter: { value: number } }

async function readCounter(location: TestLocation): Promise<number> {
  await using store = await openStore<CounterSchema>({
    name: 'processes',
    migrations: anyMigrations,
    durability: 'normal',
    access: 'shared',
    ...location,
  })
  return (await store.db.selectFrom('counter').select('value').executeTakeFirstOrThrow()).value
}

describeBothDatabases('several processes', (database) => {
  it('migrate exactly once when they start together', async () => {
    const location = await database.create()
    await using first = new StoreProcess()
    await using second = new StoreProcess()
    await using third = new StoreProcess()
    const processes = [first, second, third]
    await Promise.all(processes.map((process) => process.call('ready')))
    await Promise.all(processes.map((process) => process.call('open', { ...location, access: 'shared' })))
    expect(await first.call('migrationRuns')).toBe(1)
  })

  it('lose no update and run each transaction once', async () => {
    const location = await database.create()
    await using first = new StoreProcess()
    await using second = new StoreProcess()
    const processes = [first, second]
    await Promise.all(processes.map((process) => process.call('open', { ...location, access: 'shared' })))
    const runs = await Promise.all(processes.map((process) => process.call('increment', 60)))
    expect(runs).toEqual([60, 60])
    expect(await readCounter(location)).toBe(120)
  })

  it('see nothing of a transaction whose process was killed, and need not wait for it', async () => {
    const location = await database.create()
    await using process = new StoreProcess()
    await using other = new StoreProcess()
    await process.call('open', { ...location, access: 'shared' })
    await other.call('open', { ...location, access: 'shared' })
    await process.call('hold')
    await process.kill()
    expect(await other.call('increment', 1)).toBe(1)
    expect(await readCounter(location)).toBe(1)
  })

  it('wait for another writer while the event loop runs', async () => {
    const location = await database.create()
    await using process = new StoreProcess()
    await process.call('open', { ...location, access: 'shared' })
    await using store = await openStore<CounterSchema>({
      name: 'processes',
      migrations: anyMigrations,
      durability: 'normal',
      access: 'shared',
      ...location,
    })
    await process.call('hold')
    const waiting = store.db.updateTable('counter').set({ value: 10 }).execute()
    // Needs this event loop: were it blocked, the other process would never be told to finish.
    await process.call('finishHolding')
    await waiting
    expect(await readCounter(location)).toBe(10)
  })

  it('are refused while one has the store exclusively, until it ends', async () => {
    const location = await database.create()
    await using first = new StoreProcess()
    await using second = new StoreProcess()
    await first.call('open', location)
    await expect(second.call('open', location)).rejects.toMatchObject({
      name: 'StoreError',
      code: 'locked',
      message: expect.stringMatching(/^Another process is using .*: stop it, or give this one another .*\.$/),
    })
    await first.kill()
    await second.call('open', location)
    expect(await second.call('increment', 1)).toBe(1)
  })

  it('may follow one another in an exclusive store', async () => {
    const location = await database.create()
    await using first = new StoreProcess()
    await using second = new StoreProcess()
    await first.call('open', location)
    await first.call('close')
    await second.call('open', location)
    expect(await second.call('increment', 1)).toBe(1)
  })
})

describeBothDatabases('a process', (database) => {
  it('loads node-postgres only for PostgreSQL', async () => {
    await using process = new StoreProcess()
    await process.call('open', await database.create())
    expect(await process.call('hasLoadedPostgres')).toBe(database.dialect === 'postgres')
  })
})

describe('a process without permission', () => {
  let dataDirectory: string
  beforeEach(() => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'callboard-store-'))
  })
  afterEach(() => rmSync(dataDirectory, { recursive: true, force: true }))

  it('cannot use a directory', async () => {
    chmodSync(dataDirectory, 0o555)
    await using process = new StoreProcess()
    await process.call('becomeNobody')
    await expect(process.call('open', { dataDirectory })).rejects.toMatchObject({ code: 'not_writable' })
  })

  it('cannot use a file', async () => {
    await using owner = new StoreProcess()
    await owner.call('open', { dataDirectory, access: 'shared' })
    chmodSync(dataDirectory, 0o755)
    await using process = new StoreProcess()
    await process.call('becomeNobody')
    await expect(process.call('open', { dataDirectory, access: 'shared' })).rejects.toMatchObject({
      code: 'not_writable',
    })
  })
})
