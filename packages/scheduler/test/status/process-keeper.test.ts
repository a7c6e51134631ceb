import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ProcessKeeper } from '../../src/status/process-keeper.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

describeBothDatabases('the processes on one database', (database) => {
  let foundation: TestFoundation
  let keepers: ProcessKeeper[]

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create() })
    keepers = []
  })
  afterEach(async () => {
    await Promise.all(keepers.map((keeper) => keeper.close()))
    await foundation[Symbol.asyncDispose]()
  })

  async function start(id: string, onChange = () => {}): Promise<ProcessKeeper> {
    const keeper = new ProcessKeeper({ ...foundation, id, host: 'here', pid: 7, onChange })
    keepers.push(keeper)
    await keeper.start()
    return keeper
  }

  const rows = () => foundation.store.db.selectFrom('processes').selectAll().orderBy('id').execute()

  it('know how many others there are', async () => {
    const first = await start('process_1')
    expect(first.others()).toBe(0)
    const second = await start('process_2')
    expect(second.others()).toBe(1)
    await first.beat()
    expect(first.others()).toBe(1)
    await second.close()
    await first.beat()
    expect(first.others()).toBe(0)
  })

  it('tell an engine that sleeps when there are more or fewer others', async () => {
    const changed = vi.fn()
    const first = await start('process_1', changed)
    await first.beat()
    expect(changed).not.toHaveBeenCalled()
    const second = await start('process_2')
    await first.beat()
    await first.beat()
    expect(changed).toHaveBeenCalledTimes(1)
    await second.close()
    await first.beat()
    expect(changed).toHaveBeenCalledTimes(2)
  })

  it('say every 20 seconds that they live', async () => {
    const { clock } = foundation
    const begun = clock.now()
    await start('process_1')
    expect(clock.nextWake).toBe(begun + 20_000)
    clock.advance(20_000)
    await expect.poll(() => clock.nextWake).toBe(begun + 40_000)
    expect(await rows()).toEqual([
      { id: 'process_1', host: 'here', pid: 7, started_at: begun, heartbeat_at: begun + 20_000 },
    ])
  })

  it('do not count who is silent for a minute, and forget who is silent for a day', async () => {
    const { clock, store } = foundation
    const silent = { id: 'process_0', host: 'far', pid: 1, started_at: 0, heartbeat_at: clock.now() }
    await store.db.insertInto('processes').values(silent).execute()
    const keeper = await start('process_1')
    clock.advance(60_000)
    await keeper.beat()
    expect(keeper.others()).toBe(1)
    clock.advance(1)
    await keeper.beat()
    expect(keeper.others()).toBe(0)
    expect(await rows()).toHaveLength(2)
    clock.advance(24 * 60 * 60_000)
    await keeper.beat()
    expect((await rows()).map(({ id }) => id)).toEqual(['process_1'])
  })

  it('put themselves on record again when another one took them for dead', async () => {
    const keeper = await start('process_1')
    await foundation.store.db.deleteFrom('processes').execute()
    await keeper.beat()
    expect(await rows()).toHaveLength(1)
  })

  it('go on when the database was away for a beat', async () => {
    const { clock } = foundation
    await start('process_1')
    await foundation.store.db.schema.alterTable('processes').renameTo('hidden').execute()
    clock.advance(20_000)
    await expect.poll(() => clock.nextWake).toBe(clock.now() + 20_000)
    expect(foundation.logged.map(({ message }) => message)).toEqual(['heartbeat failed'])
    await foundation.store.db.schema.alterTable('hidden').renameTo('processes').execute()
    clock.advance(20_000)
    await expect.poll(async () => (await rows())[0]?.heartbeat_at).toBe(clock.now())
  })

  it('leave the record when they end, and end twice', async () => {
    const keeper = await start('process_1')
    await keeper.close()
    await keeper.close()
    expect(await rows()).toEqual([])
    expect(foundation.clock.nextWake).toBeUndefined()
  })
})
