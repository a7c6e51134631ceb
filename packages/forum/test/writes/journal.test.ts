import { describeBothDatabases } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { expect, it } from 'vitest'
import { journalMs, replicaClockSkewMs, sameCallMs } from '../../src/limits.js'
import { Journal } from '../../src/writes/journal.js'
import { openTestStore, silentLog } from '../support/test-store.js'

const entry = { key: 'a1', base: 'https://forum.test', tool: 'discourse_create_post', sameForMs: sameCallMs }
const withKey = { ...entry, sameForMs: journalMs }
const output = { id: 7, outcome: 'done' }

describeBothDatabases('the journal of writes', (database) => {
  async function setUp() {
    const location = await database.create()
    const clock = new VirtualClock()
    const stores = [await openTestStore(location), await openTestStore(location)] as const
    const [journal, other] = stores.map((store) => new Journal({ store, clock, log: silentLog })) as [Journal, Journal]
    const send = (from: Journal) =>
      stores[0].transaction((transaction) => from.sending(transaction, entry.key, clock.now()))
    return {
      clock,
      journal,
      /** Of another process. */
      other,
      store: stores[0],
      send,
      endsAt: clock.now() + 60_000,
      [Symbol.asyncDispose]: async () => void (await Promise.all(stores.map((store) => store.close()))),
    }
  }

  it('gives a write to the one who comes first', async () => {
    await using rig = await setUp()
    expect(await rig.journal.claim(entry, rig.endsAt)).toEqual({ kind: 'ours' })
    expect(await rig.other.claim(entry, rig.endsAt)).toEqual({
      kind: 'elsewhere',
      sentAt: rig.clock.now(),
      hasLeft: false,
    })
    expect(await rig.other.claim({ ...entry, key: 'b2' }, rig.endsAt)).toEqual({ kind: 'ours' })
  })

  it('has it anew after it was released', async () => {
    await using rig = await setUp()
    await rig.journal.claim(entry, rig.endsAt)
    await rig.send(rig.journal)
    await rig.other.release(entry.key)
    expect(await rig.other.claim(entry, rig.endsAt)).toMatchObject({ kind: 'elsewhere' })
    await rig.journal.release(entry.key)
    expect(await rig.other.claim(entry, rig.endsAt)).toEqual({ kind: 'ours' })
  })

  it('keeps what it was for two minutes, with a key of the caller for ten', async () => {
    await using rig = await setUp()
    await rig.journal.claim(entry, rig.endsAt)
    await rig.send(rig.journal)
    await rig.journal.done(entry.key, output)
    rig.clock.advance(sameCallMs - 1)
    expect(await rig.other.claim(entry, rig.endsAt)).toEqual({ kind: 'done', output })
    rig.clock.advance(journalMs - sameCallMs)
    expect(await rig.other.claim(withKey, rig.endsAt)).toEqual({ kind: 'done', output })
    expect(await rig.other.claim(entry, rig.endsAt)).toEqual({ kind: 'ours' })
  })

  it('forgets everything after ten minutes', async () => {
    await using rig = await setUp()
    for (const key of ['a1', 'b2', 'c3']) await rig.journal.claim({ ...withKey, key }, rig.endsAt)
    await rig.send(rig.journal)
    await rig.journal.unknown(entry.key)
    rig.clock.advance(journalMs + 1)
    expect(await rig.journal.claim(withKey, rig.endsAt)).toEqual({ kind: 'ours' })
    expect(await rig.store.db.selectFrom('write_journal').select('key').execute()).toEqual([{ key: 'a1' }])
  })

  it('never gives away a write that is unknown', async () => {
    await using rig = await setUp()
    const sentAt = rig.clock.now()
    await rig.journal.claim(entry, rig.endsAt)
    await rig.send(rig.journal)
    await rig.journal.unknown(entry.key)
    rig.clock.advance(journalMs)
    for (const each of [rig.journal, rig.other]) {
      expect(await each.claim(entry, rig.endsAt)).toEqual({ kind: 'unknown', sentAt })
    }
  })

  it('knows a write as unknown whose process is gone while it was sending', async () => {
    await using rig = await setUp()
    const sentAt = rig.clock.now()
    await rig.journal.claim(entry, rig.endsAt)
    await rig.send(rig.journal)
    rig.clock.set(rig.endsAt + replicaClockSkewMs)
    expect(await rig.other.claim(entry, rig.endsAt)).toEqual({ kind: 'elsewhere', sentAt, hasLeft: true })
    rig.clock.advance(1)
    expect(await rig.other.claim(entry, rig.endsAt)).toEqual({ kind: 'unknown', sentAt })
  })

  it('knows one as unknown of which this process could not write down what became of it', async () => {
    await using rig = await setUp()
    await rig.journal.claim(entry, rig.endsAt)
    await rig.send(rig.journal)
    expect(await rig.journal.claim(entry, rig.endsAt)).toMatchObject({ kind: 'unknown' })
  })

  it('gives away what waited in a process that is gone, which then cannot send it', async () => {
    await using rig = await setUp()
    await rig.journal.claim(entry, rig.endsAt)
    rig.clock.set(rig.endsAt + replicaClockSkewMs + 1)
    expect(await rig.other.claim(entry, rig.endsAt + 60_000)).toEqual({ kind: 'ours' })
    await expect(rig.send(rig.journal)).rejects.toThrow('taken it over')
    await rig.journal.release(entry.key)
    await rig.send(rig.other)
    expect(await rig.store.db.selectFrom('write_journal').select('state').execute()).toEqual([{ state: 'sending' }])
  })

  it('does not fail where something can’t be written down', async () => {
    await using rig = await setUp()
    await rig.journal.claim(entry, rig.endsAt)
    await rig.store.close()
    await rig.journal.done(entry.key, output)
    await rig.journal.unknown(entry.key)
    await rig.journal.release(entry.key)
  })
})
