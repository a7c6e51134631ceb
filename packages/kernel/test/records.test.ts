import { openStore, type Store } from '@callboard/store'
import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { KernelRecords, type RunEnd } from '../src/records/records.js'
import { type KernelSchema, migrations } from '../src/records/schema.js'

const ann = { owner: 'agent:ann', session: 'ann-1' }
const bob = { owner: 'agent:bob', session: 'bob-1' }
const end: RunEnd = { status: 'ok', code: '1', result: '1', error: null, stdoutBytes: 0, stderrBytes: 0 }

describeBothDatabases('kernel records', (database) => {
  let store: Store<KernelSchema>
  let records: KernelRecords
  let now = 0

  beforeEach(async () => {
    now = 1_000
    const location = await database.create()
    store = await openStore<KernelSchema>({
      name: 'kernel',
      migrations,
      ...location,
      durability: 'normal',
      access: 'shared',
    })
    records = new KernelRecords(store, () => now++)
  })
  afterEach(() => store.close())

  it('gives an agent one session, also when it asks twice at once', async () => {
    const [first, second] = await Promise.all([records.currentSession(ann), records.currentSession(ann)])
    expect(first).toEqual(second)
    expect(first).toMatchObject({ name: 'untitled', vibe: null, bpm: 120 })
  })

  it('names further sessions of an owner apart, and another owner’s not', async () => {
    await records.currentSession(ann)
    expect(await records.currentSession({ ...ann, session: 'ann-2' })).toMatchObject({ name: 'untitled 2' })
    expect(await records.currentSession(bob)).toMatchObject({ name: 'untitled' })
  })

  it('hands the newest released session to the owner’s next agent, and to no other owner', async () => {
    const old = await records.currentSession(ann)
    const young = await records.currentSession({ ...ann, session: 'ann-2' })
    await records.releaseSessions('ann-1')
    await records.releaseSessions('ann-2')
    expect((await records.currentSession(bob)).id).not.toBe(young.id)
    expect((await records.currentSession({ ...ann, session: 'ann-3' })).id).toBe(young.id)
    expect((await records.currentSession({ ...ann, session: 'ann-4' })).id).toBe(old.id)
  })

  it('counts runs and epochs per owner', async () => {
    expect(await Promise.all([records.beginRun(ann, 1, 'a'), records.beginRun(ann, 1, 'b')])).toEqual([1, 2])
    expect(await records.beginRun(bob, 1, 'a')).toBe(1)
    expect([await records.beginKernel(ann, 11), await records.beginKernel(ann, 12)]).toEqual([1, 2])
    expect(await records.beginKernel(bob, 13)).toBe(1)
    expect(await records.hadKernel(ann)).toBe(true)
    expect(await records.hadKernel({ ...ann, session: 'ann-2' })).toBe(false)
    await records.endKernel(ann.owner, 1, null, 'SIGKILL', 'why')
    expect(
      await store.db
        .selectFrom('kernels')
        .select(['signal', 'reason'])
        .where('epoch', '=', 1)
        .where('owner', '=', ann.owner)
        .execute(),
    ).toEqual([{ signal: 'SIGKILL', reason: 'why' }])
  })

  it('shows the newest ten entries, newest first, and clears them with the session', async () => {
    const session = await records.currentSession(ann)
    for (let index = 0; index < 12; index += 1) {
      const id = await records.beginRun(ann, 1, `${index}`)
      await records.endRun(ann.owner, id, session.id, {
        ...end,
        code: `x =\n  ${index}`,
        status: index === 11 ? 'error' : 'ok',
      })
    }
    const history = await records.recentHistory(session.id)
    expect(history).toHaveLength(10)
    expect(history[0]).toMatchObject({ action: 'eval 12: x =; 11', success: false })
    expect(history[1]).toMatchObject({ success: true })
    await records.clearSession(session.id)
    expect(await records.recentHistory(session.id)).toEqual([])
    expect((await records.currentSession(ann)).id).toBe(session.id)
  })

  it('stores any code and any text', async () => {
    const session = await records.currentSession(ann)
    const code = `"\0\ud800${'x'.repeat(100_000)}"`
    const id = await records.beginRun(ann, 1, code)
    await records.endRun(ann.owner, id, session.id, { ...end, code, result: code, error: code })
    expect((await records.recentHistory(session.id))[0]?.action.length).toBeLessThan(300)
  })
})
