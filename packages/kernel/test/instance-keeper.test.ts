import { openStore, type Store } from '@callboard/store'
import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { InstanceKeeper, type InstanceKeeperOptions } from '../src/kernel/instance-keeper.js'
import { InstanceRecords } from '../src/records/instance-records.js'
import { type KernelSchema, migrations } from '../src/records/schema.js'

describeBothDatabases('the instances of the worker', (database) => {
  let store: Store<KernelSchema>
  let records: InstanceRecords
  let now = 1_000_000
  const buried: string[] = []
  const keepers: InstanceKeeper[] = []

  beforeEach(async () => {
    buried.length = 0
    const location = await database.create()
    store = await openStore<KernelSchema>({
      name: 'kernel',
      migrations,
      ...location,
      durability: 'normal',
      access: 'shared',
    })
    records = new InstanceRecords(store, () => now)
  })
  afterEach(async () => {
    await Promise.all(keepers.splice(0).map((keeper) => keeper.close()))
    await store.close()
  })

  async function start(id: string, stateOf: InstanceKeeperOptions['stateOf']): Promise<InstanceKeeper> {
    const bury = async (instance: string) => void buried.push(instance)
    const keeper = new InstanceKeeper({ id, records, stateOf, bury, now: () => now })
    keepers.push(keeper)
    await keeper.start(1, null)
    return keeper
  }

  it('are buried by the next one when this machine knows that they are gone', async () => {
    await records.register('killed', 7, 'then')
    await records.register('living', 8, 'then')
    await start('new', async ({ pid }) => (pid === 7 ? 'gone' : 'alive'))
    expect(buried).toEqual(['killed'])
    expect((await records.others('new')).map(({ id }) => id)).toEqual(['living'])
  })

  it('are buried after a minute of silence when nobody here can know', async () => {
    await records.register('far', 7, null)
    const keeper = await start('new', async () => 'unknown')
    now += 59_000
    await keeper.buryTheGone()
    expect(buried).toEqual([])
    await records.touch('far')
    now += 59_000
    await keeper.buryTheGone()
    expect(buried).toEqual([])
    now += 2_000
    await keeper.buryTheGone()
    expect(buried).toEqual(['far'])
  })

  it('bury themselves when they end', async () => {
    const keeper = await start('mine', async () => 'alive')
    await keeper.close()
    expect(buried).toEqual(['mine'])
    expect(await records.others('another')).toEqual([])
  })
})
